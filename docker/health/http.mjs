// Health check of an image: `node http.mjs URL` ends with 0 when the URL answers 2xx.
const response = await fetch(process.argv[2], { signal: AbortSignal.timeout(4_000) }).catch((error) => ({
  ok: false,
  status: error.message,
}))
if (!response.ok) process.stderr.write(`${process.argv[2]}: ${response.status}\n`)
process.exit(response.ok ? 0 : 1)

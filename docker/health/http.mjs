// Health check of an image: `node http.mjs URL` ends with 0 when the URL answers 2xx. Where the app speaks TLS, so does
// this; the certificate names the service and not this loopback address, so it is not looked at.
const { env } = process
if (env.STOKER_TLS_CERT_FILE) {
  env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  process.removeAllListeners('warning')
  process.argv[2] = process.argv[2].replace(/^http:/, 'https:')
}
const response = await fetch(process.argv[2], { signal: AbortSignal.timeout(4_000) }).catch((error) => ({
  ok: false,
  status: error.message,
}))
if (!response.ok) process.stderr.write(`${process.argv[2]}: ${response.status}\n`)
process.exit(response.ok ? 0 : 1)

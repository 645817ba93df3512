#!/usr/bin/env node
// `npm run demo`: works on a bare clone, so nothing may be imported before it is installed and built.
import { prepare } from './prepare.mjs'

try {
  await prepare()
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}
const { main } = await import('../dist/demo/main.js')
await main(process.argv.slice(2))

#!/usr/bin/env node
// Starts the built CLI. In a checkout that was never built it builds first.
import { existsSync } from 'node:fs'

const main = new URL('../dist/main.js', import.meta.url)
if (!existsSync(main)) {
  const { prepare } = await import('./prepare.mjs')
  await prepare()
}
await import(main.href)

#!/usr/bin/env node
// `npm run test:nodes [-- VERSION...]`: runs the end-to-end tests under other versions of Node (22 and 24), whose
// binaries come from npm. Closing line as `npm test`: one test a version.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { prepare, root } from '../../apps/cli/bin/prepare.mjs'

const FILTERS = ['test/e2e/same-order', 'test/e2e/training', 'test/e2e/command-line', 'libs/engine/test/layers-native']
const versions = process.argv.length > 2 ? process.argv.slice(2) : ['22', '24']

/** The npm package `node` fetches its binary by a script; the package with the binary itself can be named directly. */
function nodeProgram(version) {
  const cache = process.env.STOKER_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'stoker')
  const folder = join(cache, 'nodes', version)
  const name = `node-${process.platform}-${process.arch}`
  const program = join(folder, 'node_modules', name, 'bin', 'node')
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  const done = spawnSync(
    'npm',
    ['install', '--prefix', folder, '--no-save', '--ignore-scripts', `${name}@${version}`],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  if (done.status !== 0 || !existsSync(program)) throw new Error(`npm has no ${name}@${version}`)
  return program
}

await prepare()
let passed = 0
let failed = 0
for (const version of versions) {
  try {
    const program = nodeProgram(version)
    const told = spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout.trim()
    process.stdout.write(`Node ${told}\n`)
    // First on the PATH, too: processes that look for `node` by name find the same one.
    const env = { ...process.env, PATH: `${dirname(program)}${delimiter}${process.env.PATH}` }
    const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
    const { status } = spawnSync(program, [vitest, 'run', ...FILTERS], { cwd: root, env, stdio: 'inherit' })
    if (status === 0) passed++
    else failed++
  } catch (error) {
    process.stdout.write(`Node ${version}: ${error.message}\n`)
    failed++
  }
}
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exit(failed === 0 ? 0 : 1)

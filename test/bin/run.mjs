#!/usr/bin/env node
// `npm test [-- FILTER...]`: installs and builds when needed, runs the linter and every test, and ends with one line
// `N passed, N failed`. Filters are file name parts, as vitest takes them; with a filter the linter is left out.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { prepare, root } from '../../apps/cli/bin/prepare.mjs'

const filters = process.argv.slice(2)
// Many tests wait for locks to end or for processes to start: one file at a time would leave a small machine idle.
const WORKERS = Math.max(2, availableParallelism() - 1)
const tally = { passed: 0, failed: 0 }
const count = (ok, name) => {
  tally[ok ? 'passed' : 'failed']++
  if (!ok) process.stdout.write(`FAILED ${name}\n`)
}
const node = (...args) =>
  spawnSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0

try {
  await prepare()
  count(true, 'install and build')
} catch (error) {
  process.stdout.write(`${error.message}\n`)
  count(false, 'install and build')
  finish()
}
if (filters.length === 0) {
  const checks = ['check', '.', '--error-on-warnings']
  count(
    node(join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome'), ...checks),
    'format and lint (biome check)',
  )
}
if (filters.length === 0) await bringParts()
addVitest()
finish()

/** Builds, once and one after the other, what single tests would else wait for inside their own time. */
async function bringParts() {
  const lib = (name) => import(pathToFileURL(join(root, 'libs', name, 'dist', 'index.js')).href)
  const [{ canStartS3, s3Program }, { installEngine }] = await Promise.all([lib('services'), lib('engine')])
  const log = (text) => process.stderr.write(`${text}\n`)
  const parts = [
    ['the S3 server', async () => (await canStartS3()) && (await s3Program())],
    ['the TensorFlow engine', () => installEngine({ device: 'cpu', log })],
  ]
  for (const [name, bring] of parts) {
    log(`preparing ${name}`)
    // Its tests say what they miss.
    await bring().catch((error) => log(`${name}: ${error.message}`))
  }
}

/** Runs vitest and adds what its JSON report says; no report at all counts as one failure. */
function addVitest() {
  const folder = mkdtempSync(join(tmpdir(), 'stoker-test-'))
  const report = join(folder, 'report.json')
  const ok = node(
    join(root, 'node_modules', 'vitest', 'vitest.mjs'),
    ...[
      'run',
      `--maxWorkers=${WORKERS}`,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...filters,
    ],
  )
  try {
    addReport(JSON.parse(readFileSync(report, 'utf8')), ok)
  } catch (error) {
    count(false, `vitest left no report: ${error.message}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function addReport({ testResults, numPassedTests, numFailedTests }, ok) {
  tally.passed += numPassedTests
  tally.failed += numFailedTests
  const before = tally.failed
  // A file that fails outside its tests (it does not load, a hook fails) has no failed test to be counted by.
  for (const { name, status, message, assertionResults } of testResults) {
    const hasFailedTest = assertionResults.some((result) => result.status === 'failed')
    if (status === 'failed' && !hasFailedTest) count(false, `${name}: ${message}`)
  }
  if (testResults.length === 0) count(false, 'no test file fits the filter')
  else if (!ok && before === tally.failed && numFailedTests === 0) count(false, 'vitest ended with an error')
}

function finish() {
  process.stdout.write(`${tally.passed} passed, ${tally.failed} failed\n`)
  process.exit(tally.failed === 0 ? 0 : 1)
}

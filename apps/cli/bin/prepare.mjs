// Brings a checkout to where its programs run: dependencies installed, packages built. Plain Node without dependencies,
// since on a fresh clone there are none. What it does goes to stderr; when there is nothing to do it takes about a second.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..')
const LEAST_NODE = [20, 19]

/** @throws {Error} whose message says which command failed */
export async function prepare() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < LEAST_NODE[0] || (major === LEAST_NODE[0] && minor < LEAST_NODE[1])) {
    throw new Error(`Node ${process.versions.node} is too old: Stoker needs ${LEAST_NODE.join('.')} or newer`)
  }
  if (!isInstalled()) {
    process.stderr.write('installing dependencies (npm ci)\n')
    await npm('ci', '--no-audit', '--no-fund', '--loglevel=error')
  }
  await run(process.execPath, [turbo(), 'run', 'build', '--output-logs=errors-only', '--log-order=grouped'], {
    quietOnSuccess: true,
  })
}

/**
 * Whether node_modules holds what package-lock.json asks for. npm writes its own copy of the lock file last, so an
 * interrupted install counts as none. Optional packages may be missing: most are for other platforms.
 */
export function isInstalled() {
  const done = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(done)) return false
  const { packages: installed } = JSON.parse(readFileSync(done, 'utf8'))
  const { packages: wanted } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.entries(wanted).every(([path, { version, link, optional, devOptional }]) => {
    if (!path.includes('node_modules/')) return true
    const found = installed[path]
    if (link) return found?.link === true
    return found ? found.version === version : Boolean(optional || devOptional)
  })
}

const turbo = () => join(root, 'node_modules', 'turbo', 'bin', 'turbo')

/** The npm that came with this Node, so that the two fit together; else the one on the PATH. */
function npm(...args) {
  const bundled = join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js')
  return existsSync(bundled) ? run(process.execPath, [bundled, ...args]) : run('npm', args)
}

/** Runs a command in the checkout with its output on stderr; a quiet one is heard only when it fails. */
function run(command, args, { quietOnSuccess = false } = {}) {
  return new Promise((done, fail) => {
    const env = { ...process.env, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', TURBO_NO_UPDATE_NOTIFIER: '1' }
    const stdio = quietOnSuccess ? ['ignore', 'pipe', 'pipe'] : ['ignore', process.stderr, process.stderr]
    const child = spawn(command, args, { cwd: root, env, stdio })
    let output = ''
    child.stdout?.on('data', (chunk) => {
      output += chunk
    })
    child.stderr?.on('data', (chunk) => {
      output += chunk
    })
    child.once('error', fail)
    child.once('close', (code) => {
      if (code === 0) return done()
      process.stderr.write(output)
      fail(new Error(`\`${[command, ...args].join(' ')}\` failed with exit code ${code}`))
    })
  })
}

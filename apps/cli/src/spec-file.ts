import { readFile, stat } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { SpecFileUnreadable, TypescriptUnknown } from './error-table.js'
import { specFault } from './spec-fault.js'
import { installSpecHooks } from './spec-hooks.js'

const MODULES = new Set(['.mjs', '.js', '.ts', '.mts'])

/**
 * Reads a job from a JSON file, from standard input (`-`), or from a module whose default export is a job, a chain of
 * the builder, or a function that returns one of them. A chain alone becomes a feed-only job.
 *
 * A module may import `@stoker/spec` wherever it lies.
 *
 * @throws SpecFileUnreadable, TypescriptUnknown, or the builder's own error with the line of the module as its place
 */
export async function loadSpec(file: string, stdin: NodeJS.ReadableStream = process.stdin): Promise<unknown> {
  if (file === '-') return asJob(parse(await text(stdin), 'standard input'))
  const path = resolve(file)
  if (MODULES.has(extname(path))) return asJob(plain(await importDefault(path, file), file))
  return asJob(parse(await readFile(path, 'utf8').catch(unreadable(file)), file))
}

const unreadable =
  (name: string) =>
  (error: NodeJS.ErrnoException): never => {
    throw SpecFileUnreadable(name, error.code === 'ENOENT' ? 'there is no such file' : error.message)
  }

function parse(content: string, name: string): unknown {
  try {
    return JSON.parse(content)
  } catch (error) {
    throw SpecFileUnreadable(name, error instanceof Error ? error.message : String(error))
  }
}

async function importDefault(path: string, name: string): Promise<unknown> {
  const { href } = pathToFileURL(path)
  await stat(path).catch(unreadable(name))
  installSpecHooks()
  try {
    const { default: value } = (await import(href)) as { readonly default?: unknown }
    return typeof value === 'function' ? await value() : value
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_UNKNOWN_FILE_EXTENSION') {
      throw TypescriptUnknown(name, process.versions.node)
    }
    throw await specFault(error, href, name)
  }
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

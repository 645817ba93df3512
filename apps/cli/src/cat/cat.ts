import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { loadOps } from '@stoker/ops'
import { guessSource, type Look, lookInside } from '@stoker/pipeline'
import { createSettings, pickEnv } from '@stoker/settings'
import { createStore, type ObjectStore } from '@stoker/storage'
import { NothingToCat, SourceNotJson } from '../error-table.js'
import { lookText } from '../terminal/look-text.js'
import { asUri, localStorage } from './local-storage.js'

export interface CatRequest {
  /** A path, pattern, URI or JSON source; the document's own source when left out. */
  readonly source: string | undefined
  readonly document: unknown
  readonly type?: string | undefined
  readonly skip: number
  readonly take?: number | undefined
  readonly signal: AbortSignal
}

export interface Shown {
  readonly look: Look
  /** For people. */
  lines(): string
}

/** Looks into a source without any service, with the ops of the modules in STOKER_OPS; indexes and inflated shards go into a folder that is removed at the end. */
export async function* cat(request: CatRequest): AsyncGenerator<Shown, void, undefined> {
  const { source, document, skip, take, signal } = request
  if (source === undefined && document === undefined) throw NothingToCat()
  await loadOps(createSettings(pickEnv(process.env, [])).ops())
  const scratch = await mkdtemp(join(tmpdir(), 'stoker-cat-'))
  const store = createStore(localStorage(process.env, source))
  try {
    const chosen = source === undefined ? undefined : await sourceOf(source, request, store)
    const looks = lookInside({
      ...{ document, source: chosen, skip },
      ...(take === undefined ? {} : { take }),
      context: { store, scratch: pathToFileURL(scratch).href, signal },
    })
    for await (const shown of looks) yield { look: shown.look, lines: () => lookText(shown) }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    await store.close()
    await rm(scratch, { recursive: true, force: true })
  }
}

async function sourceOf(text: string, { document, type }: CatRequest, store: ObjectStore): Promise<unknown> {
  if (text.trimStart().startsWith('{')) return parsed(text)
  const like = sourceIn(document)
  return guessSource(asUri(text), { store, type, ...(like ? { like } : {}) })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw SourceNotJson(error instanceof Error ? error.message : String(error))
  }
}

/** The source of a job or pipeline, where it is an object at all. */
function sourceIn(document: unknown): Readonly<Record<string, unknown>> | undefined {
  const pipeline = objectIn(document, 'pipeline') ?? document
  return objectIn(pipeline, 'source')
}

function objectIn(value: unknown, name: string): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  const held = (value as Readonly<Record<string, unknown>>)[name]
  return typeof held === 'object' && held !== null ? (held as Readonly<Record<string, unknown>>) : undefined
}

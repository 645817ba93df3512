import { createHash, randomBytes } from 'node:crypto'
import { joinUri, type ObjectStore } from '@stoker/storage'
import { CheckpointCorrupt } from '../error-table.js'
import type { ModelFiles } from '../types.js'
import { decodeManifest, encodeManifest, MANIFEST, type Manifest } from './manifest.js'

// <prefix>/step-<12 digits>-<8 hex>/<file>      content, any number of files
// <prefix>/step-<12 digits>-<8 hex>/manifest.json   last: with it, and not before, the folder is a checkpoint
//
// The random part keeps a trainer that repeats a step after a crash from writing over files that a manifest vouches for.
// A writer that dies half-way leaves a folder without manifest; the next prune removes it.
const FOLDER = /\/(step-(\d{12})-[0-9a-f]{8})\/(.+)$/

export interface NewCheckpoint {
  readonly files: ModelFiles
  readonly step: number
  readonly epoch: number
  readonly cursor: { readonly epoch: number; readonly batch: number }
  readonly seed: number
  readonly specHash: string
  /** Most checkpoints left after this one is written; all where not given. */
  readonly keep?: number
}

export interface Checkpoint {
  /** Of the folder. */
  readonly uri: string
  readonly manifest: Manifest
  readonly files: ModelFiles
}

/** Writes a checkpoint below `prefix` and gives the URI of its folder. */
export async function writeCheckpoint(store: ObjectStore, prefix: string, checkpoint: NewCheckpoint): Promise<string> {
  const { files, keep, ...facts } = checkpoint
  const step = String(facts.step).padStart(12, '0')
  const uri = joinUri(prefix, `step-${step}-${randomBytes(4).toString('hex')}`)
  const listed: Manifest['files'] = []
  for (const [name, bytes] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await store.write(joinUri(uri, name), bytes)
    listed.push({ name, size: bytes.byteLength, sha256: sha256(bytes) })
  }
  const manifest = encodeManifest({ ...facts, createdAt: new Date().toISOString(), files: listed })
  await store.write(joinUri(uri, MANIFEST), manifest, { contentType: 'application/json' })
  if (keep !== undefined) await pruneCheckpoints(store, prefix, keep)
  return uri
}

/** URIs of the complete checkpoints below `prefix`, the one with the most steps first. */
export async function listCheckpoints(store: ObjectStore, prefix: string): Promise<string[]> {
  return (await folders(store, prefix)).filter((folder) => folder.isComplete).map((folder) => folder.uri)
}

/** The checkpoint with the most steps, read and verified; undefined when there is none. @throws CheckpointCorrupt */
export async function latestCheckpoint(store: ObjectStore, prefix: string): Promise<Checkpoint | undefined> {
  const [uri] = await listCheckpoints(store, prefix)
  return uri === undefined ? undefined : readCheckpoint(store, uri)
}

/** Reads a checkpoint and compares size and SHA-256 of every file. @throws CheckpointCorrupt, ObjectMissing */
export async function readCheckpoint(store: ObjectStore, uri: string): Promise<Checkpoint> {
  const manifest = decodeManifest(uri, await store.readAll(joinUri(uri, MANIFEST)))
  const present = new Map((await store.walk(uri)).map((stat) => [stat.uri, stat.size]))
  const files = new Map<string, Uint8Array>()
  for (const { name, size, sha256: expected } of manifest.files) {
    const at = joinUri(uri, name)
    const found = present.get(at)
    if (found === undefined) throw CheckpointCorrupt(uri, `${name} is missing`)
    if (found !== size) throw CheckpointCorrupt(uri, `${name} has ${found} bytes instead of ${size}`)
    const bytes = await store.readAll(at)
    if (sha256(bytes) !== expected) throw CheckpointCorrupt(uri, `${name} has another SHA-256 than it was written with`)
    files.set(name, bytes)
  }
  return { uri, manifest, files }
}

/**
 * Keeps the `keep` checkpoints with the most steps, removes older ones (manifest first, so that none is ever seen
 * half-removed) and what dead writers left. A folder under way lies at or past the newest one and is left alone.
 */
export async function pruneCheckpoints(store: ObjectStore, prefix: string, keep: number): Promise<void> {
  const all = await folders(store, prefix)
  const complete = all.filter((folder) => folder.isComplete)
  const newest = complete[0]
  if (!newest) return
  const kept = new Set(complete.slice(0, Math.max(1, keep)))
  for (const folder of all) {
    if (kept.has(folder) || (!folder.isComplete && folder.step >= newest.step)) continue
    const manifest = joinUri(folder.uri, MANIFEST)
    if (folder.isComplete) await store.remove(manifest)
    for (const object of folder.objects) if (object !== manifest) await store.remove(object)
  }
}

interface Folder {
  readonly uri: string
  readonly step: number
  readonly objects: string[]
  isComplete: boolean
}

/** Sorted by falling steps. Two of the same step hold the same state. */
async function folders(store: ObjectStore, prefix: string): Promise<Folder[]> {
  const found = new Map<string, Folder>()
  for (const { uri } of await store.walk(prefix)) {
    const [tail, name, step, file] = FOLDER.exec(uri) ?? []
    if (tail === undefined || name === undefined) continue
    const folder = found.get(name) ?? {
      uri: uri.slice(0, uri.length - tail.length + 1 + name.length),
      step: Number(step),
      objects: [],
      isComplete: false,
    }
    folder.objects.push(uri)
    if (file === MANIFEST) folder.isComplete = true
    found.set(name, folder)
  }
  return [...found.values()].sort((a, b) => b.step - a.step)
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

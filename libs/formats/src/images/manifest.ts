import { createHash } from 'node:crypto'
import { joinUri } from '@stoker/storage'
import { ManifestLost } from '../error-table.js'
import type { FormatContext, ShardPin } from '../types.js'

// A chunk of a listing is one shard, so that a million files are a thousand pins. Its list lies in scratch as text:
//
//   manifest = {"files":1,"folder":URI}\n  entry*        entry = [PATH,SIZE,ETAG,LABEL]\n
//
// PATH is below the folder, LABEL -1 where there is none. The ETag of its pin is the SHA-256 of the text, which is its name
// too: whoever reads it gets what was listed at submission, or an error.

export interface ListedFile {
  readonly path: string
  readonly size: number
  readonly etag: string
  readonly label: number
}

const LF = 10

export async function writeManifest(
  folder: string,
  files: readonly ListedFile[],
  { store, scratch, signal }: FormatContext,
): Promise<ShardPin> {
  const lines = files.map(({ path, size, etag, label }) => JSON.stringify([path, size, etag, label]))
  const bytes = Buffer.from(`${[JSON.stringify({ files: 1, folder }), ...lines].join('\n')}\n`)
  const etag = createHash('sha256').update(bytes).digest('hex')
  const uri = joinUri(scratch, 'manifests', `${etag}.jsonl`)
  // Written again where it is there: scratch is cleaned by age.
  await store.write(uri, bytes, { contentType: 'application/x-ndjson', ...(signal ? { signal } : {}) })
  return { uri, size: bytes.length, etag }
}

/** A manifest kept as it is stored: some hundred bytes a file, each line read when it is asked for. */
export class Manifest {
  readonly #bytes: Buffer
  readonly #ends: Uint32Array
  readonly folder: string

  private constructor(bytes: Buffer) {
    const ends: number[] = []
    for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) ends.push(at)
    this.#bytes = bytes
    this.#ends = Uint32Array.from(ends)
    this.folder = (JSON.parse(bytes.subarray(0, ends[0]).toString()) as { folder: string }).folder
  }

  /** @throws ManifestLost when it is gone or another */
  static async read(pin: ShardPin, { store, signal }: FormatContext): Promise<Manifest> {
    const lost = (cause?: unknown) => ManifestLost(pin.uri).with({ place: { shard: pin.uri }, cause })
    const bytes = await store.readAll(pin.uri, signal ? { signal } : {}).catch((error: unknown) => {
      throw (error as { code?: string }).code === 'STK_STORAGE_MISSING' ? lost(error) : error
    })
    if (createHash('sha256').update(bytes).digest('hex') !== pin.etag) throw lost()
    return new Manifest(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
  }

  get count(): number {
    return this.#ends.length - 1
  }
  get heldBytes(): number {
    return this.#bytes.length + this.#ends.byteLength
  }

  /** @returns undefined where there is no such file */
  file(at: number): ListedFile | undefined {
    const start = this.#ends[at]
    const end = this.#ends[at + 1]
    if (start === undefined || end === undefined) return undefined
    const line = JSON.parse(this.#bytes.subarray(start + 1, end).toString()) as [string, number, string, number]
    const [path, size, etag, label] = line
    return { path, size, etag, label }
  }
}

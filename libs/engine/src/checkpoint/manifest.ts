import { type Static, Type } from 'typebox'
import Value from 'typebox/value'
import { CheckpointCorrupt } from '../error-table.js'

export const MANIFEST = 'manifest.json'
const FORMAT = 'stoker-checkpoint'
const VERSION = 1

const strict = { additionalProperties: false } as const
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

/** What a checkpoint folder holds. Written last: a folder without it is no checkpoint. */
export const ManifestSchema = Type.Object(
  {
    format: Type.Literal(FORMAT),
    version: Type.Literal(VERSION),
    /** Steps done. */
    step: Count,
    epoch: Count,
    /** First batch that was not trained on. */
    cursor: Type.Object({ epoch: Count, batch: Count }, strict),
    seed: Count,
    specHash: Type.String(),
    createdAt: Type.String(),
    files: Type.Array(
      Type.Object(
        {
          name: Type.String({ pattern: '^(?!/)(?!.*(^|/)\\.\\.(/|$)).+$' }),
          /** Bytes. */
          size: Count,
          /** Hexadecimal. */
          sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
        },
        strict,
      ),
    ),
  },
  strict,
)
export type Manifest = Static<typeof ManifestSchema>

export function encodeManifest(manifest: Omit<Manifest, 'format' | 'version'>): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ format: FORMAT, version: VERSION, ...manifest }, null, 2)}\n`)
}

/** @throws CheckpointCorrupt */
export function decodeManifest(uri: string, bytes: Uint8Array): Manifest {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder().decode(bytes))
  } catch (error) {
    throw CheckpointCorrupt(uri, 'its manifest is no JSON').with({ cause: error })
  }
  if (Value.Check(ManifestSchema, value)) return value
  const version = (value as { version?: unknown } | null)?.version
  if (typeof version === 'number' && version !== VERSION) {
    throw CheckpointCorrupt(uri, `it has version ${version}, and this program reads version ${VERSION}`)
  }
  const [first] = Value.Errors(ManifestSchema, value)
  throw CheckpointCorrupt(uri, `its manifest is wrong at ${first?.instancePath || '/'}: ${first?.message ?? 'unknown'}`)
}

import { Type } from 'typebox'

/** `AUTO` goes by the first bytes of each shard. */
export const COMPRESSIONS = ['AUTO', 'NONE', 'GZIP', 'ZLIB', 'ZSTD'] as const

/** Parameters of every source whose shards are read as bytes: which files, how they are packed, in which order. */
export function fileParams(example: string) {
  const Pattern = Type.String({ minLength: 1, maxLength: 4096, description: `URI or pattern: ${example}` })
  return {
    files: Type.Union([Pattern, Type.Array(Pattern, { minItems: 1, maxItems: 100_000 })]),
    compression: Type.Optional(
      Type.Enum(COMPRESSIONS, {
        default: 'AUTO',
        description: 'how the shards are compressed; AUTO goes by the first bytes of each',
      }),
    ),
    shuffle: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'permute the shards anew each epoch, as tf.data.Dataset.list_files(shuffle=True)',
      }),
    ),
  }
}

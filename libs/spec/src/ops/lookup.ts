import { type Static, Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { stringsField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { wrongShape } from './shapes.js'

const Buckets = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const Params = Type.Object(
  {
    field: FieldName,
    vocabulary: Type.Optional(
      Type.Array(Type.String(), {
        minItems: 1,
        maxItems: 1_000_000,
        description: 'the words, in the order of their ids',
      }),
    ),
    vocabularyFile: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'URI of a file with one word a line; read once, when the job is submitted',
      }),
    ),
    hashBuckets: Type.Optional({ ...Buckets, description: 'no vocabulary: hash each word into one of these ids' }),
    oovBuckets: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 0,
        description: 'ids after the vocabulary that unknown words are hashed into',
      }),
    ),
    defaultValue: Type.Optional(
      Type.Integer({
        minimum: Number.MIN_SAFE_INTEGER,
        maximum: Number.MAX_SAFE_INTEGER,
        default: -1,
        description: 'id of unknown words without oovBuckets',
      }),
    ),
  },
  { additionalProperties: false },
)

export type Options = Omit<Static<typeof Params>, 'field' | 'vocabulary'> & { readonly vocabulary?: readonly string[] }

export const lookup = declareOp({
  name: 'lookup',
  kind: 'record',
  summary:
    'Words to int64 ids: by a vocabulary as tf.lookup.StaticVocabularyTable (StaticHashTable without oovBuckets), or by tf.strings.to_hash_bucket_fast.',
  params: Params,
  args: (field: string, { vocabulary, ...options }: Options) => ({
    field,
    ...(vocabulary ? { vocabulary: [...vocabulary] } : {}),
    ...options,
  }),
  infer: (signature, { field, vocabulary, vocabularyFile, hashBuckets, oovBuckets }) => {
    const { shape } = stringsField(signature, 'lookup', field)
    const hasWords = vocabulary !== undefined || vocabularyFile !== undefined
    if (hasWords === (hashBuckets !== undefined)) {
      throw wrongShape('lookup', field, 'needs either vocabulary, vocabularyFile or hashBuckets')
    }
    if (hashBuckets !== undefined && oovBuckets) {
      throw wrongShape('lookup', field, 'oovBuckets go with a vocabulary: every word has a hash bucket')
    }
    const seen = new Set<string>()
    for (const word of vocabulary ?? []) {
      if (seen.has(word)) throw wrongShape('lookup', field, `the vocabulary has ${JSON.stringify(word)} twice`)
      seen.add(word)
    }
    return withField(signature, field, { dtype: 'int64', shape })
  },
})

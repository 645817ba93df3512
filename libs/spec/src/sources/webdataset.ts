import { type Static, Type } from 'typebox'
import { declareSource } from '../declare.js'
import { DTYPES } from '../dtype.js'
import { WebdatasetField } from '../error-table.js'
import { FieldName } from '../knobs.js'
import { checkLiterals, Literals } from '../literal.js'
import type { Signature } from '../signature.js'
import { fileParams } from './files.js'

const Extension = Type.String({
  minLength: 1,
  maxLength: 128,
  pattern: '^[^/\\u0000-\\u001f]+$',
  description: 'what follows the first dot of a file name, in lower case: jpg, seg.png',
})
const Key = Type.String({ minLength: 1, maxLength: 1024 })

const Field = Type.Object(
  {
    from: Type.Optional(
      Type.Union([Extension, Type.Array(Extension, { minItems: 1, maxItems: 32 })], {
        description:
          'the extension, or several of which the first that a sample has is taken; the field name if not given',
      }),
    ),
    dtype: Type.Optional(
      Type.Enum([...DTYPES, 'string'] as const, {
        default: 'string',
        description:
          'string: the bytes of the file; without a path int32, int64, float32, float64: a number as text (cls)',
      }),
    ),
    shape: Type.Optional(
      Type.Array(Type.Union([Type.Integer({ minimum: 0, maximum: 1 << 24 }), Type.Null()]), {
        maxItems: 8,
        default: [],
        description: 'with a path: arrays in arrays; null as first dimension takes any length',
      }),
    ),
    path: Type.Optional(
      Type.Union([Key, Type.Array(Key, { maxItems: 32 })], {
        description: 'the file is JSON, and the value lies here: "a.b", ["a", "b"], or [] for the whole',
      }),
    ),
    default: Type.Optional(Literals),
  },
  { additionalProperties: false, description: 'without a default a sample that lacks the file is an error' },
)
export type WebdatasetFieldSpec = Static<typeof Field>

const params = Type.Object(
  {
    ...fileParams('s3://bucket/train-*.tar'),
    fields: Type.Union(
      [
        Type.Array(Extension, { minItems: 1, maxItems: 1000 }),
        Type.Record(FieldName, Field, { minProperties: 1 }),
        Type.Literal('all'),
      ],
      {
        description:
          'extensions whose bytes become fields of the same name, or fields with their extensions and types; all: every file that a sample has, for looking only, since a chain needs names',
      },
    ),
    key: Type.Optional(
      Type.Boolean({ default: true, description: 'false leaves out the field __key__, the name of the sample' }),
    ),
  },
  { additionalProperties: false },
)

export const KEY_FIELD = '__key__'
const NUMBERS: readonly string[] = ['int32', 'int64', 'float32', 'float64']

/** Samples of tar files as the webdataset library reads them: neighbouring files of one base name. */
export const webdataset = declareSource({
  name: 'webdataset',
  summary:
    'Samples of WebDataset tar shards: files that stand together and share their name up to its first dot; the field __key__ holds that name.',
  readsShards: true,
  params,
  infer: (source) => {
    const signature: Record<string, Signature[string]> = {}
    if (source.key !== false) signature[KEY_FIELD] = { dtype: 'string', shape: [] }
    for (const [name, { dtype, shape }] of webdatasetFields(source)) signature[name] = { dtype, shape }
    return signature
  },
})

export interface CheckedField {
  readonly from: readonly string[]
  readonly dtype: NonNullable<WebdatasetFieldSpec['dtype']>
  readonly shape: readonly (number | null)[]
  readonly path: readonly string[] | undefined
  readonly default: WebdatasetFieldSpec['default']
}

/**
 * The fields that a source declares, by name, with what they leave out filled in.
 * @throws StokerError when a field cannot be what it says, or a default does not fit
 */
export function webdatasetFields({ fields }: Pick<Static<typeof params>, 'fields'>): [string, CheckedField][] {
  if (fields === 'all') return []
  const specs: [string, WebdatasetFieldSpec][] = Array.isArray(fields)
    ? fields.map((extension) => [extension, {}])
    : Object.entries(fields)
  const checked = specs.map(([name, spec]): [string, CheckedField] => [name, checkedField(name, spec)])
  const twice = checked.find(([name], at) => checked.findIndex(([other]) => other === name) !== at)
  if (twice) throw WebdatasetField(twice[0], 'it is named twice').with({ place: { field: twice[0] } })
  return checked
}

function checkedField(name: string, spec: WebdatasetFieldSpec): CheckedField {
  const { from = name, dtype = 'string', shape = [], path } = spec
  const refuse = (why: string) => WebdatasetField(name, why).with({ place: { field: name } })
  if (name === KEY_FIELD) throw refuse('this is the name of the sample itself')
  if (path === undefined) {
    if (shape.length > 0) throw refuse('a shape needs a path, to say where in the JSON file the values lie')
    if (dtype !== 'string' && !NUMBERS.includes(dtype))
      throw refuse(`a file without a path is its bytes (string) or one number (${NUMBERS.join(', ')})`)
  }
  const extensions = typeof from === 'string' ? [from] : from
  const upper = extensions.find((extension) => extension !== extension.toLowerCase())
  if (upper) throw refuse(`write "${upper}" as "${upper.toLowerCase()}": extensions are compared in lower case`)
  checkLiterals(name, dtype, shape, spec.default)
  return {
    from: extensions,
    dtype,
    shape,
    path: typeof path === 'string' ? path.split('.') : path,
    default: spec.default,
  }
}

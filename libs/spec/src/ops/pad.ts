import { type Static, Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { WrongFieldType } from '../error-table.js'
import { numericField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { describeField } from '../signature.js'

const Width = Type.Integer({ minimum: 0, maximum: 65_535 })
const Options = {
  top: Type.Optional(Width),
  bottom: Type.Optional(Width),
  left: Type.Optional(Width),
  right: Type.Optional(Width),
  paddings: Type.Optional(
    Type.Array(Type.Array(Width, { minItems: 2, maxItems: 2 }), {
      maxItems: 8,
      description: '[before, after] for each dimension, instead of top, bottom, left and right of an image',
    }),
  ),
  value: Type.Optional(Type.Number({ default: 0, description: 'for mode constant' })),
  mode: Type.Optional(Type.Enum(['constant', 'reflect', 'symmetric'] as const, { default: 'constant' })),
}
const optionsSchema = () => Type.Object(Options, { additionalProperties: false })
export type PadParams = Static<ReturnType<typeof optionsSchema>>

export const pad = declareOp({
  name: 'pad',
  kind: 'record',
  summary: 'Adds a border of a value, or mirrored, to an image or any tensor, as tf.pad.',
  params: Type.Object({ field: FieldName, ...Options }, { additionalProperties: false }),
  args: (field: string, options: PadParams) => ({ field, ...options }),
  infer: (signature, params) => {
    const { field } = params
    const { dtype, shape } = numericField(signature, 'pad', field)
    const paddings = paddingsOf(params)
    if (paddings.length !== shape.length) {
      const wanted = params.paddings ? `${paddings.length} dimensions` : 'an image [height,width,channels]'
      throw WrongFieldType('pad', field, wanted, describeField({ dtype, shape })).with({ place: { op: 'pad', field } })
    }
    const padded = shape.map((side, axis) => {
      const [before, after] = paddings[axis] ?? [0, 0]
      return side === null ? null : before + side + after
    })
    return withField(signature, field, { dtype, shape: padded })
  },
})

/** What is added before and after each dimension. */
export function paddingsOf(params: PadParams): readonly (readonly [before: number, after: number])[] {
  const { paddings, top = 0, bottom = 0, left = 0, right = 0 } = params
  if (paddings) return paddings.map(([before = 0, after = 0]) => [before, after])
  return [
    [top, bottom],
    [left, right],
    [0, 0],
  ]
}

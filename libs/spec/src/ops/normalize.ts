import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { NormalizeChannels } from '../error-table.js'
import { imageField } from '../fields.js'
import { FieldName } from '../knobs.js'

const Deviation = Type.Number({ exclusiveMinimum: 0 })
const perChannel = <Part extends typeof Deviation>(part: Part, description: string) =>
  Type.Union([part, Type.Array(part, { minItems: 1, maxItems: 4096 })], { description })

export const normalize = declareOp({
  name: 'normalize',
  kind: 'record',
  summary:
    '(value - mean) / std for each channel of an image, float32, as tf.keras.layers.Normalization with mean and variance.',
  params: Type.Object(
    {
      field: FieldName,
      mean: perChannel(Type.Number(), 'one number, or one a channel, in the scale of the values: 0 to 255 for pixels'),
      std: perChannel(Deviation, 'one number, or one a channel, in the same scale'),
    },
    { additionalProperties: false },
  ),
  args: (
    field: string,
    { mean, std }: { readonly mean: number | readonly number[]; readonly std: number | readonly number[] },
  ) => ({
    field,
    mean: typeof mean === 'number' ? mean : [...mean],
    std: typeof std === 'number' ? std : [...std],
  }),
  infer: (signature, { field, mean, std }) => {
    const { shape } = imageField(signature, 'normalize', field)
    const channels = shape[2]
    for (const [name, numbers] of Object.entries({ mean, std })) {
      if (typeof channels === 'number' && Array.isArray(numbers) && numbers.length !== channels) {
        throw NormalizeChannels(name, numbers.length, channels).with({ place: { op: 'normalize', field } })
      }
    }
    return withField(signature, field, { dtype: 'float32', shape })
  },
})

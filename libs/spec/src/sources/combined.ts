import { type Static, Type } from 'typebox'

const Inputs = Type.Array(Type.Unknown(), {
  minItems: 1,
  maxItems: 1000,
  description: 'pipelines without batch: {"source": ..., "stages": [...]}',
})
const Weight = Type.Number({ minimum: 0, maximum: 1e9 })

/** Sources made of other pipelines. */
export const COMBINED = {
  concatenate: {
    name: 'concatenate',
    summary: 'One input after the other, as tf.data.Dataset.concatenate.',
    params: Type.Object({ inputs: Inputs }, { additionalProperties: false }),
  },
  zip: {
    name: 'zip',
    summary:
      'Records of all inputs side by side, as many as the shortest has, as tf.data.Dataset.zip; field names must differ.',
    params: Type.Object({ inputs: Inputs }, { additionalProperties: false }),
  },
  sampleFrom: {
    name: 'sampleFrom',
    summary:
      'Draws records from the inputs by weight, each input in its own order, as tf.data.Dataset.sample_from_datasets.',
    params: Type.Object(
      {
        inputs: Inputs,
        weights: Type.Optional(
          Type.Array(Weight, { minItems: 1, maxItems: 1000, description: 'one an input, equal where not given' }),
        ),
        seed: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: Number.MAX_SAFE_INTEGER,
            description: "the job's seed where none is given",
          }),
        ),
        stopOnEmpty: Type.Optional(
          Type.Boolean({
            default: false,
            description: 'true ends the epoch when an input is drawn that has ended; false goes on with the others',
          }),
        ),
      },
      { additionalProperties: false },
    ),
  },
} as const

export type CombinedName = keyof typeof COMBINED
export type CombinedParams<Name extends CombinedName> = Omit<Static<(typeof COMBINED)[Name]['params']>, 'inputs'>

import { Type } from 'typebox'

const strict = { additionalProperties: false } as const
const Uri = Type.String({ minLength: 1, maxLength: 4096 })
const LayerName = Type.String({ minLength: 1, maxLength: 256 })

/** Weights to start from, for fine-tuning. */
const weights = Type.Optional(
  Type.Unsafe<string>({
    ...Uri,
    description:
      'start from these weights: a folder with a tfjs layers model, a .keras file, a checkpoint, or a job folder',
  }),
)

/** Keras model JSON, as `model.toJSON()` of Keras or tfjs writes it: `{class_name, config}`. */
export const LayersModel = Type.Object(
  {
    kind: Type.Literal('layers'),
    topology: Type.Optional(
      Type.Object(
        { class_name: Type.String(), config: Type.Unknown() },
        { description: 'Keras model JSON; where left out, the one that lies with the weights' },
      ),
    ),
    weights,
    fresh: Type.Optional(
      Type.Array(LayerName, {
        description: 'layers, by name or with *, that start anew although weights are given, such as a new head',
      }),
    ),
    freeze: Type.Optional(
      Type.Array(LayerName, { description: 'layers, by name or with *, whose weights stay as they are' }),
    ),
  },
  strict,
)

/** A SavedModel folder with signatures train, evaluate, predict, save, restore; `stoker model export` writes one. */
export const SavedModel = Type.Object({ kind: Type.Literal('savedModel'), uri: Uri, weights }, strict)

/** Forms of a trained model: a tfjs layers model, a `.keras` file for Python, a SavedModel folder. */
export const MODEL_FORMATS = ['tfjs', 'keras', 'savedModel'] as const
export type ModelFormat = (typeof MODEL_FORMATS)[number]

/** What each kind of model can be written as; the first one is written where the job names none. */
export const FORMATS_OF = { layers: ['tfjs', 'keras'], savedModel: ['savedModel'] } as const satisfies Readonly<
  Record<string, readonly ModelFormat[]>
>

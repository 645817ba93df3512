import { type Static, Type } from 'typebox'
import { FieldName } from './knobs.js'
import { PipelineSchema } from './pipeline.js'

const strict = { additionalProperties: false } as const
const Uri = Type.String({ minLength: 1, maxLength: 4096 })

/** Keras model JSON, as `model.toJSON()` of Keras or tfjs writes it: `{class_name, config}`. */
export const LayersModel = Type.Object(
  {
    kind: Type.Literal('layers'),
    topology: Type.Object({ class_name: Type.String(), config: Type.Unknown() }, { description: 'Keras model JSON' }),
  },
  strict,
)

/** A SavedModel folder with signatures train, evaluate, predict, save, restore; `stoker model export` writes one. */
export const SavedModel = Type.Object({ kind: Type.Literal('savedModel'), uri: Uri }, strict)

export const OPTIMIZERS = ['sgd', 'adam'] as const
export const LOSSES = ['sparseCategoricalCrossentropy', 'categoricalCrossentropy', 'meanSquaredError'] as const

/** What the trainer does with the batches. */
export const TrainSchema = Type.Object(
  {
    model: Type.Union([LayersModel, SavedModel]),
    features: Type.Optional(
      Type.Array(FieldName, { minItems: 1, description: 'fields fed to the model; all but the label where not given' }),
    ),
    label: Type.Optional(Type.String({ ...FieldName, default: 'label' })),
    optimizer: Type.Optional(
      Type.Object(
        { type: Type.Enum(OPTIMIZERS), learningRate: Type.Optional(Type.Number({ exclusiveMinimum: 0 })) },
        { ...strict, default: { type: 'adam' }, description: 'of layers models; a SavedModel carries its own' },
      ),
    ),
    loss: Type.Optional(Type.Enum(LOSSES)),
    metrics: Type.Optional(Type.Array(Type.Literal('accuracy'), { maxItems: 1 })),
    epochs: Type.Optional(Type.Integer({ minimum: 1, maximum: 1 << 30, default: 1 })),
    checkpoint: Type.Optional(
      Type.Object(
        {
          everySteps: Type.Optional(Type.Integer({ minimum: 1, default: 500 })),
          keep: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 2 })),
        },
        strict,
      ),
    ),
    validation: Type.Optional(
      Type.Object({ pipeline: PipelineSchema }, { ...strict, description: 'evaluated after each epoch' }),
    ),
  },
  strict,
)
export type Train = Static<typeof TrainSchema>
export type ModelSpec = Train['model']

import { type Static, Type } from 'typebox'
import { FieldName } from '../knobs.js'
import { PipelineSchema } from '../pipeline.js'
import { LayersModel, MODEL_FORMATS, SavedModel } from './model.js'
import { BestSchema, EarlyStoppingSchema } from './monitor.js'
import { LossSchema, MetricSchema, OutputSchema } from './objective.js'
import { OptimizerSchema } from './optimizer.js'

const strict = { additionalProperties: false } as const

/** What the trainer does with the batches. */
export const TrainSchema = Type.Object(
  {
    model: Type.Union([LayersModel, SavedModel]),
    features: Type.Optional(
      Type.Union(
        [
          Type.Array(FieldName, { minItems: 1 }),
          Type.Record(Type.String({ minLength: 1 }), FieldName, { minProperties: 1 }),
        ],
        {
          description:
            'fields fed to the model, in the order of its inputs or by their names; all but labels and weights where not given',
        },
      ),
    ),
    label: Type.Optional(
      Type.String({ ...FieldName, description: 'of a model with one output; "label" where left out' }),
    ),
    outputs: Type.Optional(
      Type.Record(Type.String({ minLength: 1 }), OutputSchema, {
        minProperties: 1,
        description: 'of a model with several outputs: name of the output to its label, loss and metrics',
      }),
    ),
    sampleWeight: Type.Optional(
      Type.String({ ...FieldName, description: 'field with the weight of each record in the loss' }),
    ),
    classWeight: Type.Optional(
      Type.Record(Type.String({ minLength: 1 }), Type.Number({ minimum: 0 }), {
        description: 'class to the weight of its records in the training loss; 1 for the rest',
      }),
    ),
    optimizer: Type.Optional(OptimizerSchema),
    loss: Type.Optional(LossSchema),
    metrics: Type.Optional(Type.Array(MetricSchema, { maxItems: 16 })),
    epochs: Type.Optional(Type.Integer({ minimum: 1, maximum: 1 << 30, default: 1 })),
    checkpoint: Type.Optional(
      Type.Object(
        {
          everySteps: Type.Optional(Type.Integer({ minimum: 1, default: 500 })),
          keep: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 2 })),
          best: Type.Optional(BestSchema),
        },
        strict,
      ),
    ),
    validation: Type.Optional(
      Type.Object({ pipeline: PipelineSchema }, { ...strict, description: 'evaluated after each epoch' }),
    ),
    earlyStopping: Type.Optional(EarlyStoppingSchema),
    onNonFiniteLoss: Type.Optional(
      Type.Enum(['fail', 'skip'], {
        default: 'fail',
        description: 'skip leaves a batch out whose loss is NaN or infinite, and tells which',
      }),
    ),
    export: Type.Optional(
      Type.Array(Type.Enum(MODEL_FORMATS), {
        minItems: 1,
        maxItems: 3,
        description: 'forms of the trained model; tfjs (layers) or savedModel where left out',
      }),
    ),
  },
  strict,
)
export type Train = Static<typeof TrainSchema>
export type ModelSpec = Train['model']

import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { FieldTaken } from '../error-table.js'
import {
  Feature,
  type FeatureSpec,
  featureField,
  SequenceFeature,
  type SequenceFeatureSpec,
  sequenceField,
} from '../features.js'
import { bytesField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { RECORD_FIELD, type Signature } from '../signature.js'

type Context = Readonly<Record<string, FeatureSpec>>
type Sequence = Readonly<Record<string, SequenceFeatureSpec>>

export const parseSequenceExample = declareOp({
  name: 'parseSequenceExample',
  kind: 'record',
  summary:
    'Parses a tf.train.SequenceExample into the features of its context and its lists of steps, as tf.io.parse_single_sequence_example.',
  params: Type.Object(
    {
      context: Type.Optional(Type.Record(FieldName, Feature)),
      sequence: Type.Record(FieldName, SequenceFeature, { minProperties: 1 }),
    },
    { additionalProperties: false },
  ),
  args: ({ context, sequence }: { readonly context?: Context; readonly sequence: Sequence }) => ({
    sequence: { ...sequence },
    ...(context ? { context: { ...context } } : {}),
  }),
  infer: (signature, { context = {}, sequence }) => {
    bytesField(signature, 'parseSequenceExample', RECORD_FIELD)
    const parsed: Record<string, Signature[string]> = {}
    for (const [name, feature] of Object.entries(context)) parsed[name] = featureField(name, feature)
    for (const [name, feature] of Object.entries(sequence)) {
      if (parsed[name]) throw FieldTaken('parseSequenceExample', name).with({ place: { field: name } })
      parsed[name] = sequenceField(name, feature)
    }
    return parsed
  },
})

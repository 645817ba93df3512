import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { SequenceMayMiss } from '../error-table.js'
import { Feature, type FeatureSpec, featureField } from '../features.js'
import { bytesField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { RECORD_FIELD, type Signature } from '../signature.js'

export const parseExample = declareOp({
  name: 'parseExample',
  kind: 'record',
  summary: 'Parses a tf.train.Example into named features, as tf.io.parse_single_example.',
  params: Type.Object(
    { features: Type.Record(FieldName, Feature, { minProperties: 1 }) },
    { additionalProperties: false },
  ),
  args: (features: Readonly<Record<string, FeatureSpec>>) => ({ features: { ...features } }),
  infer: (signature, { features }) => {
    bytesField(signature, 'parseExample', RECORD_FIELD)
    const parsed: Record<string, Signature[string]> = {}
    for (const [name, feature] of Object.entries(features)) {
      if (feature.kind === 'fixedLenSequence' && feature.allowMissing === false) {
        throw SequenceMayMiss(name).with({ place: { op: 'parseExample', field: name } })
      }
      parsed[name] = featureField(name, feature)
    }
    return parsed
  },
})

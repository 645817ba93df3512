import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { stringsField } from '../fields.js'
import { FieldName } from '../knobs.js'

export type TextUnit = 'BYTE' | 'UTF8_CHAR'
export const Unit = Type.Optional(
  Type.Union([Type.Literal('BYTE'), Type.Literal('UTF8_CHAR')], {
    default: 'BYTE',
    description: 'what is counted: bytes, or Unicode characters',
  }),
)
const Place = { minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }

export const substr = declareOp({
  name: 'substr',
  kind: 'record',
  summary: 'len units of each text from pos on, as tf.strings.substr; a negative pos counts from the end.',
  params: Type.Object(
    {
      field: FieldName,
      pos: Type.Integer(Place),
      len: Type.Integer({ ...Place, minimum: 0 }),
      unit: Unit,
    },
    { additionalProperties: false },
  ),
  args: (field: string, pos: number, len: number, options: { readonly unit?: TextUnit } = {}) => ({
    field,
    pos,
    len,
    ...options,
  }),
  infer: (signature, { field }) => {
    stringsField(signature, 'substr', field)
    return signature
  },
})

export const stringLength = declareOp({
  name: 'stringLength',
  kind: 'record',
  summary: 'The length of each text as int32, as tf.strings.length; into another field where one is named.',
  params: Type.Object(
    { field: FieldName, unit: Unit, into: Type.Optional(FieldName) },
    { additionalProperties: false },
  ),
  args: (field: string, options: { readonly unit?: TextUnit; readonly into?: string } = {}) => ({ field, ...options }),
  infer: (signature, { field, into = field }) =>
    withField(signature, into, { dtype: 'int32', shape: stringsField(signature, 'stringLength', field).shape }),
  touches: ({ field, into = field }) => [field, into],
})

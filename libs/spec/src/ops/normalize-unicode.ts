import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { stringsField } from '../fields.js'
import { FieldName } from '../knobs.js'

const FORMS = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const

export const normalizeUnicode = declareOp({
  name: 'normalizeUnicode',
  kind: 'record',
  summary: 'Brings each text into a Unicode normal form, as tensorflow_text.normalize_utf8.',
  params: Type.Object(
    { field: FieldName, form: Type.Optional(Type.Enum(FORMS, { default: 'NFKC' })) },
    { additionalProperties: false },
  ),
  args: (field: string, form?: (typeof FORMS)[number]) => ({ field, ...(form ? { form } : {}) }),
  infer: (signature, { field }) => {
    stringsField(signature, 'normalizeUnicode', field)
    return signature
  },
})

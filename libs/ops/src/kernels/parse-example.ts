import { createExampleParser, createSequenceExampleParser, parseTensorProto } from '@stoker/formats'
import { RECORD_FIELD } from '@stoker/spec'
import { bytesOf } from '../fields.js'
import type { KernelOf } from '../kernel.js'

export const parseExample: KernelOf<'parseExample'> = ({ features }) => {
  const parse = createExampleParser(features)
  return (record) => parse(bytesOf(record, 'parseExample', RECORD_FIELD))
}

export const parseSequenceExample: KernelOf<'parseSequenceExample'> = ({ context = {}, sequence }) => {
  const parse = createSequenceExampleParser(context, sequence)
  return (record) => parse(bytesOf(record, 'parseSequenceExample', RECORD_FIELD))
}

export const parseTensor: KernelOf<'parseTensor'> =
  ({ field, dtype, shape }) =>
  (record) => ({ ...record, [field]: parseTensorProto(bytesOf(record, 'parseTensor', field), dtype, shape) })

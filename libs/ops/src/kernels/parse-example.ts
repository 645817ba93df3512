import { createExampleParser } from '@stoker/formats'
import { RECORD_FIELD } from '@stoker/spec'
import { bytesOf } from '../fields.js'
import type { KernelOf } from '../kernel.js'

export const parseExample: KernelOf<'parseExample'> = ({ features }) => {
  const parse = createExampleParser(features)
  return (record) => parse(bytesOf(record, 'parseExample', RECORD_FIELD))
}

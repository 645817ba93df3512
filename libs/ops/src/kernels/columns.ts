import { fieldNamed } from '../fields.js'
import type { KernelOf } from '../kernel.js'

export const select: KernelOf<'select'> =
  ({ fields }) =>
  (record) =>
    Object.fromEntries(fields.map((field) => [field, fieldNamed(record, 'select', field)]))

export const drop: KernelOf<'drop'> = ({ fields }) => {
  const gone = new Set(fields)
  return (record) => Object.fromEntries(Object.entries(record).filter(([name]) => !gone.has(name)))
}

export const rename: KernelOf<'rename'> = ({ names }) => {
  const renamed = new Map(Object.entries(names))
  return (record) => {
    for (const field of renamed.keys()) fieldNamed(record, 'rename', field)
    return Object.fromEntries(Object.entries(record).map(([name, value]) => [renamed.get(name) ?? name, value]))
  }
}

import type { RecordFields } from '@stoker/formats'
import type { StageOf } from '@stoker/spec'
import { FilterValue } from '../error-table.js'
import { wrongField } from '../fields.js'
import type { SelectKernelOf } from '../kernel.js'

type Params = Omit<StageOf<'filter'>, 'op'>
type Wanted = number | boolean | string
type Element = number | bigint | Uint8Array

/** Keeps a record whose elements pass all tests. A field without elements passes `all` and fails `any`. */
export const filter: SelectKernelOf<'filter'> = (params) => {
  const tests = elementTests(params)
  const { field, elements = 'all', minLength = 0, maxLength = Number.POSITIVE_INFINITY } = params
  const passes = (element: Element) => tests.every((test) => test(element))
  return (record) => {
    const value = record[field]
    if (!value) throw wrongField('filter', field, 'a field', value)
    const length = lengthOf(value)
    if (length < minLength || length > maxLength) return []
    if (tests.length === 0) return [record]
    const all = elementsOf(value)
    const kept = elements === 'all' ? all.every(passes) : all.some(passes)
    return kept ? [record] : []
  }
}

/** Bytes of one text, else the first dimension; a lone number has length 1. */
function lengthOf(value: RecordFields[string]): number {
  if (value.dtype === 'string' && value.data instanceof Uint8Array) return value.data.length
  return value.shape[0] ?? 1
}

function elementsOf(value: RecordFields[string]): Element[] {
  if (value.dtype === 'string') return value.data instanceof Uint8Array ? [value.data] : [...value.data]
  return Array.from<number | bigint>(value.data as ArrayLike<number | bigint>)
}

function elementTests(params: Params): ((element: Element) => boolean)[] {
  const tests: ((element: Element) => boolean)[] = []
  const compare = (wanted: Wanted | undefined, holds: (order: number) => boolean) => {
    if (wanted !== undefined) tests.push((element) => holds(orderOf(element, wanted)))
  }
  compare(params.equals, (order) => order === 0)
  compare(params.notEquals, (order) => order !== 0)
  compare(params.lessThan, (order) => order < 0)
  compare(params.atMost, (order) => order <= 0)
  compare(params.greaterThan, (order) => order > 0)
  compare(params.atLeast, (order) => order >= 0)
  const { in: among, notIn, isFinite: finite } = params
  if (among) tests.push(memberOf(among))
  if (notIn) {
    const isMember = memberOf(notIn)
    tests.push((element) => !isMember(element))
  }
  if (finite !== undefined) {
    tests.push((element) => (typeof element !== 'number' || Number.isFinite(element)) === finite)
  }
  return tests
}

/** Below, at or above 0 as the element is less than, equal to or greater than the wanted value; NaN is unequal to all. */
function orderOf(element: Element, wanted: Wanted): number {
  if (element instanceof Uint8Array) {
    if (typeof wanted !== 'string') throw FilterValue('text', String(wanted))
    return Buffer.compare(element, Buffer.from(wanted))
  }
  const right = numberOf(wanted)
  // JavaScript compares bigint and number by exact value.
  if (element < right) return -1
  if (element > right) return 1
  return Number.isNaN(Number(element)) || Number.isNaN(Number(right)) ? Number.NaN : 0
}

function numberOf(wanted: Wanted): number | bigint {
  if (typeof wanted === 'boolean') return Number(wanted)
  if (typeof wanted === 'number') return wanted
  if (/^-?\d+$/.test(wanted)) return BigInt(wanted)
  const value = wanted.trim() === '' ? Number.NaN : Number(wanted)
  if (Number.isNaN(value)) throw FilterValue('a number', `"${wanted}"`)
  return value
}

/** One set for texts, one for whole numbers: 100,000 values cost one lookup an element. */
function memberOf(values: readonly Wanted[]): (element: Element) => boolean {
  const texts = new Set(values.filter((value) => typeof value === 'string'))
  let numbers: Set<string> | undefined
  return (element) => {
    if (element instanceof Uint8Array) return texts.has(Buffer.from(element).toString())
    numbers ??= new Set(values.map((value) => String(numberOf(value))))
    return numbers.has(String(element))
  }
}

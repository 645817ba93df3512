import { fieldView, type LookWithData, summaryOf } from '@stoker/pipeline'
import type { ErrorView } from '@stoker/spec'
import { viewText } from './error-text.js'

type Fields = NonNullable<LookWithData['fields']>
type Field = Fields[string]

/** A record for people: its fields, then after each stage what that stage changed, then what went wrong. */
export function lookText({ look, fields, stages }: LookWithData): string {
  const { shard, record, offset, part, error } = look
  const at = offset === undefined ? '' : ` at byte ${offset}`
  const which = part === undefined ? '' : `, part ${part}`
  const name = shard.replace(/:$/, '')
  const lines = [record === undefined ? name : `${name}: record ${record}${at}${which}`]
  if (fields) lines.push(...changedText({}, fields))
  let before = fields ?? {}
  for (const stage of stages) {
    lines.push(`  ${stage.op}${stage.fields ? '' : ': left out'}`)
    if (stage.fields) lines.push(...changedText(before, stage.fields).map((line) => `  ${line}`))
    before = stage.fields ?? before
  }
  if (error)
    lines.push(
      ...faultText(error)
        .split('\n')
        .map((line) => `  ${line}`),
    )
  return lines.join('\n')
}

/** The record's own place stands in the line above. */
function faultText({ code, message, place, remedy }: ErrorView): string {
  const { op, field, path } = place ?? {}
  const inner = { ...(op ? { op } : {}), ...(field ? { field } : {}), ...(path ? { path } : {}) }
  return viewText({ code, message, place: inner, ...(remedy ? { remedy } : {}) })
}

function changedText(before: Fields, after: Fields): string[] {
  const changed = Object.entries(after).filter(([name, field]) => before[name] !== field)
  const gone = Object.keys(before).filter((name) => !Object.hasOwn(after, name))
  const width = Math.max(0, ...changed.map(([name]) => name.length))
  return [
    ...changed.map(([name, field]) => `  ${name.padEnd(width)}  ${fieldText(field)}`),
    ...(gone.length > 0 ? [`  without ${gone.join(', ')}`] : []),
  ]
}

const FEW = 12
const TEXT_LENGTH = 120

/** Type, shape and values of a field; of many values the first ones, their range and a hash. */
export function fieldText(field: Field): string {
  const { dtype, shape, values, encoding, bytes, sha256 } = fieldView(field, FEW)
  const type = `${dtype}[${shape.join(',')}]`
  const few = values?.map((value) => (dtype === 'string' ? stringText(String(value), encoding) : String(value)))
  if (few && few.join(' ').length <= TEXT_LENGTH) return `${type}  ${few.join(' ')}`
  if (field.dtype === 'string') {
    const start =
      few?.length === 1 && encoding === 'utf8' ? `${JSON.stringify(values?.[0]).slice(0, TEXT_LENGTH)}...  ` : ''
    return `${type}  ${start}${bytes} bytes, sha256 ${sha256}`
  }
  return `${type}  ${numbersText(field)}, sha256 ${sha256}`
}

const stringText = (text: string, encoding: string | undefined): string =>
  encoding === 'base64' ? `base64:${text}` : JSON.stringify(text)

/** Range, mean and first values of a tensor. */
export function numbersText(tensor: Exclude<Field, { dtype: 'string' }>): string {
  const { data } = tensor
  const summary = summaryOf(tensor)
  const first = Array.from<number | bigint>(data.subarray(0, 8)).map(numberText).join(' ')
  const notFinite = summary && summary.finite < data.length ? `, ${data.length - summary.finite} not finite` : ''
  const range = summary
    ? `min ${numberText(summary.min)} max ${numberText(summary.max)} mean ${numberText(summary.mean)}${notFinite}, `
    : ''
  return `${range}first ${first}`
}

/** At most six digits after the first one; int64 exactly. */
function numberText(value: number | bigint): string {
  return typeof value === 'bigint' || Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(7)))
}

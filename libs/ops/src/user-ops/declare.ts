import { type AnyOp, OP_VERSION, OpVersionDiffers, type Signature } from '@stoker/spec'
import { type TObject, type TSchema, Type } from 'typebox'
import { UserOpInvalid } from '../error-table.js'
import type { DefinedOp } from './define.js'

type Params = Readonly<Record<string, unknown>>

const KINDS: readonly unknown[] = [undefined, 'record', 'select', 'batch']

/** @throws UserOpInvalid naming what is wrong; modules may be plain JavaScript, so nothing is sure. */
export function checkDefinition(op: DefinedOp): void {
  const wrong = (text: string) => UserOpInvalid(String(op.name), text)
  if (typeof op.name !== 'string') throw wrong('name is no text')
  if (typeof op.run !== 'function') throw wrong('run is no function')
  if (!KINDS.includes(op.kind)) throw wrong(`kind is ${JSON.stringify(op.kind)}: record, select or batch`)
  for (const name of ['infer', 'touches'] as const) {
    if (op[name] !== undefined && typeof op[name] !== 'function') throw wrong(`${name} is no function`)
  }
  if (op.version !== undefined && (typeof op.version !== 'string' || op.version === ''))
    throw wrong('version is no text')
  if (op.random && op.kind === 'select') throw wrong('a select op is run once for all epochs and cannot be random')
  for (const [name, schema] of Object.entries(op.params ?? {})) {
    if (typeof schema !== 'object' || schema === null) throw wrong(`params.${name} is no schema`)
    if (name === 'op' || name === OP_VERSION) throw wrong(`no parameter can be named "${name}"`)
  }
}

/** The op as the spec knows it. The version is a parameter with a default: it becomes part of every hash of a chain. */
export function declarationOf(op: DefinedOp, version: string): AnyOp {
  const { name, kind = 'record', summary, infer, touches, random = false } = op
  return {
    name,
    kind,
    summary: summary ?? `A ${kind} op of your own.`,
    params: schemaOf(op.params ?? {}, version),
    args: (params) => ({ ...(params as object) }),
    infer: (signature: Signature, params) => {
      const own = ownParams(name, version, params as Params)
      const inferred = infer ? infer(signature, own as never) : signature
      return checkedSignature(name, inferred)
    },
    ...(touches ? { touches: (params) => touches(ownParams(name, version, params as Params) as never) } : {}),
    ...(random ? { random } : {}),
  }
}

function schemaOf(params: Readonly<Record<string, TSchema>>, version: string): TObject {
  const properties = Object.entries(params).map(([name, schema]) => {
    return [name, 'default' in schema ? Type.Optional(schema) : schema] as const
  })
  const own = Type.Optional(
    Type.String({ default: version, description: 'version of the op, set when the job is submitted' }),
  )
  return Type.Object({ ...Object.fromEntries(properties), [OP_VERSION]: own }, { additionalProperties: false })
}

/**
 * The parameters as the op's author declared them.
 * @throws OpVersionDiffers when the chain was made with another version of the op
 */
export function ownParams(name: string, version: string, params: Params): Params {
  const { [OP_VERSION]: wanted = version, ...own } = params
  if (wanted === version) return own
  throw OpVersionDiffers(name, version, String(wanted)).with({ place: { op: name } })
}

function checkedSignature(name: string, signature: unknown): Signature {
  const isObject = typeof signature === 'object' && signature !== null && !Array.isArray(signature)
  const fields = isObject ? Object.entries(signature) : []
  const isField = (field: unknown): boolean =>
    typeof field === 'object' && field !== null && 'dtype' in field && 'shape' in field && Array.isArray(field.shape)
  if (!isObject || !fields.every(([, field]) => isField(field))) {
    throw UserOpInvalid(name, 'infer must return {field: {dtype, shape}}')
  }
  return signature as Signature
}

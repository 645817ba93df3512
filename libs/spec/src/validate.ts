import type { TSchema } from 'typebox'
import Value from 'typebox/value'
import { suggestion } from './did-you-mean.js'
import { SpecInvalid } from './error-table.js'

interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly type?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly anyOf?: readonly SchemaNode[]
  readonly items?: SchemaNode
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>
}

/** `/stages/2/size` below `pipeline` as `pipeline.stages[2].size`. */
export function jsonPath(base: string, pointer: string): string {
  let path = base
  for (const raw of pointer.split('/').slice(1)) {
    const key = raw.replaceAll('~1', '/').replaceAll('~0', '~')
    if (/^\d+$/.test(key)) path += `[${key}]`
    else if (/^[A-Za-z_][\w-]*$/.test(key)) path += path === '' ? key : `.${key}`
    else path += `[${JSON.stringify(key)}]`
  }
  return path === '' ? '(the document)' : path
}

function nodeAt(schema: SchemaNode, pointer: string): SchemaNode | undefined {
  let node: SchemaNode | undefined = schema
  for (const key of pointer.split('/').slice(1)) {
    const named: SchemaNode | undefined = node?.properties?.[key]
    node = named ?? node?.items ?? Object.values(node?.patternProperties ?? {})[0]
  }
  return node
}

/**
 * Which form of a union an object or a list is meant to be: the only one of its kind, or the one whose constants, such as
 * `type: "layers"`, it has. With several left, the names of the constants that would decide.
 */
function formOf(
  node: SchemaNode | undefined,
  value: unknown,
): SchemaNode | { readonly told: readonly string[] } | undefined {
  const type = Array.isArray(value) ? 'array' : typeof value
  if (value === null || type === 'string' || !node?.anyOf) return undefined
  const forms = node.anyOf.filter((form) => form.type === type)
  if (forms.length < 2) return forms[0]
  const constants = (form: SchemaNode) =>
    Object.entries(form.properties ?? {}).filter(([, { const: constant }]) => constant !== undefined)
  const has = (name: string) => (value as Readonly<Record<string, unknown>>)[name]
  const fitting = forms.filter((form) => constants(form).every(([name, held]) => has(name) === held.const))
  return fitting.length === 1 ? fitting[0] : { told: [...new Set(forms.flatMap(constants).map(([name]) => name))] }
}

/** What a schema takes, in words: `a whole number from 1 to 4096, or "AUTOTUNE"`. */
function describe(node: SchemaNode): string {
  if (node.anyOf) return node.anyOf.map(describe).join(', or ')
  if (node.enum) return `one of ${node.enum.map((value) => JSON.stringify(value)).join(', ')}`
  if (node.const !== undefined) return JSON.stringify(node.const)
  const noun = {
    integer: 'a whole number',
    number: 'a number',
    string: 'a text',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
  }
  const name = noun[node.type as keyof typeof noun] ?? 'another value'
  if (node.minimum !== undefined && node.maximum !== undefined) return `${name} from ${node.minimum} to ${node.maximum}`
  if (node.minimum !== undefined) return `${name} of at least ${node.minimum}`
  return name
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}

function valueAt(value: unknown, pointer: string): unknown {
  let held = value
  for (const key of pointer.split('/').slice(1)) {
    held = (held as Readonly<Record<string, unknown>> | undefined)?.[key.replaceAll('~1', '/').replaceAll('~0', '~')]
  }
  return held
}

/**
 * Checks a value against a schema.
 * @param base path of the value within the user's document, for the error.
 * @throws SpecInvalid naming the path, what stands there and what may stand there.
 */
export function validate(schema: TSchema, value: unknown, base: string): void {
  if (Value.Check(schema, value)) return
  const errors = Value.Errors(schema, value)
  const extra = errors.find((error) => error.keyword === 'additionalProperties')
  // The shallowest error says it best: those below a failed union only list its branches.
  const depth = (pointer: string) => pointer.split('/').length
  const union = errors
    .filter((error) => error.keyword === 'anyOf')
    .sort((a, b) => depth(a.instancePath) - depth(b.instancePath))[0]
  if (union) checkForm(schema as SchemaNode, value, base, union.instancePath)
  const error = extra ?? union ?? errors.find((one) => one.keyword !== 'boolean') ?? errors[0]
  if (!error) throw SpecInvalid(jsonPath(base, ''), 'does not match the schema')
  const { instancePath } = error
  const node = nodeAt(schema as SchemaNode, instancePath)
  const params = error.params as Readonly<Record<string, unknown>>
  if (error.keyword === 'additionalProperties') {
    const names = params.additionalProperties as readonly string[]
    const path = jsonPath(base, `${instancePath}/${String(names[0]).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    throw SpecInvalid(path, 'there is no such property').with({
      place: { path },
      remedy: suggestion(String(names[0]), Object.keys(node?.properties ?? {}), 'known here'),
    })
  }
  if (error.keyword === 'required') {
    const missing = (params.requiredProperties as readonly string[] | undefined)?.[0] ?? ''
    const path = jsonPath(base, `${instancePath}/${missing}`)
    const wanted = node?.properties?.[missing]
    throw SpecInvalid(path, 'is missing').with({
      place: { path },
      remedy: wanted ? `give ${describe(wanted)}` : `add ${missing}`,
    })
  }
  const path = jsonPath(base, instancePath)
  const got = shown(valueAt(value, instancePath))
  throw SpecInvalid(path, node ? `is ${got}` : `is ${got}: ${error.message}`).with({
    place: { path },
    remedy: node ? `give ${describe(node)}${node.anyOf || node.enum ? '' : `: it ${error.message}`}` : error.message,
  })
}

/** @throws SpecInvalid where the form of a union is known, or the constant that names it is wrong. */
function checkForm(schema: SchemaNode, value: unknown, base: string, pointer: string): void {
  const node = nodeAt(schema, pointer)
  const held = valueAt(value, pointer)
  const form = formOf(node, held)
  if (!form) return
  const at = pointer === '' ? base : jsonPath(base, pointer)
  if (!('told' in form)) {
    validate(form as TSchema, held, at)
    return
  }
  const [name] = form.told
  if (name === undefined) return
  const known = (node?.anyOf ?? []).map((one) => one.properties?.[name]?.const).filter((one) => one !== undefined)
  const path = jsonPath(at, `/${name}`)
  const given = (held as Readonly<Record<string, unknown>>)[name]
  throw SpecInvalid(path, given === undefined ? 'is missing' : `is ${shown(given)}`).with({
    place: { path },
    remedy: `give one of ${known.map((one) => JSON.stringify(one)).join(', ')}`,
  })
}

/** The value with absent properties set to the schema's defaults, so that one meaning has one form. */
export function withDefaults<Held extends object>(schema: object, value: Held): Held {
  const filled: Record<string, unknown> = { ...(value as Readonly<Record<string, unknown>>) }
  for (const [name, node] of Object.entries((schema as SchemaNode).properties ?? {})) {
    const held = filled[name]
    if (held === undefined && node.default !== undefined) filled[name] = node.default
    else if (held !== null && typeof held === 'object' && !Array.isArray(held) && node.properties)
      filled[name] = withDefaults(node, held)
  }
  return filled as Held
}

import { StokerError, validate } from '@stoker/spec'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import type { App } from '../app-type.js'

/*
 * Requests are checked by the checker that checks job documents, so that all errors name path, value and what may stand
 * there. A body is taken as it is: nothing is coerced, stripped or filled in. Path and query are texts: whole numbers
 * written as digits become numbers there.
 */

const NAMES = { body: 'body', params: 'path', querystring: 'query', headers: 'header' } as const

export const checkPart: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const part = (httpPart ?? 'body') as keyof typeof NAMES
  return (data: unknown) => {
    const value = part === 'body' ? data : withNumbers(schema, data)
    try {
      validate(schema, value, NAMES[part])
      return { value }
    } catch (error) {
      return { error: error instanceof Error ? error : new StokerError('STK_UNEXPECTED', String(error)) }
    }
  }
}

/** For a route whose body has a checker of its own; the schema is there for the OpenAPI page. */
export const checkAllButBody: FastifySchemaCompiler<TSchema> = (route) =>
  route.httpPart === 'body' ? (value: unknown) => ({ value }) : checkPart(route)

export function checkRequests(app: App): void {
  app.setValidatorCompiler(checkPart)
  // What a handler returns is sent as it is; tests hold it against the declared schema.
  app.setSerializerCompiler(() => (data) => JSON.stringify(data))
}

function withNumbers(schema: TSchema, data: unknown): unknown {
  const properties = (schema as { properties?: Readonly<Record<string, { type?: string }>> }).properties ?? {}
  const given = (data ?? {}) as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const isWhole = Object.hasOwn(properties, name) && properties[name]?.type === 'integer'
      return [name, isWhole && typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : value]
    }),
  )
}

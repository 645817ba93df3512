import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import type { App } from '../app-type.js'
import { BodyForbidden, BodyNotJson, BodyTooDeep } from '../error-table.js'
import { forbiddenProperty } from './forbidden-property.js'

// Far above any document that means something; far below what recursive code can take.
const MOST_DEPTH = 200

/** Reads JSON bodies; an empty one is undefined. Errors say where. */
export function readJsonBodies(app: App): void {
  const parseSafely = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    const text = body.toString()
    if (text.trim() === '') return done(null, undefined)
    if (isDeeperThan(text, MOST_DEPTH)) return done(BodyTooDeep(MOST_DEPTH))
    parseSafely(request, text, (error, value) => {
      if (error) done(notJson(text, error))
      else done(null, value)
    })
  })
}

/** Depth of brackets outside of strings; text that is no JSON gets some number too. */
function isDeeperThan(text: string, most: number): boolean {
  let depth = 0
  let inString = false
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (inString) {
      if (char === '\\') i++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '{' || char === '[') {
      if (++depth > most) return true
    } else if (char === '}' || char === ']') depth--
  }
  return false
}

/** V8's message names a position only sometimes, so a second parser that always does looks again. */
function notJson(text: string, error: Error) {
  const errors: ParseError[] = []
  parse(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false })
  const [first] = errors
  if (!first) {
    // The text is JSON, so it is a name in it that the safe parser refused.
    const path = forbiddenProperty(JSON.parse(text)) ?? error.message
    return BodyForbidden(path).with({ place: { path } })
  }
  const before = text.slice(0, first.offset).split('\n')
  const what = printParseErrorCode(first.error)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return BodyNotJson(what, before.length, (before.at(-1)?.length ?? 0) + 1, first.offset).with({
    place: { offset: first.offset },
  })
}

import { RE2JS, RE2JSException } from 're2js'
import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { stringsField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { wrongShape } from './shapes.js'

export const regexReplace = declareOp({
  name: 'regexReplace',
  kind: 'record',
  summary:
    'Replaces what a regular expression matches, as tf.strings.regex_replace: RE2 syntax, time linear in the text; \\1 in rewrite is the first group.',
  params: Type.Object(
    {
      field: FieldName,
      pattern: Type.String({ maxLength: 10_000 }),
      rewrite: Type.String({ maxLength: 10_000 }),
      replaceGlobal: Type.Optional(Type.Boolean({ default: true, description: 'false: only the first match' })),
    },
    { additionalProperties: false },
  ),
  args: (field: string, pattern: string, rewrite: string, options: { readonly replaceGlobal?: boolean } = {}) => ({
    field,
    pattern,
    rewrite,
    ...options,
  }),
  infer: (signature, { field, pattern, rewrite }) => {
    stringsField(signature, 'regexReplace', field)
    const groups = groupsOf(pattern, field)
    for (const part of rewriteParts(rewrite)) {
      if (part === undefined) {
        throw wrongShape(
          'regexReplace',
          field,
          `in rewrite "${rewrite}" a backslash must stand before a digit or a backslash`,
        )
      }
      if (typeof part === 'number' && part > groups) {
        throw wrongShape('regexReplace', field, `rewrite "${rewrite}" asks for group ${part} of ${groups}`)
      }
    }
    return signature
  },
})

function groupsOf(pattern: string, field: string): number {
  try {
    return RE2JS.compile(pattern).groupCount()
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    throw wrongShape('regexReplace', field, `RE2 does not take the pattern: ${error.message}`)
  }
}

/** RE2's rewrite string: literal text, and \0 to \9 for groups; undefined for a backslash that means nothing. */
export function rewriteParts(rewrite: string): (string | number | undefined)[] {
  return rewrite.split(/(\\[\s\S]?)/).map((part) => {
    if (!part.startsWith('\\')) return part
    if (part === '\\\\') return '\\'
    return /^\\\d$/.test(part) ? Number(part[1]) : undefined
  })
}

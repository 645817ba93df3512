import { rewriteParts } from '@stoker/spec'
import { type Matcher, RE2JS } from 're2js'
import { encodeUtf8, startsChar } from './strings.js'

export type Replace = (text: Uint8Array) => Uint8Array

/**
 * `tf.strings.regex_replace`: RE2 on the bytes of the text. Pattern and rewrite are checked when the spec is.
 * Source of the walk over empty matches: RE2::GlobalReplace in re2/re2.cc.
 */
export function regexReplacer(pattern: string, rewrite: string, replaceGlobal: boolean): Replace {
  const compiled = RE2JS.compile(pattern)
  const parts = rewriteParts(rewrite).map((part) => (typeof part === 'string' ? encodeUtf8(part) : (part ?? 0)))
  const rewritten = (match: Matcher, text: Uint8Array): Uint8Array[] =>
    parts.map((part) => {
      if (typeof part !== 'number') return part
      const start = match.start(part)
      return start < 0 ? new Uint8Array(0) : text.subarray(start, match.end(part))
    })
  return (text) => {
    const match = compiled.matcher(text)
    const out: Uint8Array[] = []
    let at = 0
    let lastEnd = -1
    while (at <= text.length && match.find(at)) {
      const start = match.start()
      const end = match.end()
      if (at < start) out.push(text.subarray(at, start))
      if (start === end && start === lastEnd) {
        // An empty match right behind a match does not count: one character is passed over.
        const next = start + charLength(text, start)
        out.push(text.subarray(start, next))
        at = next
        continue
      }
      out.push(...rewritten(match, text))
      at = end
      lastEnd = end
      if (!replaceGlobal) break
    }
    if (lastEnd < 0) return text
    if (at < text.length) out.push(text.subarray(at))
    return Buffer.concat(out)
  }
}

/** Bytes of the UTF-8 character at a place; 1 where there is none. */
function charLength(text: Uint8Array, at: number): number {
  const lead = text[at] ?? 0
  const length =
    lead >= 0xf0 && lead <= 0xf4 ? 4 : lead >= 0xe0 && lead < 0xf0 ? 3 : lead >= 0xc2 && lead < 0xe0 ? 2 : 1
  for (let next = 1; next < length; next++) {
    if (at + next >= text.length || startsChar(text[at + next])) return 1
  }
  return length
}

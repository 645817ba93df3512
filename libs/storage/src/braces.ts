import { BadUri } from './error-table.js'

const MAX_ALTERNATIVES = 1000

/**
 * `a{b,c{d,e}}` as `ab`, `acd`, `ace`. A brace without a comma or without its partner is a plain character.
 *
 * @throws BadUri when the braces stand for more than 1000 alternatives
 */
export function expandBraces(pattern: string): string[] {
  const found = outerBraces(pattern)
  if (!found) return [pattern]
  const { before, choices, after } = found
  const tails = expandBraces(after)
  const made = choices.flatMap(expandBraces).flatMap((choice) => tails.map((tail) => before + choice + tail))
  if (made.length > MAX_ALTERNATIVES) throw BadUri(pattern, `its braces stand for more than ${MAX_ALTERNATIVES} names`)
  return [...new Set(made)]
}

function outerBraces(pattern: string): { before: string; choices: string[]; after: string } | undefined {
  for (let open = nextPlain(pattern, '{', 0); open >= 0; open = nextPlain(pattern, '{', open + 1)) {
    const cuts = [open]
    let depth = 0
    for (let at = open; at < pattern.length; at++) {
      const char = pattern[at]
      if (char === '\\') at++
      else if (char === '{') depth++
      else if (char === ',' && depth === 1) cuts.push(at)
      else if (char === '}' && --depth === 0) {
        if (cuts.length === 1) break
        const ends = [...cuts.slice(1), at]
        const choices = cuts.map((cut, index) => pattern.slice(cut + 1, ends[index]))
        return { before: pattern.slice(0, open), choices, after: pattern.slice(at + 1) }
      }
    }
  }
  return undefined
}

function nextPlain(text: string, char: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === char) return at
  }
  return -1
}

import { expandBraces } from './braces.js'
import { BadUri } from './error-table.js'

// Patterns mean what they mean to tf.io.gfile.glob, which is fnmatch(3) with FNM_PATHNAME and without FNM_PERIOD:
//   *  any run of characters but `/` (a leading dot too)     ?  one character but `/`
//   [abc] [a-z] [!a] [^a]  one character of (not of) a set   \x the character x itself
// and beyond it:  **  as a whole segment, any number of segments, none included     {a,b}  either, nested or not.
// Written here for two reasons: the usual glob packages read (, +, ! and @ as operators, which are plain characters in
// file names, and they make a backtracking regular expression of a text that comes from a client. Here matching a
// segment of n characters against m tokens costs at most n·m steps.

const MAX_PATTERN_CHARS = 4096

export interface Glob {
  /** Whether a path (or key) as a whole matches. */
  matches(path: string): boolean
  /** One list of segments for each alternative of the braces, for walking a tree folder by folder. */
  readonly alternatives: readonly (readonly GlobSegment[])[]
}

export type GlobSegment =
  | { readonly kind: 'literal'; readonly name: string }
  | { readonly kind: 'pattern'; readonly matches: (name: string) => boolean }
  | typeof ANY_DEPTH

export const ANY_DEPTH = { kind: 'any-depth' } as const

export function hasGlob(text: string): boolean {
  return /[*?[{\\]/.test(text)
}

/** What every match begins with: the text before the first special character. */
export function literalPrefix(pattern: string): string {
  return pattern.slice(0, pattern.search(/[*?[{\\]|$/))
}

/** @throws BadUri when it is longer than 4096 characters, or its braces stand for more than 1000 alternatives */
export function parseGlob(pattern: string): Glob {
  if (pattern.length > MAX_PATTERN_CHARS) throw BadUri(`${pattern.slice(0, 40)}…`, 'it is longer than 4096 characters')
  const alternatives = expandBraces(pattern).map((text) => {
    const segments = text.split('/').map(toSegment)
    // At the end, `**` means every file at any depth, but not the folder before it.
    return segments.at(-1) === ANY_DEPTH ? [...segments, toSegment('*')] : segments
  })
  return {
    alternatives,
    matches: (path) => {
      const names = path.split('/')
      return alternatives.some((segments) =>
        wildcardMatches(segments, names, (segment) => segment === ANY_DEPTH, segmentMatches),
      )
    },
  }
}

export function segmentMatches(segment: GlobSegment, name: string): boolean {
  if (segment.kind === 'literal') return segment.name === name
  return segment.kind === 'pattern' && segment.matches(name)
}

function toSegment(text: string): GlobSegment {
  if (text === '**') return ANY_DEPTH
  if (!hasGlob(text)) return { kind: 'literal', name: text }
  const tokens = tokensOf(text)
  const isRun = (token: Token) => token === RUN
  const matchesOne = (token: Token, char: string) => token !== RUN && token(char)
  return { kind: 'pattern', matches: (name) => wildcardMatches(tokens, [...name], isRun, matchesOne) }
}

const RUN = '*'
type Token = typeof RUN | ((char: string) => boolean)

function tokensOf(segment: string): Token[] {
  const tokens: Token[] = []
  // A `]` right after the opening (and its negation) belongs to the set; a backslash in a set takes the next as it is.
  const syntax = /\\(.)|\[([!^]?)(\]?(?:\\.|[^\]\\])*)\]|(\*+)|(\?)|(.)/gsu
  for (const [, escaped, negation, set, run, one, plain] of segment.matchAll(syntax)) {
    if (run !== undefined) tokens.push(RUN)
    else if (one !== undefined) tokens.push(() => true)
    else if (set !== undefined && set !== '') tokens.push(charSet(set, negation !== ''))
    else if (set !== undefined) for (const char of `[${negation}]`) tokens.push((other) => other === char)
    else tokens.push((other) => other === (escaped ?? plain))
  }
  return tokens
}

function charSet(set: string, isNegated: boolean): (char: string) => boolean {
  // Each member with whether it was escaped; a plain dash between two members makes a range of code points.
  const members = [...set.matchAll(/\\(.)|(.)/gsu)].map(([, escaped, plain]) => ({
    code: (escaped ?? plain ?? '').codePointAt(0) ?? 0,
    isDash: plain === '-',
  }))
  const ranges: [number, number][] = []
  for (let at = 0; at < members.length; at++) {
    const [from, dash, to] = members.slice(at, at + 3)
    if (!from) continue
    if (dash?.isDash && to) {
      ranges.push([from.code, to.code])
      at += 2
    } else ranges.push([from.code, from.code])
  }
  return (char) => {
    const code = char.codePointAt(0) ?? 0
    return ranges.some(([from, to]) => from <= code && code <= to) !== isNegated
  }
}

/** Whether tokens match all items, where a run token stands for any number of items. Only the last run is revisited. */
function wildcardMatches<T, I>(
  tokens: readonly T[],
  items: readonly I[],
  isRun: (token: T) => boolean,
  matchesOne: (token: T, item: I) => boolean,
): boolean {
  let token = 0
  let item = 0
  let run = -1
  let resumeAt = 0
  while (item < items.length) {
    const current = tokens[token]
    if (current !== undefined && isRun(current)) {
      run = token++
      resumeAt = item
    } else if (current !== undefined && matchesOne(current, items[item] as I)) {
      token++
      item++
    } else if (run >= 0) {
      token = run + 1
      item = ++resumeAt
    } else return false
  }
  while (token < tokens.length && isRun(tokens[token] as T)) token++
  return token === tokens.length
}

import { expandBraces } from './braces.js'
import { BadSetting, OutsidePlaces, withoutLogin } from './error-table.js'
import { hasGlob, literalPrefix } from './glob.js'
import { webAddress } from './http/web-address.js'
import { parseBucketUri, schemeOf } from './uri.js'

/*
 * Where `s3:`, `gs:`, `https:` and `http:` may go, as prefixes of whole path segments: `s3://data/train` allows itself and
 * `s3://data/train/...`, not `s3://data/train-2`. `s3:` alone allows all that the credentials do. Folders of `file:` are
 * a matter of links and so of their own: see Roots.
 */
export interface AllowedPlaces {
  /** The name of one object, or a folder. @throws OutsidePlaces */
  check(uri: string): void
  /** A pattern: nothing outside may be able to match it. @throws OutsidePlaces */
  checkPattern(pattern: string): void
}

interface Place {
  /** `s3://bucket`, `https://host:port`, or a scheme alone, such as `s3:`. */
  readonly origin: string
  /** Without slashes at its ends; empty for all. */
  readonly path: string
}

const EVERYWHERE: AllowedPlaces = { check: () => {}, checkPattern: () => {} }
const SCHEME_ALONE = /^(s3|gs|https?):$/

/** @param prefixes undefined: anywhere. What else they may be: see `allowedPrefixesOf`. */
export function createAllowedPlaces(prefixes: readonly string[] | undefined): AllowedPlaces {
  if (prefixes === undefined) return EVERYWHERE
  const allowed = prefixes.map((prefix) => (SCHEME_ALONE.test(prefix) ? { origin: prefix, path: '' } : placeOf(prefix)))

  const isWithin = ({ origin, path }: Place, isExact: boolean): boolean =>
    allowed.some((place) => {
      if (SCHEME_ALONE.test(place.origin)) return origin.startsWith(`${place.origin}//`)
      if (place.origin !== origin || climbs(path)) return false
      return place.path === '' || path.startsWith(`${place.path}/`) || (isExact && path === place.path)
    })
  const refuse = (uri: string) =>
    OutsidePlaces(uri, prefixes.join(', ') || 'none is allowed').with({ place: { shard: uri } })

  const check = (uri: string) => {
    if (schemeOf(uri) !== 'file' && !isWithin(placeOf(uri), true)) throw refuse(uri)
  }
  return {
    check,
    checkPattern: (pattern) => {
      const scheme = schemeOf(pattern)
      if (scheme === 'file') return
      if (scheme === 'http') return check(pattern)
      const { origin } = placeOf(pattern)
      for (const key of expandBraces(parseBucketUri(pattern).key)) {
        // Dots are looked for in the whole, not only before the first special character.
        const start = { origin, path: hasGlob(key) ? literalPrefix(key) : key.replace(/\/+$/, '') }
        if (climbs(key) || !isWithin(start, !hasGlob(key))) throw refuse(pattern)
      }
    },
  }
}

/**
 * Reads STOKER_SOURCES.
 *
 * @param store URI prefix of what Stoker keeps, which is always allowed
 * @returns undefined where the variable is not set
 * @throws BadSetting
 */
export function allowedPrefixesOf(text: string | undefined, store: string | undefined): string[] | undefined {
  if (text === undefined || text.trim() === '') return undefined
  const given = text.split(',').map((prefix) => prefix.trim())
  if (!given.every(isPrefix)) {
    throw BadSetting(
      'STOKER_SOURCES',
      withoutLogin(text),
      'prefixes such as s3://bucket/folder, gs://bucket or https://host/folder, or s3: for all of a scheme, separated by ","',
    )
  }
  return store === undefined || store.startsWith('file:') ? given : [...given, store]
}

function isPrefix(prefix: string): boolean {
  if (SCHEME_ALONE.test(prefix)) return true
  if (!/^(s3|gs|https?):\/\/[^/]/.test(prefix) || /[*?[\]{}\\#\s]/.test(prefix)) return false
  try {
    return !climbs(placeOf(prefix).path)
  } catch {
    return false
  }
}

/** @throws BadUri */
function placeOf(uri: string): Place {
  if (schemeOf(uri) === 'http') {
    const { origin, pathname } = new URL(webAddress(uri))
    return { origin, path: trimmed(decoded(pathname)) }
  }
  const { scheme, bucket, key } = parseBucketUri(uri)
  return { origin: `${scheme}://${bucket}`, path: trimmed(key) }
}

const trimmed = (path: string): string => path.replace(/^\/+|\/+$/g, '')

/** A server may take `%2e%2e%2f` for `../`, and some decode twice. */
function decoded(path: string): string {
  for (let at = path, times = 0; times < 4; times++) {
    const next = decodeOnce(at)
    if (next === at) return at
    at = next
  }
  return '..'
}

function decodeOnce(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Servers over folders, and proxies, may go up where a name has such segments. */
const climbs = (path: string): boolean => path.split(/[/\\]/).some((segment) => segment === '..' || segment === '.')

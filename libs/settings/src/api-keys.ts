import { createHash, randomBytes } from 'node:crypto'
import { ApiKeysInvalid } from './error-table.js'

/** What a key may do. `admin` holds the others. */
export const SCOPES = ['jobs:read', 'jobs:write', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** A key as the api knows it: its hash only, so that neither memory dumps of settings nor logs hold the key. */
export interface ApiKey {
  readonly name: string
  readonly scopes: readonly Scope[]
  /** SHA-256 of the key's UTF-8 bytes, 32 bytes. Keys are long and random, so there is nothing to salt. */
  readonly sha256: Uint8Array
}

const NAME = /^[\w.-]{1,64}$/
const HASH = /^sha256:([\da-f]{64})$/i
const LEAST_KEY_CHARACTERS = 32
const KEY_BYTES = 32

/**
 * Reads keys, one a line (or separated by `;`): `name scope,scope sha256:HASH`, or the key itself instead of its hash.
 * Empty lines and lines that start with `#` are left out.
 *
 * @param from what the text was read from, for errors, which never show the text
 * @throws ApiKeysInvalid
 */
export function parseApiKeys(text: string, from: string): ApiKey[] {
  const keys: ApiKey[] = []
  text.split(/[\n;]/).forEach((line, index) => {
    const words = line.trim().split(/\s+/)
    if (words[0] === '' || words[0]?.startsWith('#')) return
    const refuse = (why: string) => ApiKeysInvalid(from, index + 1, why)
    const [name = '', scopes = '', key = ''] = words
    if (words.length !== 3) throw refuse(`${words.length} words instead of three: name, scopes, key`)
    if (!NAME.test(name)) throw refuse('the name is not made of up to 64 letters, digits, ".", "_" and "-"')
    if (keys.some((known) => known.name === name)) throw refuse(`the name ${name} is given twice`)
    keys.push({ name, scopes: scopesOf(scopes, refuse), sha256: hashOf(key, refuse) })
  })
  return keys
}

function scopesOf(text: string, refuse: (why: string) => Error): Scope[] {
  return text.split(',').map((word) => {
    const scope = SCOPES.find((known) => known === word)
    if (scope === undefined) throw refuse(`the scopes are not some of ${SCOPES.join(', ')}, separated by ","`)
    return scope
  })
}

function hashOf(key: string, refuse: (why: string) => Error): Uint8Array {
  const hash = HASH.exec(key)?.[1]
  if (hash !== undefined) return Buffer.from(hash, 'hex')
  if (/^sha256:/i.test(key)) throw refuse('sha256: is not followed by 64 hexadecimal digits')
  if (key.length < LEAST_KEY_CHARACTERS) throw refuse(`the key is shorter than ${LEAST_KEY_CHARACTERS} characters`)
  return sha256(key)
}

export const sha256 = (key: string): Uint8Array => createHash('sha256').update(key).digest()

/** A new key (256 random bits) and the line that makes the api know it. @throws ApiKeysInvalid for a bad name or scope */
export function makeApiKey(name: string, scopes: readonly string[]): { readonly key: string; readonly line: string } {
  const key = `stk_${randomBytes(KEY_BYTES).toString('base64url')}`
  const line = `${name} ${scopes.join(',')} sha256:${Buffer.from(sha256(key)).toString('hex')}`
  parseApiKeys(line, 'the new key')
  return { key, line }
}

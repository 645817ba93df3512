import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { makeApiKey, parseApiKeys } from '../src/index.js'

const KEY = 'a-key-that-is-long-enough-to-be-random'
const HASH = createHash('sha256').update(KEY).digest('hex')

describe('api keys', () => {
  it('are read as hashes or as themselves, from lines or between semicolons', () => {
    const lines = `# who may do what\n\nread jobs:read sha256:${HASH}\n  both jobs:read,jobs:write   ${KEY}  \r\n`
    const keys = parseApiKeys(lines, 'a file')
    expect(keys.map(({ name, scopes }) => [name, scopes])).toEqual([
      ['read', ['jobs:read']],
      ['both', ['jobs:read', 'jobs:write']],
    ])
    for (const { sha256 } of keys) expect(Buffer.from(sha256).toString('hex')).toBe(HASH)
    expect(parseApiKeys(`a admin ${KEY};b admin sha256:${HASH.toUpperCase()}`, 'x').map(({ name }) => name)).toEqual([
      'a',
      'b',
    ])
  })

  it.each([
    [`ok admin sha256:${HASH}\nx admin`, 'line 2: 2 words instead of three'],
    [`x admin ${KEY} more`, 'line 1: 4 words'],
    [`x jobs:all ${KEY}`, 'line 1: the scopes are not some of jobs:read, jobs:write, admin'],
    [`x admin, ${KEY}`, 'the scopes are not some of'],
    ['x admin short-secret', 'the key is shorter than 32 characters'],
    [`x admin sha256:${HASH.slice(2)}`, 'not followed by 64 hexadecimal digits'],
    [`x/y admin ${KEY}`, 'the name is not made of'],
    [`x admin ${KEY}\nx admin ${KEY}2`, 'line 2: the name x is given twice'],
  ])('are refused with the line and the reason, never with the key: %#', (text, message) => {
    let told = ''
    try {
      parseApiKeys(text, 'STOKER_API_KEYS')
    } catch (error) {
      told = `${error}`
    }
    expect(told).toContain('STOKER_API_KEYS, line ')
    expect(told).toContain(message)
    expect(told).not.toMatch(/short-secret|a-key-that/)
    expect(told.toLowerCase()).not.toContain(HASH.slice(2, 20))
  })

  it('are made of 256 random bits, with the line that the api reads', () => {
    const made = makeApiKey('ci', ['jobs:read', 'jobs:write'])
    expect(made.key).toMatch(/^stk_[\w-]{43}$/)
    const [known] = parseApiKeys(made.line, 'x')
    expect(known).toMatchObject({ name: 'ci', scopes: ['jobs:read', 'jobs:write'] })
    expect(Buffer.from(known?.sha256 ?? []).toString('hex')).toBe(createHash('sha256').update(made.key).digest('hex'))
    expect(makeApiKey('ci', ['admin']).key).not.toBe(made.key)
    expect(() => makeApiKey('ci', ['everything'])).toThrow('the scopes are not some of')
  })
})

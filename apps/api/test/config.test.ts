import { describe, expect, it } from 'vitest'
import { toConfig } from '../src/config.js'

describe('toConfig', () => {
  it('binds to loopback and takes 8 MiB unless told otherwise', () => {
    expect(toConfig({})).toMatchObject({ host: '127.0.0.1', port: 7070, bodyLimitBytes: 8 * 2 ** 20 })
    expect(toConfig({ STOKER_HOST: '::1', STOKER_PORT: '80' })).toMatchObject({ host: '::1', port: 80 })
  })

  it.each([
    [{ STOKER_PORT: '70a' }, 'STOKER_PORT="70a": expected an integer from 0 to 65535'],
    [{ STOKER_PORT: '65536' }, 'STOKER_PORT="65536": expected an integer from 0 to 65535'],
    [{ STOKER_PORT: '0x10' }, 'STOKER_PORT="0x10": expected an integer'],
    [{ STOKER_BODY_LIMIT: '8 parsecs' }, 'STOKER_BODY_LIMIT="8 parsecs": expected a size'],
    [{ STOKER_LOG_LEVEL: 'loud' }, 'STOKER_LOG_LEVEL="loud": expected one of fatal'],
    [{ STOKER_STORE: 'file:relative' }, 'STOKER_STORE="file:relative": expected file:///absolute/folder'],
  ])('stops at a bad value with name, value and what is allowed: %j', (env, message) => {
    expect(() => toConfig(env)).toThrow(message)
  })
})

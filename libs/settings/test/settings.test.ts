import { describe, expect, it } from 'vitest'
import { createSettings, pickEnv } from '../src/index.js'

const read = (env: Record<string, string>) => createSettings(pickEnv(env, ['STOKER_A', 'STOKER_B'] as const))

describe('settings', () => {
  it('take the default where a variable is not set or empty', () => {
    for (const settings of [read({}), read({ STOKER_A: '', STOKER_STORE: '', STOKER_REDIS_URL: '' })]) {
      expect(settings.whole('STOKER_A', 3, { least: 1, most: 9 })).toBe(3)
      expect(settings.bytes('STOKER_A', '2KiB', 1 << 20)).toBe(2048)
      expect(settings.flag('STOKER_A', true)).toBe(true)
      expect(settings.text('STOKER_A', 'x')).toBe('x')
      expect(settings.redisUrl()).toBe('redis://127.0.0.1:6379')
      expect(settings.logLevel()).toBe('info')
      expect(settings.storage().store).toBe(`file://${process.cwd()}/.stoker/store`)
    }
  })

  it('read what is set', () => {
    const settings = read({
      STOKER_A: '7',
      STOKER_B: '1.5MiB',
      STOKER_STORE: 's3://bucket/x//',
      STOKER_LOG_LEVEL: 'warn',
    })
    expect(settings.whole('STOKER_A', 3, { least: 1, most: 9 })).toBe(7)
    expect(settings.bytes('STOKER_B', '1MiB', 2 ** 30)).toBe(1.5 * 2 ** 20)
    expect(settings.logLevel()).toBe('warn')
    expect(settings.storage()).toMatchObject({ store: 's3://bucket/x', storage: { fileRoots: [] } })
    expect(read({ STOKER_A: '0' }).flag('STOKER_A', true)).toBe(false)
  })

  it('put the authorities of Redis into its address, and refuse them without TLS', () => {
    const url = (address: string) => read({ STOKER_REDIS_URL: address, STOKER_REDIS_CA_FILE: '/a b.pem' }).redisUrl()
    expect(url('rediss://u:p?x@host')).toBe('rediss://u:p?x@host?ca=%2Fa%20b.pem')
    expect(url('rediss://host/1?y=z')).toBe('rediss://host/1?y=z&ca=%2Fa%20b.pem')
    expect(() => url('redis://host')).toThrow('STOKER_REDIS_CA_FILE="/a b.pem": expected a rediss:// address')
  })

  it('know only the shared names and their own', () => {
    expect(pickEnv({ STOKER_A: '1', HOME: '/root', STOKER_STORE: 's3://b' }, ['STOKER_A'])).toEqual({
      STOKER_A: '1',
      STOKER_STORE: 's3://b',
    })
  })

  const whole = (value: string) => () => read({ STOKER_A: value }).whole('STOKER_A', 3, { least: 1, most: 9 })
  const bytes = (value: string) => () => read({ STOKER_A: value }).bytes('STOKER_A', '1MiB', 2 ** 30)
  it.each([
    ['12x', whole('12x'), 'STOKER_A="12x": expected an integer from 1 to 9'],
    ['10', whole('10'), 'STOKER_A="10": expected an integer from 1 to 9'],
    ['1e0', whole('1e0'), 'STOKER_A="1e0": expected an integer'],
    ['-1', whole('-1'), 'STOKER_A="-1": expected an integer'],
    ['much', bytes('much'), 'STOKER_A="much": expected a size from 1B to 1GiB, such as "1MiB"'],
    ['2GiB', bytes('2GiB'), 'STOKER_A="2GiB": expected a size from 1B to 1GiB'],
    [
      'yes',
      () => read({ STOKER_A: 'yes' }).flag('STOKER_A', false),
      'STOKER_A="yes": expected one of true, false, 1, 0',
    ],
    ['loud', () => read({ STOKER_LOG_LEVEL: 'loud' }).logLevel(), 'STOKER_LOG_LEVEL="loud": expected one of fatal'],
    ['file:x', () => read({ STOKER_STORE: 'file:x' }).storage(), 'STOKER_STORE="file:x": expected file:///absolute'],
  ])('refuse %s with name, value and what is allowed', (_, work, message) => {
    expect(work).toThrow(message)
  })
})

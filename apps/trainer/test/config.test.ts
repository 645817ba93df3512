import { expect, it } from 'vitest'
import { toConfig } from '../src/config.js'

it('has a default for everything', () => {
  const config = toConfig({})
  expect(config).toMatchObject({
    redisUrl: 'redis://127.0.0.1:6379',
    ringBytes: 512 << 20,
    ringSlots: 8,
    graceMs: 20_000,
    lockMs: 10_000,
    logLevel: 'info',
  })
  expect(config.store).toBe(`file://${process.cwd()}/.stoker/store`)
  expect(config.health).toBeUndefined()
})

it.each([
  [{ STOKER_TRAINER_RING: 'much' }, 'STOKER_TRAINER_RING="much": expected a size from 1B to 1TiB, such as "512MiB"'],
  [{ STOKER_TRAINER_RING_SLOTS: '12x' }, 'STOKER_TRAINER_RING_SLOTS="12x": expected an integer from 2 to 1024'],
  [{ STOKER_TRAINER_GRACE_MS: '-1' }, 'STOKER_TRAINER_GRACE_MS="-1": expected an integer from 0 to 3600000'],
  [{ STOKER_TRAINER_HEALTH: 'there' }, 'STOKER_TRAINER_HEALTH="there": expected a port, or host:port'],
  [{ STOKER_TRAINER_HEALTH: '70000' }, 'STOKER_TRAINER_HEALTH="70000": expected a port, or host:port'],
  [
    { STOKER_LOG_LEVEL: 'loud' },
    'STOKER_LOG_LEVEL="loud": expected one of fatal, error, warn, info, debug, trace, silent',
  ],
])('refuses %j and says what is allowed', (env, message) => {
  expect(() => toConfig(env)).toThrow(message)
})

it('reads where health is served', () => {
  expect(toConfig({ STOKER_TRAINER_HEALTH: '8081' }).health).toEqual({ host: '127.0.0.1', port: 8081 })
  expect(toConfig({ STOKER_TRAINER_HEALTH: '0.0.0.0:80' }).health).toEqual({ host: '0.0.0.0', port: 80 })
  expect(toConfig({ STOKER_TRAINER_HEALTH: '[::]:80' }).health).toEqual({ host: '::', port: 80 })
})

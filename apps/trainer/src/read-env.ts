const NAMES = [
  'STOKER_REDIS_URL',
  'STOKER_STORE',
  'STOKER_FILE_ROOTS',
  'STOKER_S3_ENDPOINT',
  'STOKER_S3_REGION',
  'STOKER_S3_PATH_STYLE',
  'STOKER_TRAINER_RING',
  'STOKER_TRAINER_RING_SLOTS',
  'STOKER_TRAINER_GRACE_MS',
  'STOKER_TRAINER_LOCK_MS',
  'STOKER_TRAINER_HEALTH',
  'STOKER_LOG_LEVEL',
] as const

export type Env = Readonly<Partial<Record<(typeof NAMES)[number], string>>>

/** The variables the trainer knows, as they are set. The engine and the AWS credential chain read their own. */
export function readEnv(): Env {
  const set = NAMES.flatMap((name) => {
    const value = process.env[name]
    return value === undefined || value === '' ? [] : [[name, value]]
  })
  return Object.fromEntries(set) as Env
}

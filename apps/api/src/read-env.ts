const NAMES = [
  'STOKER_REDIS_URL',
  'STOKER_STORE',
  'STOKER_FILE_ROOTS',
  'STOKER_S3_ENDPOINT',
  'STOKER_S3_REGION',
  'STOKER_S3_PATH_STYLE',
  'STOKER_HOST',
  'STOKER_PORT',
  'STOKER_BODY_LIMIT',
  'STOKER_PREVIEW_TIMEOUT_MS',
  'STOKER_LOG_LEVEL',
] as const

export type Env = Readonly<Partial<Record<(typeof NAMES)[number], string>>>

/** The variables the api knows, as they are set. The AWS credential chain reads its own. */
export function readEnv(): Env {
  const set = NAMES.flatMap((name) => {
    const value = process.env[name]
    return value === undefined || value === '' ? [] : [[name, value]]
  })
  return Object.fromEntries(set) as Env
}

/** The variables that are set, by name. */
export type Env<Name extends string = string> = Readonly<Partial<Record<Name, string>>>

/** What all apps know: where Redis, the store and its objects are. */
const SHARED = [
  ...([
    'STOKER_REDIS_URL',
    'STOKER_REDIS_CA_FILE',
    'STOKER_STORE',
    'STOKER_FILE_ROOTS',
    'STOKER_SOURCES',
    'STOKER_LOG_LEVEL',
    'STOKER_OPS',
  ] as const),
  ...(['STOKER_S3_ENDPOINT', 'STOKER_S3_REGION', 'STOKER_S3_PATH_STYLE', 'STOKER_HTTP_PRIVATE'] as const),
  ...(['STOKER_GS_ENDPOINT', 'STOKER_GS_ACCESS_KEY_ID', 'STOKER_GS_SECRET_ACCESS_KEY'] as const),
]
export type SharedName = (typeof SHARED)[number]

/** The shared variables and an app's own, as they are set. Libraries (the AWS credential chain) read their own. */
export function pickEnv<Name extends string>(
  env: Readonly<Record<string, string | undefined>>,
  own: readonly Name[],
): Env<Name | SharedName> {
  const set = [...SHARED, ...own].flatMap((name) => {
    const value = env[name]
    return value === undefined || value === '' ? [] : [[name, value]]
  })
  return Object.fromEntries(set) as Env<Name | SharedName>
}

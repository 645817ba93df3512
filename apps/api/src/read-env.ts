import { pickEnv } from '@stoker/settings'

const OWN = [
  ...(['STOKER_HOST', 'STOKER_PORT', 'STOKER_BODY_LIMIT', 'STOKER_PREVIEW_TIMEOUT_MS'] as const),
  ...(['STOKER_API_KEYS', 'STOKER_API_KEYS_FILE', 'STOKER_RATE_LIMIT'] as const),
  ...(['STOKER_TLS_CERT_FILE', 'STOKER_TLS_KEY_FILE'] as const),
]

export type Env = ReturnType<typeof readEnv>

/** The variables the api knows, as they are set. */
export const readEnv = () => pickEnv(process.env, OWN)

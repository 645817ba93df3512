import { pickEnv } from '@stoker/settings'

const OWN = ['STOKER_HOST', 'STOKER_PORT', 'STOKER_BODY_LIMIT', 'STOKER_PREVIEW_TIMEOUT_MS'] as const

export type Env = ReturnType<typeof readEnv>

/** The variables the api knows, as they are set. */
export const readEnv = () => pickEnv(process.env, OWN)

import { pickEnv } from '@stoker/settings'

const OWN = [
  ...(['STOKER_WORKER_PARALLELISM', 'STOKER_WORKER_CACHE'] as const),
  ...(['STOKER_WORKER_DRAIN', 'STOKER_WORKER_GRACE_MS', 'STOKER_OP_TIMEOUT_MS'] as const),
]

export type Env = ReturnType<typeof readEnv>

/** The variables the worker knows, as they are set. */
export const readEnv = () => pickEnv(process.env, OWN)

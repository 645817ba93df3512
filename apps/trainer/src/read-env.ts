import { pickEnv } from '@stoker/settings'

const OWN = [
  ...(['STOKER_TRAINER_RING', 'STOKER_TRAINER_RING_SLOTS', 'STOKER_TRAINER_HEALTH'] as const),
  ...(['STOKER_TRAINER_GRACE_MS', 'STOKER_TRAINER_LOCK_MS'] as const),
]

export type Env = ReturnType<typeof readEnv>

/** The variables the trainer knows, as they are set. The engine reads its own. */
export const readEnv = () => pickEnv(process.env, OWN)

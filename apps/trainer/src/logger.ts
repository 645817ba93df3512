import { destination, pino } from 'pino'

/** JSON lines on standard output, written at once: both threads write, and the last line before a crash must be out. */
export const createLogger = (level: string, thread: 'engine' | 'io') =>
  pino({ name: 'trainer', level, base: { name: 'trainer', thread } }, destination({ fd: 1, sync: true }))
export type Logger = ReturnType<typeof createLogger>

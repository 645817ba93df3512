import { pino } from 'pino'

/** JSON lines on standard output. */
export const createLogger = (level: string) => pino({ name: 'api', level })
export type Logger = ReturnType<typeof createLogger>

import { toStokerError } from '@stoker/spec'
import { toConfig } from './config.js'
import { createContext } from './context.js'
import { createLogger } from './logger.js'
import { readEnv } from './read-env.js'
import { createTrainer } from './trainer.js'

try {
  const context = createContext(toConfig(readEnv()))
  const trainer = await createTrainer(context)
  const stop = (signal: NodeJS.Signals) => {
    context.log.info({ signal }, 'stopping')
    // A second signal: at once. The job comes back to another trainer when its lock has run out.
    if (trainer.state === 'draining') process.exit(1)
    void trainer.close()
  }
  process.on('SIGTERM', stop).on('SIGINT', stop)
  const { kind, device } = trainer.engine.report
  context.log.info({ pid: process.pid, engine: kind, device }, 'ready')
  await trainer.closed
} catch (error) {
  createLogger('info', 'engine').fatal({ err: toStokerError(error).toJSON() }, 'trainer ended')
  process.exitCode = 1
}

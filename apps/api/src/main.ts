import { startApi } from './api.js'
import { toConfig } from './config.js'
import { readEnv } from './read-env.js'
import { tellAndFail } from './tell-and-fail.js'

try {
  const api = await startApi(toConfig(readEnv()))
  const stop = (signal: string) => {
    api.log.info({ signal }, 'stopping')
    api.close().catch(tellAndFail)
  }
  process.once('SIGTERM', stop)
  process.once('SIGINT', stop)
} catch (error) {
  tellAndFail(error)
}

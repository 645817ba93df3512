export { type Env, pickEnv } from './env.js'
export * from './error-table.js'
export { createSettings, type Settings } from './settings.js'

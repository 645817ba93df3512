export { type ApiKey, makeApiKey, parseApiKeys, SCOPES, type Scope, sha256 } from './api-keys.js'
export { type Env, pickEnv } from './env.js'
export * from './error-table.js'
export { createSettings, type Settings } from './settings.js'

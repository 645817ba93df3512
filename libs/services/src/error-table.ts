import { defineError } from '@stoker/spec'

export const NoRedis = defineError('STK_SERVICES_NO_REDIS', 'no Redis server here: %s', {
  status: 503,
  remedy:
    'install one (`apt-get install redis-server` or `brew install redis`), or name a running one by STOKER_REDIS_URL',
})
export const NoS3Server = defineError('STK_SERVICES_NO_S3_SERVER', 'no S3 server here: %s', {
  status: 503,
  remedy: 'install Go 1.24 or newer, put versitygw on the PATH, or use a file: store',
})
export const ServerNotStarted = defineError('STK_SERVICES_NOT_STARTED', '%s did not start: %s', { status: 503 })
export const ToolFailed = defineError('STK_SERVICES_TOOL_FAILED', '`%s` failed: %s', { status: 503 })

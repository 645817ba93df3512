import { defineError } from '@stoker/spec'

export const SettingInvalid = defineError('STK_SETTING', '%s=%s: expected %s', { remedy: 'correct the variable' })
/** Never shows what stands there: it may be a secret. */
export const FileUnreadable = defineError('STK_SETTING_FILE', '%s names %s, which cannot be read: %s', {
  remedy: 'name a file that this process may read',
})
/** Never shows the line: it may hold a key. */
export const ApiKeysInvalid = defineError('STK_API_KEYS', '%s, line %d: %s', {
  remedy: 'write one line a key: NAME SCOPE,SCOPE sha256:HASH; `stoker key NAME` makes one',
})

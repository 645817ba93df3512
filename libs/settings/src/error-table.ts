import { defineError } from '@stoker/spec'

export const SettingInvalid = defineError('STK_SETTING', '%s=%s: expected %s', { remedy: 'correct the variable' })

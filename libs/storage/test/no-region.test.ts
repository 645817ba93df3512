import { afterEach, expect, it, vi } from 'vitest'
import { createStore } from '../src/index.js'
import { failureOf } from './backends.js'

afterEach(() => vi.unstubAllEnvs())

it('tells a missing region as a fault of the installation, with the variable to set', async () => {
  for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE']) vi.stubEnv(name, undefined)
  for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/dev/null')
  const credentials = { accessKeyId: 'a', secretAccessKey: 'b' }
  const store = createStore({ fileRoots: [], s3: { credentials } })
  try {
    for (const call of [() => store.list('s3://bucket/*'), () => store.readAll('s3://bucket/key')]) {
      const failure = await failureOf(call)
      expect(failure).toMatchObject({ code: 'STK_STORAGE_NO_REGION', status: 500, retryable: false })
      expect(failure.remedy).toContain('STOKER_S3_REGION')
    }
  } finally {
    await store.close()
  }
})

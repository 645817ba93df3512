import { fileURLToPath } from 'node:url'
import { startChildServer, startRedis } from '@stoker/services'
import { expect, it, onTestFinished, vi } from 'vitest'

const script = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const ACME = fileURLToPath(new URL('../../../test/fixtures/ops/acme.mjs', import.meta.url))

async function startWith(modules: string) {
  const redis = await startRedis()
  onTestFinished(() => redis.stop())
  const env = { STOKER_REDIS_URL: redis.url, STOKER_STORE: 'file:///tmp', STOKER_PORT: '0', STOKER_OPS: modules }
  const api = await startChildServer(process.execPath, [script], { env: { ...process.env, ...env } })
  onTestFinished(() => api.stop())
  return api
}

it('shows the ops of a module in OpenAPI and checks their parameters at submission', async () => {
  const api = await startWith(ACME)
  const url = await vi.waitFor(() => {
    const lines = api.log().split('\n')
    return (JSON.parse(lines.find((line) => line.includes('"msg":"ready"')) ?? '') as { url: string }).url
  }, 20_000)
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, never> }
  expect(JSON.stringify(paths['/v1/jobs'])).toContain('"title":"acme.invert","description":"Most minus each pixel."')
  const lint = async (stage: object) => {
    const pipeline = { source: { type: 'range', stop: 10 }, stages: [stage, { op: 'batch', size: 2 }] }
    const headers = { 'content-type': 'application/json' }
    return (await fetch(`${url}/v1/lint`, { method: 'POST', headers, body: JSON.stringify({ pipeline }) })).json()
  }
  expect(JSON.stringify(await lint({ op: 'acme.total', field: 'value', into: 7 }))).toContain('pipeline.stages[0].into')
  expect(JSON.stringify(await lint({ op: 'acme.total', field: 'value' }))).not.toContain('"level":"error"')
})

it('does not start with a module that is not there', async () => {
  const api = await startWith('/nowhere/ops.mjs')
  await api.exited
  expect(api.log()).toContain('STK_SETTING: STOKER_OPS="/nowhere/ops.mjs": expected paths of ES modules')
})

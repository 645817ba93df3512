import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningApi, startApi, toConfig } from '@stoker/api'
import { type RunningServer, startRedis } from '@stoker/services'
import { makeApiKey } from '@stoker/settings'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { complaintsOf, launchBrowser, violationsOf } from './browser.js'

const admin = makeApiKey('admin', ['admin'])
const reader = makeApiKey('reader', ['jobs:read'])
const spec = { source: { type: 'range', stop: 10 }, stages: [{ op: 'batch', size: 5 }, { op: 'prefetch' }] }

let dir: string
let redis: RunningServer
let api: RunningApi
let browser: Browser
let id: string

beforeAll(async () => {
  browser = await launchBrowser()
  dir = await mkdtemp(join(tmpdir(), 'stoker-page-'))
  redis = await startRedis()
  api = await startApi(
    toConfig({
      ...{ STOKER_REDIS_URL: redis.url, STOKER_STORE: `file://${dir}`, STOKER_PORT: '0', STOKER_LOG_LEVEL: 'silent' },
      STOKER_API_KEYS: `${admin.line};${reader.line}`,
    }),
  )
  const response = await ask('POST', '/v1/jobs', { name: 'guarded', pipeline: spec })
  id = ((await response.json()) as { id: string }).id
})
afterAll(async () => {
  await browser?.close()
  await api?.close()
  await redis?.stop()
  await rm(dir, { recursive: true })
})

const ask = (method: string, path: string, body?: unknown) =>
  fetch(api.url + path, {
    method,
    headers: { authorization: `Bearer ${admin.key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })

it('the page asks for a key, keeps it for the tab, follows a job with it, and opens the queues by a session', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  const complaints = complaintsOf(page)
  const addresses: string[] = []
  page.on('request', (request) => addresses.push(request.url()))
  await page.goto(`${api.url}/#/jobs/${id}`)
  const field = page.getByLabel('API key')
  await field.fill(`${admin.key}x`)
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText('this API key is not known here').waitFor()
  expect(await violationsOf(page)).toEqual([])
  await field.fill(admin.key)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'guarded' }).waitFor()

  // Live: what is done elsewhere shows without a reload.
  await ask('POST', `/v1/jobs/${id}/pause`)
  await page.getByText('paused', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByRole('button', { name: 'Pause' }).waitFor()

  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'guarded' }).waitFor()
  await page.getByRole('link', { name: 'Queues' }).click()
  await page.getByText('stoker-train').first().waitFor()
  await page.goto(`${api.url}/docs`)
  await page.getByText('Submit a job', { exact: true }).waitFor()

  expect(addresses.length).toBeGreaterThan(10)
  expect(addresses.filter((address) => address.includes(admin.key))).toEqual([])
  const unasked = complaints.filter((text) => !/status of 401|fonts\.googleapis/.test(text))
  expect(unasked).toEqual([])

  await page.goto(api.url)
  await page.getByRole('button', { name: 'Forget key' }).click()
  await field.waitFor()
  expect((await page.goto(`${api.url}/queues`))?.status()).toBe(401)
  await context.close()
})

it('a key that may only look shows the job, and is told what it may not do', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${api.url}/#/jobs/${id}`)
  await page.getByLabel('API key').fill(reader.key)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByRole('alert').getByText('the API key reader lacks the scope jobs:write').waitFor()
  await context.close()
})

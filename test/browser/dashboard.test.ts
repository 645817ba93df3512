import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type RunningApi, startApi, toConfig } from '@stoker/api'
import { encodeExample, writeTfrecord } from '@stoker/formats'
import { type ChildServer, type RunningServer, startChildServer, startRedis } from '@stoker/services'
import { AUTOTUNE, fixedLen, pipeline, tfrecord } from '@stoker/spec'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { complaintsOf, launchBrowser, violationsOf } from './browser.js'

const PHOTO = new URL('../fixtures/photos/coffee/coffee-1.jpg', import.meta.url)

describe('the dashboard', () => {
  let dir: string
  let redis: RunningServer
  let api: RunningApi
  let worker: ChildServer
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let complaints: string[]

  beforeAll(async () => {
    browser = await launchBrowser()
    dir = await mkdtemp(join(tmpdir(), 'stoker-page-'))
    await mkdir(join(dir, 'store'))
    await writeImages()
    redis = await startRedis()
    const env = { STOKER_REDIS_URL: redis.url, STOKER_FILE_ROOTS: dir, STOKER_STORE: `file://${dir}/store` }
    api = await startApi(toConfig({ ...env, STOKER_PORT: '0', STOKER_LOG_LEVEL: 'silent' }))
    const script = fileURLToPath(new URL('../../apps/worker/dist/main.js', import.meta.url))
    worker = await startChildServer(process.execPath, [script], {
      env: { ...process.env, ...env, STOKER_WORKER_PARALLELISM: '1' },
    })
  })
  afterAll(async () => {
    await browser?.close()
    await worker?.stop()
    await api?.close()
    await redis?.stop()
    await rm(dir, { recursive: true })
  })
  beforeEach(async () => {
    context = await browser.newContext()
    page = await context.newPage()
    complaints = complaintsOf(page)
  })
  afterEach(() => context.close())

  /** Three photos; in the second file the last one is cut short. */
  async function writeImages(): Promise<void> {
    const photo = await readFile(PHOTO)
    const record = (image: Uint8Array, label: number) =>
      encodeExample({ image: { bytes: [image] }, label: { int64: [label] } })
    const good = [0, 1, 2].map((label) => record(photo, label))
    await writeFile(join(dir, 'good.tfrecord'), writeTfrecord(good))
    await writeFile(join(dir, 'bad.tfrecord'), writeTfrecord([...good.slice(0, 2), record(photo.subarray(0, 9), 2)]))
  }

  async function submit(name: string, file: string, more: object = {}): Promise<string> {
    const chain = pipeline(tfrecord(`file:${file}`))
      .parseExample({ image: fixedLen('string'), label: fixedLen('int64') })
      .decodeJpeg('image', { channels: 3 })
      .resize('image', [64, 64])
      .batch(3)
      .prefetch(AUTOTUNE)
    const response = await fetch(`${api.url}/v1/jobs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, pipeline: chain, ...more }),
    })
    expect(response.status).toBe(201)
    return ((await response.json()) as { id: string }).id
  }

  it('says what to do when there is no job', async () => {
    const empty = await startRedis()
    const other = await startApi(
      toConfig({
        STOKER_REDIS_URL: empty.url,
        STOKER_STORE: `file://${dir}/store`,
        STOKER_PORT: '0',
        STOKER_LOG_LEVEL: 'silent',
      }),
    )
    try {
      await page.goto(other.url)
      await page.getByText('No job yet.').waitFor()
      expect(await violationsOf(page)).toEqual([])
      expect(complaints).toEqual([])
    } finally {
      await page.goto('about:blank')
      await other.close()
      await empty.stop()
    }
  })

  it('lists jobs, and shows what a failed one fell over with its remedy', async () => {
    await submit('photos', 'good.tfrecord')
    await submit('spoiled photos', 'bad.tfrecord')
    await page.goto(api.url)
    const failed = page.getByRole('listitem').filter({ hasText: 'spoiled photos' })
    const note = failed.getByRole('alert')
    await note.waitFor()
    const text = (await note.textContent()) ?? ''
    expect(text).toMatch(/STK_/)
    expect(text).toMatch(/record 2/)
    expect(text).toContain('bad.tfrecord')
    expect(text).toContain('What to do:')
    expect(await failed.getByText('failed', { exact: true }).isVisible()).toBe(true)
    expect(await page.getByRole('link', { name: 'photos', exact: true }).isVisible()).toBe(true)
    expect(await violationsOf(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('follows one job live: batches, images, events; pauses, resumes and cancels it by keyboard', async () => {
    await submit('one job', 'good.tfrecord')
    await page.goto(api.url)
    await page.getByRole('link', { name: 'one job' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'one job' }).waitFor()
    const picture = page.getByRole('img', { name: /images of batch 0/ })
    await picture.waitFor()
    expect(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(129)
    await page.getByText('1 batch, ').waitFor()
    await page.getByText('state running').first().waitFor()

    const press = async (name: string) => {
      await page.getByRole('button', { name }).focus()
      await page.keyboard.press('Enter')
    }
    await press('Pause')
    await page.getByText('paused', { exact: true }).waitFor()
    await press('Resume')
    await page.getByText('running', { exact: true }).waitFor()
    await press('Cancel job')
    await page.getByText('It cannot be brought back').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await press('Yes, cancel it')
    await page.getByText('cancelled', { exact: true }).waitFor()
    expect(await page.getByRole('button').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  it('shows which record is bad, why, and which one stood in for it', async () => {
    const id = await submit('mended', 'bad.tfrecord', { onBadRecord: 'substitute', maxBadFraction: 0.5 })
    await page.goto(`${api.url}/#/jobs/${id}`)
    const list = page.getByRole('region', { name: 'Bad records' })
    await list.waitFor()
    const text = await list.getByRole('listitem').textContent()
    expect(text).toMatch(/Record 2 of .*bad\.tfrecord/)
    expect(text).toMatch(/STK_/)
    expect(text).toMatch(/Record [01] of .*bad\.tfrecord stood in for it/)
    expect(await violationsOf(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('tells of a job that does not exist', async () => {
    await page.goto(`${api.url}/#/jobs/unknown`)
    await page.getByRole('alert').getByText('there is no job unknown').waitFor()
  })

  it('fits a phone and the dark', async () => {
    const id = await submit(`a long name ${'x'.repeat(100)}`, 'bad.tfrecord')
    await page.setViewportSize({ width: 360, height: 740 })
    await page.emulateMedia({ colorScheme: 'dark' })
    for (const path of ['/', `/#/jobs/${id}`]) {
      await page.goto(api.url + path)
      await page.getByRole('alert').first().waitFor()
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
      expect(await violationsOf(page)).toEqual([])
    }
    expect(complaints).toEqual([])
  })

  it('runs under its policy: a script that is not its own is refused', async () => {
    await page.goto(api.url)
    await page.getByRole('heading', { name: 'Jobs' }).waitFor()
    const ran = await page.evaluate(() => {
      const script = document.createElement('script')
      script.textContent = 'globalThis.strange = true'
      document.head.append(script)
      return 'strange' in globalThis
    })
    expect(ran).toBe(false)
    await expect.poll(() => complaints.join()).toContain('Content Security Policy')
  })

  it('links to pages that work under their policy: the API and the queues', async () => {
    await page.goto(api.url)
    await page.getByRole('link', { name: 'API' }).click()
    await page.getByText('Submit a job', { exact: true }).waitFor()
    expect(complaints).toEqual([])
    await page.goto(`${api.url}/queues`)
    await page.getByText('stoker-train').first().waitFor()
    // Bull Board asks for fonts of another site, which its policy does not let it load; nothing else fails.
    expect(complaints.filter((text) => !text.includes('fonts.googleapis.com'))).toEqual([])
  })
})

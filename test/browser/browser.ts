import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { type Browser, chromium, type Page } from 'playwright-core'

const PLACES = [process.env.STOKER_CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** Chromium as the system has it, without any talk of its own to the net. */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = PLACES.find((place) => place !== undefined && existsSync(place))
  if (!executablePath) {
    throw new Error(
      'there is no Chromium: run apt-get install -y --no-install-recommends chromium, or set STOKER_CHROMIUM to one',
    )
  }
  return await chromium.launch({
    executablePath,
    args: [
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
      ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
    ],
  })
}

/** What a page complains about: uncaught errors, errors on the console, violations of its policy among them. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} (${message.location().url})`)
  })
  return complaints
}

/** Violations of WCAG 2 A and AA, by axe. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
  return await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }
    }
    return (await axe.run()).violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
  })
}

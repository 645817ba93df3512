#!/usr/bin/env node
// Writes docs/errors.md from the error tables of all built packages: `node test/bin/errors-doc.mjs`.
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../../apps/cli/bin/prepare.mjs'

/** Tables by package: `[['libs/spec', [{code, template, traits}, ...]], ...]`. */
export async function errorTables() {
  const tables = []
  for (const kind of ['libs', 'apps']) {
    for (const name of readdirSync(join(root, kind)).sort()) {
      const file = join(root, kind, name, 'dist', 'error-table.js')
      const table = await import(pathToFileURL(file).href).catch((error) => {
        if (error.code === 'ERR_MODULE_NOT_FOUND' && String(error.message).includes(file)) return {}
        throw error
      })
      const rows = Object.values(table).filter((one) => typeof one === 'function' && typeof one.code === 'string')
      if (rows.length > 0) tables.push([`${kind}/${name}`, rows.sort((a, b) => (a.code < b.code ? -1 : 1))])
    }
  }
  return tables
}

const cell = (text) =>
  String(text ?? '')
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ')

export function render(tables) {
  const lines = [
    '# Errors',
    '',
    'Every coded error, by package. Codes are never reused. `retry`: the same call may succeed later without a change.',
    'Over HTTP an error is a problem document (`application/problem+json`) with `code`, `detail`, `place` and `remedy`.',
    'This page is written by `node test/bin/errors-doc.mjs`.',
  ]
  for (const [name, rows] of tables) {
    lines.push('', `## ${name}`, '', '| code | message | status | retry | remedy |', '|---|---|---|---|---|')
    for (const { code, template, traits } of rows) {
      const retry = traits.retryable ? 'yes' : ''
      lines.push(`| \`${code}\` | ${cell(template)} | ${traits.status ?? 500} | ${retry} | ${cell(traits.remedy)} |`)
    }
  }
  return `${lines.join('\n')}\n`
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  writeFileSync(join(root, 'docs', 'errors.md'), render(await errorTables()))
}

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
// @ts-expect-error plain JavaScript, shared with the command that writes the page
import { errorTables, render } from '../bin/errors-doc.mjs'

const tables: [string, { code: string; template: string }[]][] = await errorTables()
const all = tables.flatMap(([name, rows]) => rows.map(({ code }) => ({ name, code })))

test('every package that declares errors is in the page', () => {
  expect(tables.length).toBeGreaterThan(10)
})

test('no code is used twice', () => {
  const owners = new Map<string, string[]>()
  for (const { name, code } of all) owners.set(code, [...(owners.get(code) ?? []), name])
  expect([...owners].filter(([, names]) => names.length > 1)).toEqual([])
})

test('codes begin with STK_', () => {
  expect(all.filter(({ code }) => !/^STK(_[A-Z0-9]+)+$/.test(code))).toEqual([])
})

test('docs/errors.md is what the tables say (write it anew with: node test/bin/errors-doc.mjs)', () => {
  expect(readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8')).toBe(render(tables))
})

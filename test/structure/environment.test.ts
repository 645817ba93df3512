import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Names of environment variables in the sources of apps and libs. */
function variablesRead(): string[] {
  const names = ['apps', 'libs'].flatMap((kind) =>
    readdirSync(join(root, kind)).flatMap((name) =>
      readdirSync(join(root, kind, name, 'src'), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .flatMap(
          (file) => readFileSync(join(root, kind, name, 'src', file), 'utf8').match(/\bSTOKER_[A-Z0-9_]+\b/g) ?? [],
        ),
    ),
  )
  return [...new Set(names)].sort()
}

it('lists in example.env every variable that the sources read, and no other', () => {
  const listed = readFileSync(join(root, 'example.env'), 'utf8').matchAll(/^(STOKER_[A-Z0-9_]+)=/gm)
  expect(Array.from(listed, ([, name]) => name).sort()).toEqual(variablesRead())
})

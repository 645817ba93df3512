import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

interface SourceFile {
  readonly path: string
  /** `libs/spec`, `apps/api`. */
  readonly package: string
  /** Types too: a file that needs another one's types cannot be read, or moved, without it. */
  readonly imports: readonly string[]
}

const IMPORT =
  /(?:^|[\s;}])(?:import|export)\s(?:[^'"`;]*?\sfrom\s)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g

function sourceFiles(): SourceFile[] {
  return ['libs', 'apps'].flatMap((kind) =>
    readdirSync(join(root, kind), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap(({ name }) => filesOf(`${kind}/${name}`)),
  )
}

function filesOf(name: string): SourceFile[] {
  const folder = join(root, name, 'src')
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|tsx)$/.test(entry.name))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const text = readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '')
      const imports = [...text.matchAll(IMPORT)].map(([, from, called]) => from ?? called ?? '')
      return { path, package: name, imports }
    })
}

/** The packages in the order that docs/architecture.md lists them. */
function documentedOrder(): string[] {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  return [...page.matchAll(/^\| `(libs\/[a-z]+)`/gm)].map((match) => match[1] ?? '')
}

const files = sourceFiles()
const stoker = (specifier: string): string | undefined => /^@stoker\/([^/]+)/.exec(specifier)?.[1]

describe('imports', () => {
  it('finds the imports it checks', () => {
    expect(files.length).toBeGreaterThan(80)
    const all = new Set(files.flatMap(({ imports }) => imports))
    expect(all).toContain('@stoker/spec')
    expect(documentedOrder().length).toBeGreaterThan(10)
  })

  it('go from a lib only to libs above it in the documented order', () => {
    const order = documentedOrder()
    const undocumented = readdirSync(join(root, 'libs')).filter((name) => !order.includes(`libs/${name}`))
    expect(undocumented).toEqual([])
    const upward = files.flatMap((file) =>
      file.imports
        .map(stoker)
        .filter((name) => name !== undefined && file.package.startsWith('libs/'))
        .filter((name) => `libs/${name}` !== file.package)
        .filter((name) => {
          const at = order.indexOf(`libs/${name}`)
          return at < 0 || at >= order.indexOf(file.package)
        })
        .map((name) => `${relative(root, file.path)} -> @stoker/${name}`),
    )
    expect(upward).toEqual([])
  })

  it('go from an app only to libs', () => {
    const apps = readdirSync(join(root, 'apps'))
    const across = files.flatMap((file) =>
      file.imports
        .filter((specifier) => file.package.startsWith('apps/') && apps.includes(stoker(specifier) ?? ''))
        .map((specifier) => `${relative(root, file.path)} -> ${specifier}`),
    )
    expect(across).toEqual([])
  })

  it('reach another package only through its index', () => {
    const deep = files.flatMap((file) =>
      file.imports
        .filter((specifier) => {
          if (specifier.startsWith('@stoker/')) return specifier.split('/').length > 2
          if (!specifier.startsWith('.')) return false
          return relative(join(root, file.package), resolve(dirname(file.path), specifier)).startsWith('..')
        })
        .map((specifier) => `${relative(root, file.path)} -> ${specifier}`),
    )
    expect(deep).toEqual([])
  })

  it('are declared as dependencies of the package', () => {
    const undeclared = files.flatMap((file) => {
      const manifest = JSON.parse(readFileSync(join(root, file.package, 'package.json'), 'utf8'))
      const declared = { ...manifest.dependencies, ...manifest.optionalDependencies, ...manifest.devDependencies }
      return file.imports
        .filter((specifier) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
        .map((specifier) =>
          specifier.startsWith('@') ? specifier.split('/').slice(0, 2).join('/') : (specifier.split('/')[0] ?? ''),
        )
        .filter((name) => !(name in declared))
        .map((name) => `${relative(root, file.path)} -> ${name}`)
    })
    expect(undeclared).toEqual([])
  })

  it('form no cycle within a package', () => {
    const byPath = new Map(files.map((file) => [file.path, file]))
    const target = (file: SourceFile, specifier: string) =>
      resolve(dirname(file.path), specifier.replace(/\.js$/, '.ts'))
    const cycles: string[] = []
    const done = new Set<string>()
    const visit = (file: SourceFile, trail: readonly string[]): void => {
      const at = trail.indexOf(file.path)
      if (at >= 0) {
        cycles.push([...trail.slice(at), file.path].map((path) => relative(root, path)).join(' -> '))
        return
      }
      if (done.has(file.path)) return
      for (const specifier of file.imports.filter((name) => name.startsWith('.'))) {
        const next = byPath.get(target(file, specifier))
        if (next) visit(next, [...trail, file.path])
      }
      done.add(file.path)
    }
    for (const file of files) visit(file, [])
    expect(cycles).toEqual([])
  })
})

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** The documents of a YAML file, merge keys resolved; fails on what YAML warns of, such as a key given twice. */
export function readYaml<T = Record<string, unknown>>(path: string): T[] {
  const documents = parseAllDocuments(read(path), { merge: true })
  if ('empty' in documents) throw new Error(`${path} is empty`)
  return documents.map((document) => {
    const fault = document.errors[0] ?? document.warnings[0]
    if (fault) throw new Error(`${path}: ${fault.message}`)
    return document.toJS() as T
  })
}

/** `NAME=value` lines. */
export const readEnvFile = (path: string): Map<string, string> =>
  new Map([...read(path).matchAll(/^([A-Z0-9_]+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]))

/** Names of Stoker's variables that a file mentions. */
export const variablesIn = (path: string): string[] => [...new Set(read(path).match(/\bSTOKER_[A-Z0-9_]+\b/g) ?? [])]

export const filesIn = (folder: string, ending: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => join(folder, name))
    .sort()

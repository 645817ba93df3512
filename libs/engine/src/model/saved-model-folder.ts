import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import type { ObjectStore } from '@stoker/storage'
import { SavedModelInvalid, SavedModelMissing } from '../error-table.js'
import { readSavedModelFacts, type SavedModelFacts, type SavedModelSignature } from './saved-model-proto.js'

/** Copies the folder to `dir`; gives the relative names. @throws SavedModelMissing */
export async function downloadSavedModel(store: ObjectStore, uri: string, dir: string): Promise<string[]> {
  const root = uri.replace(/\/+$/, '')
  const objects = await store.walk(root)
  const names: string[] = []
  for (const object of objects) {
    // Listed URIs are canonical, the given one need not be: the name is what follows the folder's own name.
    const name = relativeName(
      root,
      object.uri,
      objects.map((one) => one.uri),
    )
    names.push(name)
    await mkdir(dirname(join(dir, name)), { recursive: true })
    await writeFile(join(dir, name), await store.readAll(object.uri))
  }
  if (!names.includes('saved_model.pb')) throw SavedModelMissing(uri).with({ place: { path: 'train.model.uri' } })
  return names
}

function relativeName(root: string, uri: string, all: readonly string[]): string {
  if (uri.startsWith(`${root}/`)) return uri.slice(root.length + 1)
  const model = all.find((one) => posix.basename(one) === 'saved_model.pb')
  return model ? uri.slice(model.length - 'saved_model.pb'.length) : posix.basename(uri)
}

export async function factsOf(dir: string, uri: string): Promise<SavedModelFacts> {
  try {
    return readSavedModelFacts(await readFile(join(dir, 'saved_model.pb')))
  } catch (error) {
    throw SavedModelInvalid(uri, `saved_model.pb: ${error instanceof Error ? error.message : error}`)
  }
}

export function signatureOf(facts: SavedModelFacts, name: string, uri: string): SavedModelSignature {
  const signature = facts.signatures[name]
  const known = Object.keys(facts.signatures).filter((one) => !one.startsWith('__'))
  if (!signature) throw SavedModelInvalid(uri, `it has no signature "${name}", only ${known.join(', ') || 'none'}`)
  const needsLoss = name === 'train' || name === 'evaluate'
  if (needsLoss && !signature.outputs.loss) throw SavedModelInvalid(uri, `its signature "${name}" gives no "loss"`)
  return signature
}

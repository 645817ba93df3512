import { createStore, fileUri } from '@stoker/storage'
import { type Engine, installEngine, loadEngine } from '../../src/index.js'

/** The native engine, built on the first use of this machine's cache. */
export async function nativeEngine(): Promise<Engine> {
  const report = await installEngine({ device: 'cpu', log: console.error })
  if (report.kind !== 'native')
    throw new Error(`these tests need the native engine: ${report.why.join('; ')}; ${report.fix}`)
  return loadEngine()
}

export const fixtures = new URL('../fixtures', import.meta.url).pathname
export const fixtureStore = () => createStore({ fileRoots: [fixtures] })
export const savedModelUri = fileUri(`${fixtures}/saved-model-digits`)

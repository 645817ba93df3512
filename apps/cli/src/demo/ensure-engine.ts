import { type EngineReport, inspectEngine, installEngine } from '@stoker/engine'
import { errorText } from '../terminal/error-text.js'

/** The engine that the trainer will take; builds the native one once when it can be built. Never throws. */
export async function ensureEngine(
  how: 'auto' | 'installed',
  note: (text: string) => void,
  warn: (text: string) => void,
): Promise<EngineReport> {
  const before = await inspectEngine()
  if (before.kind === 'native' || how === 'installed') return before
  note('building the TensorFlow engine, once for this machine (a download of about 300 MB)')
  try {
    return await installEngine({ device: 'cpu', log: note })
  } catch (error) {
    warn(`${errorText(error)}\nThe demo goes on with TensorFlow.js on WebAssembly: same results, slower steps.`)
    return before
  }
}

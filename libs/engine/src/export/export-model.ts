import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheDir, runTool } from '@stoker/services'
import { toStokerError } from '@stoker/spec'
import { ExportFailed, PythonMissing } from '../error-table.js'
import { TENSORFLOW_VERSION } from '../install/engine-dir.js'
import { folderOnce } from '../install/folder-once.js'
import { tensorflowPackage } from '../install/library.js'
import { findPython, tensorflowEnvironments, venvPython } from '../install/python.js'
import type { Log } from '../types.js'

const SCRIPT = fileURLToPath(new URL('../../python/export_model.py', import.meta.url))
/** Name of the virtual environment in the cache folder. */
const VENV = 'python'
// The wheels that TensorFlow 2.21 has.
const [LEAST_MINOR, MOST_MINOR] = [10, 13]

export interface ExportOptions {
  /** Python file that defines `model`, a compiled Keras model. */
  readonly script: string
  /** Folder to write the SavedModel to. */
  readonly out: string
  /** Type in which the inputs travel; the model's own when not given. */
  readonly dtype?: 'float32' | 'uint8'
  /** The signatures take `sample_weight`, a float for each record, too. */
  readonly sampleWeight?: boolean
  readonly log?: Log
}

/**
 * Writes a Keras model as a SavedModel with the signatures that the trainer runs, in a Python that has TensorFlow: one
 * that is there, else a virtual environment made once in the cache folder. Returns the folder.
 *
 * @throws PythonMissing, ExportFailed with the last line that Python said
 */
export async function exportModel(options: ExportOptions): Promise<string> {
  const { script, out, dtype, sampleWeight = false, log = () => {} } = options
  const python = await tensorflowPython(log)
  const target = resolve(out)
  log(`exporting ${script} with ${python}`)
  try {
    const env = { ...process.env, CUDA_VISIBLE_DEVICES: '-1', TF_CPP_MIN_LOG_LEVEL: '2' }
    const args = [SCRIPT, resolve(script), '--out', target, ...(dtype ? ['--dtype', dtype] : [])]
    if (sampleWeight) args.push('--sample-weight')
    await runTool(python, args, { env })
    return target
  } catch (error) {
    const said = toStokerError(error).message.trim().split('\n')
    throw ExportFailed(script, said.at(-1)?.trim() ?? '').with({ cause: error })
  }
}

/** A Python with the TensorFlow version whose graphs the engine runs. @throws PythonMissing */
export async function tensorflowPython(log: Log): Promise<string> {
  const found = (await tensorflowEnvironments()).find(({ version }) => version === TENSORFLOW_VERSION)
  if (found) return found.python
  const python = await findPython()
  const minor = Number(python?.version.split('.')[1])
  if (!python) throw PythonMissing('there is no python3 on the PATH')
  if (!(minor >= LEAST_MINOR && minor <= MOST_MINOR)) {
    throw PythonMissing(
      `TensorFlow ${TENSORFLOW_VERSION} has no wheel for Python ${python.version} (${python.program})`,
    )
  }
  const venv = resolve(cacheDir(), VENV)
  await folderOnce(venv, async (workDir) => {
    log(`making a virtual environment in ${venv}`)
    const requirement = `${tensorflowPackage('cpu')}==${TENSORFLOW_VERSION}`
    try {
      await runTool(python.program, ['-m', 'venv', workDir])
      log(`installing ${requirement} (some minutes, once)`)
      const pip = ['-m', 'pip', '--disable-pip-version-check', '--quiet', 'install']
      // Calls go through `python -m`: the folder moves, and scripts in its bin/ would keep the old path.
      await runTool(resolve(workDir, 'bin', 'python'), [...pip, requirement])
    } catch (error) {
      throw PythonMissing(toStokerError(error).message).with({ cause: error })
    }
  })
  return venvPython(VENV)
}

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** One array of an HDF5 file. */
export interface Hdf5Array {
  /** Such as `layers/dense/vars/0`. */
  readonly path: string
  readonly shape: readonly number[]
  readonly values: Float32Array
}

// h5wasm is the HDF5 library compiled to WebAssembly; it works on files, and takes half a second to load.
const library = async () => {
  const h5wasm = await import('h5wasm/node')
  await h5wasm.ready
  return h5wasm
}

async function inTemporary<T>(body: (file: string) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(tmpdir(), 'stoker-h5-'))
  try {
    return await body(join(dir, 'weights.h5'))
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** An HDF5 file with these arrays as float32, little-endian. The same arrays give the same bytes. */
export function writeHdf5(arrays: readonly Hdf5Array[]): Promise<Uint8Array> {
  return inTemporary(async (name) => {
    const { File } = await library()
    atOneTime(() => {
      const file = new File(name, 'w')
      try {
        fill(file, arrays)
        file.flush()
      } finally {
        file.close()
      }
    })
    return new Uint8Array(await readFile(name))
  })
}

function fill(file: InstanceType<Awaited<ReturnType<typeof library>>['File']>, arrays: readonly Hdf5Array[]): void {
  const made = new Set<string>()
  for (const { path, shape, values } of arrays) {
    const parts = path.split('/')
    for (let depth = 1; depth < parts.length; depth++) {
      const group = parts.slice(0, depth).join('/')
      if (!made.has(group)) file.create_group(group)
      made.add(group)
    }
    file.create_dataset({ name: path, data: values, shape: [...shape], dtype: '<f' })
  }
}

/** HDF5 notes the time at every group and array; h5wasm has no switch for it, and asks `Date.now`. `body` must not wait. */
function atOneTime(body: () => void): void {
  const { now } = Date
  Date.now = () => Date.UTC(1980, 0, 1)
  try {
    body()
  } finally {
    Date.now = now
  }
}

/** Every array of an HDF5 file, as float32. @throws Error for a file that is none, or arrays of another type */
export function readHdf5(bytes: Uint8Array): Promise<Hdf5Array[]> {
  return inTemporary(async (name) => {
    await writeFile(name, bytes)
    const { Dataset, File } = await library()
    const file = new File(name, 'r')
    try {
      return file.paths().flatMap((path): Hdf5Array[] => {
        const entity = file.get(path)
        if (!(entity instanceof Dataset)) return []
        const { value } = entity
        if (value instanceof Float32Array) return [{ path, shape: entity.shape ?? [], values: value.slice() }]
        if (typeof value === 'number') return [{ path, shape: [], values: Float32Array.of(value) }]
        if (value instanceof Float64Array)
          return [{ path, shape: entity.shape ?? [], values: Float32Array.from(value) }]
        return []
      })
    } finally {
      file.close()
    }
  })
}

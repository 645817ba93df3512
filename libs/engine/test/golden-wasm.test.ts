import { beforeAll } from 'vitest'
import { type Engine, loadEngine } from '../src/index.js'
import { goldenTrainings } from './support/golden.js'

let engine: Engine
beforeAll(async () => {
  engine = await loadEngine({ use: 'wasm', notice: () => {} })
})

goldenTrainings(() => engine, 3e-6)

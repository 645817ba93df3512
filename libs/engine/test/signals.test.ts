import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { beforeAll, expect, it } from 'vitest'
import { nativeEngine } from './support/native.js'

beforeAll(async () => {
  await nativeEngine()
}, 900_000)

// oneDNN's matrix product runs with the stack register in a heap buffer when the inner dimension is long: a signal
// handler that runs then writes over the heap. Without native/signal-guard.h this ends in an abort within a second.
const SCRIPT = `
import { loadEngine } from '${new URL('../dist/index.js', import.meta.url)}'
const engine = await loadEngine()
const layer = (config) => ({ class_name: 'Dense', config: { activation: 'relu', ...config } })
const topology = { class_name: 'Sequential', config: { layers: [
  layer({ units: 256, batch_input_shape: [null, 2048] }), layer({ units: 512 }), layer({ units: 10, activation: 'softmax' }) ] } }
const fields = { x: { dtype: 'float32', shape: [2048] }, label: { dtype: 'int32', shape: [] } }
const model = await engine.createModel({ model: { kind: 'layers', topology }, loss: 'sparseCategoricalCrossentropy' }, {}, fields, {})
const batch = { tensors: [
  { name: 'x', dtype: 'float32', shape: [64, 2048], data: new Uint8Array(new Float32Array(64 * 2048).fill(0.1).buffer) },
  { name: 'label', dtype: 'int32', shape: [64], data: new Uint8Array(new Int32Array(64).buffer) } ] }
let signals = 0
process.on('SIGUSR2', () => { signals++ })
await model.trainStep(batch)
console.log('ready')
while (signals < 300) {
  await model.trainStep(batch)
  await new Promise((resolve) => setImmediate(resolve))
}
console.log('unharmed')
process.exit(0)`

it('trains on while signals arrive', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  let timer: NodeJS.Timeout | undefined
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    timer ??= setInterval(() => child.kill('SIGUSR2'), 1)
  })
  const [code, signal] = await once(child, 'close')
  clearInterval(timer)
  expect({ code, signal, output }).toMatchObject({ code: 0, signal: null, output: expect.stringContaining('unharmed') })
})

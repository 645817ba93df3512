import { expect, it } from 'vitest'
import { parseSidecar } from '../src/tfrecord/sidecar.js'
import { writeTfrecord } from '../src/tfrecord/write.js'
import { tfrecord } from '../src/tfrecord.js'
import { openDesk, sourceOf } from './support.js'

const payloads = [Buffer.from('one'), Buffer.alloc(0), Buffer.from('three')]
const shard = writeTfrecord(payloads)
/** As DALI's tfrecord2idx writes it. */
const sidecar = '0 19\n19 16\n35 21\n'

it('takes an index that covers the shard exactly', () => {
  expect([...(parseSidecar(sidecar, shard.length, 100) ?? [])]).toEqual([3, 0, 5])
  expect([...(parseSidecar('', 0, 100) ?? [1])]).toEqual([])
})

it.each([
  ['a gap', '0 19\n20 15\n35 21\n'],
  ['a missing record', '0 19\n19 16\n'],
  ['a record past the end', '0 19\n19 16\n35 22\n'],
  ['another format', 'offset,size\n0,19\n'],
  ['a frame that cannot be', '0 19\n19 1\n'],
])('passes over an index with %s', (_, text) => {
  expect(parseSidecar(text, shard.length, 100)).toBeUndefined()
})

it('indexes from the sidecar without reading the shard, and scans where the sidecar is wrong', async () => {
  const desk = await openDesk()
  try {
    const read = async (name: string, index: string) => {
      const pin = await desk.put(`${name}.tfrecord`, shard)
      await desk.put(`${name}.idx`, Buffer.from(index))
      const ranges: string[] = []
      const store = new Proxy(desk.context.store, {
        get: (target, key, receiver) =>
          key === 'read'
            ? (uri: string, ...rest: Parameters<typeof target.read> extends [string, ...infer Rest] ? Rest : never) => {
                ranges.push(uri)
                return target.read(uri, ...rest)
              }
            : Reflect.get(target, key, receiver),
      })
      const made = await tfrecord.index(pin, sourceOf('NONE'), { ...desk.context, store })
      return { lengths: [...made.lengths], ranges: ranges.length }
    }
    expect(await read('right', sidecar)).toEqual({ lengths: [3, 0, 5], ranges: 0 })
    expect(await read('wrong', '0 19\n')).toEqual({ lengths: [3, 0, 5], ranges: 1 })
  } finally {
    await desk.close()
  }
})

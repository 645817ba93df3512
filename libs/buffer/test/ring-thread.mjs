// The I/O thread of a ring test: publishes batches, or does what the case asks.
import { workerData } from 'node:worker_threads'
import { fromErrorView } from '@stoker/spec'
import { SlotRing } from '../dist/index.js'

const { shared, count, how } = workerData
const producer = SlotRing.attach(shared).producer()

for (let batch = 0; batch < count; batch++) {
  const slot = await producer.reserve()
  const length = 8 + (batch % 100)
  slot.bytes.fill(batch % 256, 0, length)
  new DataView(slot.bytes.buffer, slot.bytes.byteOffset).setFloat64(0, batch)
  slot.publish({ epoch: 1, batch, length })
}
if (how === 'end') producer.end()
if (how === 'close') producer.close()
if (how === 'fail') {
  producer.fail(fromErrorView({ code: 'STK_TEST', message: 'broken', retryable: true, place: { batch: count } }))
}

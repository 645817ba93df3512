import { normalise } from '@stoker/coordinator'
import type { BatchAt, Order } from '@stoker/plan'
import type { ResumeToken } from '@stoker/spec'

/** Names the batch after this one: who goes on from there has had each batch once. */
export function tokenAfter(
  job: { readonly id: string; readonly specHash: string },
  order: Order,
  { epoch, batch }: BatchAt,
): ResumeToken {
  const next = normalise(order, { epoch, batch: batch + 1 }) ?? { epoch: order.epochs, batch: 0 }
  return { job: job.id, specHash: job.specHash, ...next }
}

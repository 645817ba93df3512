import { InvalidArgumentError } from 'commander'
import type { Position } from '../client/client.js'

/** Parser of an option that is a whole number. */
export const whole =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    throw new InvalidArgumentError(`expected an integer from ${least} to ${most}`)
  }

/** `EPOCH:BATCH`, both from 0. */
export function position(text: string): Position {
  const [, epoch, batch] = /^(\d+):(\d+)$/.exec(text) ?? []
  if (epoch === undefined || batch === undefined) throw new InvalidArgumentError('expected EPOCH:BATCH, such as 0:12')
  return { epoch: Number(epoch), batch: Number(batch) }
}

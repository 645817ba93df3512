import { createHash } from 'node:crypto'
import { joinUri } from '@stoker/storage'
import type { ShardPin } from './types.js'

/** Scratch names are hashes of what the content depends on: another ETag is another name, so nothing ever goes stale. */
function keyOf(pin: ShardPin, ...params: string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([pin.uri, pin.etag, ...params]))
    .digest('hex')
}

export const inflatedUri = (scratch: string, pin: ShardPin, packing: string): string =>
  joinUri(scratch, 'inflated', keyOf(pin, packing))

export const indexUri = (scratch: string, pin: ShardPin, format: string, ...params: string[]): string =>
  joinUri(scratch, 'index', `${keyOf(pin, format, ...params)}.idx`)

import { ExampleMalformed } from '../error-table.js'

/** Wire types. Source: https://protobuf.dev/programming-guides/encoding/ */
export const VARINT = 0
export const FIXED64 = 1
export const DELIMITED = 2
export const FIXED32 = 5

/**
 * Reads protobuf wire format in place. `end` is the end of the innermost message; nothing is ever read past it, so a
 * malformed length cannot reach foreign bytes.
 */
export class WireReader {
  readonly bytes: Uint8Array
  at: number
  end: number
  /** Low and high half of the varint that `varint64` read last. */
  low = 0
  high = 0

  constructor(bytes: Uint8Array, start = 0, end = bytes.length) {
    this.bytes = bytes
    this.at = start
    this.end = end
  }

  get more(): boolean {
    return this.at < this.end
  }

  /** Field number and wire type: `number << 3 | type`. */
  tag(): number {
    const start = this.at
    const tag = this.#varint32()
    if (tag >>> 3 === 0) throw this.malformed('field number 0', start)
    return tag
  }

  /** Reads a length and returns the end of the part it announces; `at` is then the start. */
  delimited(): number {
    const start = this.at
    const length = this.#varint32()
    if (length > this.end - this.at) {
      throw this.malformed(`a part of ${length} bytes where ${this.end - this.at} are left`, start)
    }
    return this.at + length
  }

  /** A varint of up to 64 bits into `low` and `high`: exact, without a BigInt. */
  varint64(): void {
    const { bytes, end } = this
    const start = this.at
    let low = 0
    let high = 0
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.at >= end) throw this.malformed('a varint without its end', start)
      const byte = bytes[this.at++] ?? 0
      const seven = byte & 0x7f
      if (shift < 28) low |= seven << shift
      else if (shift === 28) {
        low |= seven << 28
        high = seven >>> 4
      } else high |= seven << (shift - 32)
      if (byte < 0x80) {
        this.low = low
        this.high = high
        return
      }
    }
    throw this.malformed('a varint of more than ten bytes', start)
  }

  /** Skips the value of an unknown field. */
  skip(tag: number): void {
    const start = this.at
    const type = tag & 7
    if (type === VARINT) this.varint64()
    else if (type === DELIMITED) this.at = this.delimited()
    else if (type === FIXED64) this.#advance(8, start)
    else if (type === FIXED32) this.#advance(4, start)
    else throw this.malformed(`wire type ${type}`, start)
  }

  malformed(reason: string, at = this.at) {
    return ExampleMalformed(at, reason)
  }

  #advance(bytes: number, start: number): void {
    if (bytes > this.end - this.at) throw this.malformed('a number without its end', start)
    this.at += bytes
  }

  #varint32(): number {
    const start = this.at
    this.varint64()
    if (this.high !== 0 || this.low < 0) throw this.malformed('a length or tag beyond 31 bits', start)
    return this.low
  }
}

import { StreamBroken } from './inflater.js'

/**
 * frame     = magic:u32le=0xFD2FB528 descriptor:u8 window:u8? dictionary:byte[0|1|2|4] size:byte[0|1|2|4|8]
 *             block+ checksum:u32le?
 * block     = header:u24le (last:1 type:2 size:21) body:byte[size; 1 when type is RLE]
 * skippable = magic:u32le=0x184D2A50..5F length:u32le byte[length]
 * Source: RFC 8878, 3.1
 */
const MAGIC = 0xfd2f_b528
const SKIPPABLE = 0x0184_d2a5
/** What the zstd tool takes without being told otherwise (`ZSTD_WINDOWLOG_LIMIT_DEFAULT`): this much memory is held. */
const MAX_WINDOW_BYTES = 128 * 2 ** 20
const RLE = 1
const RESERVED = 3

export interface FrameHandler {
  start(): void
  /** Bytes of a frame, header to last block. */
  bytes(part: Uint8Array): void
  /** The frame is whole; `checksum` is of its content where the frame has one. */
  end(checksum: number | undefined): void
}

type Step = 'magic' | 'header' | 'block' | 'body' | 'checksum' | 'skip'

/** Cuts a zstd stream, pushed in any portions, into its frames; what lies between them is skipped. */
export class ZstdFrames {
  readonly #to: FrameHandler
  #step: Step = 'magic'
  /** Bytes that the step needs: gathered when it reads them, passed on when it is a body. */
  #needs = 4
  #held = new Uint8Array(18)
  #have = 0
  #hasChecksum = false
  #isLast = false

  constructor(to: FrameHandler) {
    this.#to = to
  }

  /** True between two frames: a stream may end here. */
  get isWhole(): boolean {
    return this.#step === 'magic' && this.#have === 0
  }

  /** @throws StreamBroken */
  push(bytes: Uint8Array): void {
    let at = 0
    while (at < bytes.length || this.#needs === 0) {
      const part = bytes.subarray(at, at + this.#needs)
      at += part.length
      this.#needs -= part.length
      if (this.#step === 'body') this.#to.bytes(part)
      else if (this.#step !== 'skip') {
        this.#held.set(part, this.#have)
        this.#have += part.length
      }
      if (this.#needs === 0) this.#next()
    }
  }

  #next(): void {
    const [b0 = 0, b1 = 0, b2 = 0, b3 = 0, b4 = 0] = this.#held
    const first = (b0 | (b1 << 8) | (b2 << 16) | (b3 << 24)) >>> 0
    if (this.#step === 'magic') {
      if (first >>> 4 === SKIPPABLE && this.#have === 4) this.#more(4)
      else if (first >>> 4 === SKIPPABLE) this.#go('skip', new DataView(this.#held.buffer).getUint32(4, true))
      // The descriptor says how long the header is.
      else if (first === MAGIC && this.#have === 4) this.#more(1)
      else if (first === MAGIC) this.#more(headerBytes(b4) - 5, 'header')
      // Zeros pad a stream, as tar and gzip do.
      else if (first === 0) this.#go('magic', 4)
      else throw new StreamBroken('there are further bytes after its end')
    } else if (this.#step === 'header') {
      this.#hasChecksum = (b4 & 4) !== 0
      checkHeader(this.#held.subarray(4, this.#have))
      this.#to.start()
      this.#to.bytes(this.#held.slice(0, this.#have))
      this.#go('block', 3)
    } else if (this.#step === 'block') {
      const header = b0 | (b1 << 8) | (b2 << 16)
      const type = (header >> 1) & 3
      if (type === RESERVED) throw new StreamBroken('a block of a reserved type')
      this.#isLast = (header & 1) === 1
      this.#to.bytes(this.#held.slice(0, 3))
      this.#go('body', type === RLE ? 1 : header >> 3)
    } else if (this.#step === 'body') {
      if (!this.#isLast) this.#go('block', 3)
      else if (this.#hasChecksum) this.#go('checksum', 4)
      else this.#endFrame(undefined)
    } else if (this.#step === 'checksum') this.#endFrame(first)
    else this.#go('magic', 4)
  }

  #endFrame(checksum: number | undefined): void {
    this.#to.end(checksum)
    this.#go('magic', 4)
  }

  #go(step: Step, needs: number): void {
    this.#step = step
    this.#needs = needs
    this.#have = 0
  }

  #more(needs: number, step = this.#step): void {
    this.#step = step
    this.#needs = needs
  }
}

const dictionaryBytes = (descriptor: number): number => [0, 1, 2, 4][descriptor & 3] ?? 0
const isSingleSegment = (descriptor: number): boolean => (descriptor & 32) !== 0

/** Bytes of a frame header, magic included. */
function headerBytes(descriptor: number): number {
  const isSingle = isSingleSegment(descriptor)
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0
  return 5 + (isSingle ? 0 : 1) + dictionaryBytes(descriptor) + sizeBytes
}

/** `header` from its descriptor on. */
function checkHeader(header: Uint8Array): void {
  const [descriptor = 0, second = 0] = header
  if (descriptor & 8) throw new StreamBroken('a reserved bit of the frame header is set')
  const isSingle = isSingleSegment(descriptor)
  const dictionaryAt = isSingle ? 1 : 2
  const sizeAt = dictionaryAt + dictionaryBytes(descriptor)
  if (header.subarray(dictionaryAt, sizeAt).some((byte) => byte !== 0)) {
    throw new StreamBroken('it needs a dictionary')
  }
  const window = isSingle ? contentBytes(header.subarray(sizeAt)) : 2 ** (10 + (second >> 3)) * (1 + (second & 7) / 8)
  if (window > MAX_WINDOW_BYTES) {
    throw new StreamBroken(`its window of ${window} bytes is more than ${MAX_WINDOW_BYTES}: compress it without --long`)
  }
}

function contentBytes(size: Uint8Array): number {
  const value = size.reduceRight((sum, byte) => sum * 256 + byte, 0)
  return size.length === 2 ? value + 256 : value
}

import { ImageCorrupt } from '../../error-table.js'

/** Reads the entropy-coded bits of one restart interval. Source: ITU-T T.81, annex F. */
export class BitReader {
  private buffer = 0
  private held = 0
  /** Zero bits that stand in for what is missing; none of them may be used. */
  private made = 0

  constructor(
    private readonly bytes: Uint8Array,
    public at: number,
  ) {}

  /** The next `count` bits, 16 at most, left where they are. */
  peek(count: number): number {
    while (this.held < count) {
      this.buffer = ((this.buffer << 8) | this.nextByte()) & 0xff_ffff
      this.held += 8
    }
    return (this.buffer >> (this.held - count)) & ((1 << count) - 1)
  }

  skip(count: number): void {
    this.held -= count
    if (this.held < this.made) throw ImageCorrupt('JPEG', 'its entropy-coded data end too soon')
  }

  /** Passes a restart marker, or throws where there is none. */
  restart(): void {
    this.buffer = this.held = this.made = 0
    // Bits that fill the last byte lie before the marker; a stray byte would do so, too.
    const marker = this.bytes[this.at + 1] ?? 0
    if (this.bytes[this.at] !== 0xff || marker < 0xd0 || marker > 0xd7) {
      throw ImageCorrupt('JPEG', 'a restart marker is missing')
    }
    this.at += 2
  }

  private nextByte(): number {
    const byte = this.bytes[this.at]
    if (byte === undefined || (byte === 0xff && this.bytes[this.at + 1] !== 0)) {
      this.made += 8
      return 0
    }
    this.at += byte === 0xff ? 2 : 1
    return byte
  }
}

/** Writes entropy-coded bits, a zero byte behind each 0xff. */
export class BitWriter {
  private out = new Uint8Array(1 << 16)
  private length = 0
  private buffer = 0
  private held = 0

  /** @param count 16 at most */
  put(bits: number, count: number): void {
    this.buffer = (this.buffer << count) | bits
    this.held += count
    while (this.held >= 8) {
      this.held -= 8
      this.byte((this.buffer >> this.held) & 0xff)
    }
    this.buffer &= (1 << this.held) - 1
  }

  /** Fills the last byte with ones and appends a marker that ends an interval. */
  mark(marker: number): void {
    this.fill()
    this.append(0xff)
    this.append(marker)
  }

  bytes(): Uint8Array {
    this.fill()
    return this.out.subarray(0, this.length)
  }

  private fill(): void {
    if (this.held > 0) this.put((1 << (8 - this.held)) - 1, 8 - this.held)
  }

  private byte(value: number): void {
    this.append(value)
    if (value === 0xff) this.append(0)
  }

  private append(value: number): void {
    if (this.length === this.out.length) {
      const grown = new Uint8Array(2 * this.length)
      grown.set(this.out)
      this.out = grown
    }
    this.out[this.length++] = value
  }
}

/** For each 16 bits that may follow: length of the code they start with, times 256, and its symbol; 0 where there is none. */
export type HuffmanTable = Uint16Array

/** Tables of a DHT segment's body, by class (0 DC, 1 AC) * 16 + destination. */
export function readHuffmanTables(body: Uint8Array, into: Map<number, HuffmanTable>): void {
  for (let at = 0; at + 17 <= body.length; ) {
    const id = body[at] as number
    const counts = body.subarray(at + 1, at + 17)
    const table = new Uint16Array(1 << 16)
    at += 17
    let code = 0
    counts.forEach((count, shorter) => {
      const length = shorter + 1
      for (let i = 0; i < count; i++, code += 1 << (16 - length)) {
        table.fill((length << 8) | (body[at++] ?? 0), code, code + (1 << (16 - length)))
      }
    })
    into.set(id, table)
  }
}

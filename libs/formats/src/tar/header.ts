// A tar file is blocks of 512 bytes: for each member a header, then its data padded with zeros to whole blocks; a block of
// zeros ends it. POSIX.1-2017 pax (ustar and extended headers); https://www.gnu.org/software/tar/manual/html_node/Standard.html
//
//   header = name:byte[100] mode:[8] uid:[8] gid:[8] size:octal[12] mtime:[12] checksum:octal[8] type:byte link:[100]
//            magic:byte[6] version:[2] user:[32] group:[32] devices:[16] prefix:byte[155] pad:[12]
export const BLOCK = 512

export interface TarHeader {
  /** Bytes of the name, each as one character: names are compared and cut, not shown. */
  readonly name: string
  readonly size: number
  readonly type: string
}

/** Data blocks of so many bytes take this many. */
export const padded = (bytes: number): number => Math.ceil(bytes / BLOCK) * BLOCK

export function isZeros(block: Uint8Array): boolean {
  return block.every((byte) => byte === 0)
}

/** @returns undefined when the checksum, or the size, is not that of a header */
export function readHeader(block: Uint8Array): TarHeader | undefined {
  const stored = numberAt(block, 148, 8)
  // Counted with the checksum's own bytes as blanks; old tars took bytes for signed.
  let unsigned = 8 * 32
  let signed = 8 * 32
  for (let at = 0; at < BLOCK; at++) {
    if (at >= 148 && at < 156) continue
    const byte = block[at] ?? 0
    unsigned += byte
    signed += byte < 128 ? byte : byte - 256
  }
  const size = numberAt(block, 124, 12)
  if ((stored !== unsigned && stored !== signed) || size === undefined || size < 0) return undefined
  const name = textAt(block, 0, 100)
  // GNU's older form ("ustar" and blanks) keeps times where the prefix is.
  const prefix = textAt(block, 257, 6) === 'ustar' ? textAt(block, 345, 155) : ''
  const type = String.fromCharCode(block[156] ?? 0)
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    size: hasData(type) ? size : 0,
    // The oldest tars know no folders but by their slash.
    type: type === '\0' && name.endsWith('/') ? '5' : type,
  }
}

/** Links, devices, folders and pipes have none, whatever their size says. */
function hasData(type: string): boolean {
  return !'123456'.includes(type)
}

/** Up to the first zero. */
function textAt(block: Uint8Array, at: number, length: number): string {
  const field = block.subarray(at, at + length)
  const end = field.indexOf(0)
  return latin1(end < 0 ? field : field.subarray(0, end))
}

/** Octal digits between blanks and zeros, or a big-endian number after a byte of 0x80 (negative ones: 0xff). */
function numberAt(block: Uint8Array, at: number, length: number): number | undefined {
  const first = block[at] ?? 0
  if (first === 0x80) {
    const value = block.subarray(at + 1, at + length).reduce((sum, byte) => sum * 256 + byte, 0)
    return Number.isSafeInteger(value) ? value : undefined
  }
  const text = textAt(block, at, length).trim()
  if (text === '') return 0
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : undefined
}

export const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')

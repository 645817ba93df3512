const SIGNATURES: readonly (readonly [kind: string, at: number, signature: string])[] = [
  ['PNG', 0, '\x89PNG\r\n\x1a\n'],
  ['GIF', 0, 'GIF8'],
  ['BMP', 0, 'BM'],
  ['WebP', 8, 'WEBP'],
  ['GZIP-compressed data', 0, '\x1f\x8b'],
  ['TIFF', 0, 'II*\0'],
  ['TIFF', 0, 'MM\0*'],
  ['AVIF or HEIF', 4, 'ftyp'],
  ['JPEG 2000', 0, '\0\0\0\x0cjP  '],
  ['JPEG XL', 0, '\xff\x0a'],
  ['a PDF document', 0, '%PDF'],
]

/** What the first bytes say: `JPEG`, `PNG`, or words for an error message. */
export function imageKindOf(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'there are none'
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'JPEG'
  const found = SIGNATURES.find(([, at, signature]) => startsWith(bytes, at, signature))
  if (found) return found[0] === 'PNG' ? 'PNG' : `they look like ${found[0]}`
  return `they start with ${Buffer.from(bytes.subarray(0, 8)).toString('hex')}`
}

function startsWith(bytes: Uint8Array, at: number, signature: string): boolean {
  for (let i = 0; i < signature.length; i++) if (bytes[at + i] !== signature.charCodeAt(i)) return false
  return true
}

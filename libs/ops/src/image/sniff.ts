/** Kinds of images that are decoded. */
export type ImageKind = 'JPEG' | 'PNG' | 'GIF' | 'BMP' | 'WebP'

const DECODED: readonly (readonly [kind: ImageKind, at: number, signature: string])[] = [
  ['JPEG', 0, '\xff\xd8\xff'],
  ['PNG', 0, '\x89PNG\r\n\x1a\n'],
  ['GIF', 0, 'GIF8'],
  ['BMP', 0, 'BM'],
  ['WebP', 8, 'WEBP'],
]

const OTHERS: readonly (readonly [what: string, at: number, signature: string])[] = [
  ['GZIP-compressed data', 0, '\x1f\x8b'],
  ['TIFF', 0, 'II*\0'],
  ['TIFF', 0, 'MM\0*'],
  ['AVIF or HEIF', 4, 'ftyp'],
  ['JPEG 2000', 0, '\0\0\0\x0cjP  '],
  ['JPEG XL', 0, '\xff\x0a'],
  ['a PDF document', 0, '%PDF'],
  ['HTML or XML', 0, '<'],
]

/** What the first bytes say, by the signatures that TensorFlow looks at; undefined for what is no image of these kinds. */
export function imageKindOf(bytes: Uint8Array): ImageKind | undefined {
  return DECODED.find(([, at, signature]) => startsWith(bytes, at, signature))?.[0]
}

/** Words for an error message on bytes that are no image of a known kind. */
export function looksLike(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'there are none'
  const found = OTHERS.find(([, at, signature]) => startsWith(bytes, at, signature))
  if (found) return `they look like ${found[0]}`
  return `they start with ${Buffer.from(bytes.subarray(0, 8)).toString('hex')}`
}

function startsWith(bytes: Uint8Array, at: number, signature: string): boolean {
  for (let i = 0; i < signature.length; i++) if (bytes[at + i] !== signature.charCodeAt(i)) return false
  return true
}

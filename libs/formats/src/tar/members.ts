import { BLOCK, isZeros, latin1, padded, readHeader, type TarHeader } from './header.js'

/** A file of a tar. */
export interface Member {
  /** Bytes of the name, each as one character. */
  readonly name: string
  readonly isFile: boolean
  /** Offset of the first header that is about it: extended headers stand before its own. */
  readonly start: number
  readonly dataAt: number
  readonly size: number
}

/** Longest extended header that is read: names are short. */
const MOST_META = 1 << 20

type Meta = { path?: string; size?: number }

/** Reads the headers of a tar one after the other. Fed with the blocks it asks for, it tells the members. */
export class MemberReader {
  /** Offset of the next bytes needed, and how many. */
  at: number
  need = BLOCK
  /** At a block of zeros, which ends the archive whatever follows. */
  isOver = false
  #start: number
  /** The extended header whose content comes next. */
  #open: TarHeader | undefined
  #meta: Meta = {}

  constructor(at: number) {
    this.at = at
    this.#start = at
  }

  /** Whether the bytes so far end between two members. */
  get isBetween(): boolean {
    return this.#start === this.at
  }

  /**
   * Takes the bytes asked for.
   * @returns the member that its header completes, why the bytes are no header, or undefined when more are needed
   */
  take(bytes: Uint8Array): Member | string | undefined {
    if (this.#open) return this.#takeMeta(this.#open, bytes)
    if (isZeros(bytes)) {
      this.isOver = true
      return undefined
    }
    const header = readHeader(bytes)
    if (!header) return 'its checksum is wrong'
    const dataAt = this.at + BLOCK
    if ('xgLK'.includes(header.type)) {
      if (header.size > MOST_META) return `an extended header of ${header.size} bytes`
      this.#open = header
      this.at = dataAt
      this.need = padded(header.size)
      return this.need === 0 ? this.#takeMeta(header, new Uint8Array(0)) : undefined
    }
    if (header.type === 'S' || header.type === 'M') return 'it is of a sparse file, or of one in several volumes'
    const size = this.#meta.size ?? header.size
    const name = this.#meta.path ?? header.name
    const member = { name, isFile: '0\x007'.includes(header.type), start: this.#start, dataAt, size }
    this.at = dataAt + padded(size)
    this.#start = this.at
    this.#meta = {}
    return member
  }

  #takeMeta({ type, size }: TarHeader, bytes: Uint8Array): string | undefined {
    this.at += this.need
    this.need = BLOCK
    this.#open = undefined
    const content = latin1(bytes.subarray(0, size))
    if (type === 'L') this.#meta.path = content.replace(/\0.*$/s, '')
    if (type !== 'x' && type !== 'g') return undefined
    const records = paxRecords(content)
    if (!records) return 'an extended header that is damaged'
    if ([...records.keys()].some((key) => key.startsWith('GNU.sparse.'))) return 'it is of a sparse file'
    if (type === 'g') {
      // It speaks of all later members, which are read without it.
      return records.has('path') || records.has('size') ? 'a global header that names or measures files' : undefined
    }
    const path = records.get('path')
    const length = records.get('size')
    if (path !== undefined) this.#meta.path = path
    if (length !== undefined) {
      if (!/^\d{1,15}$/.test(length)) return 'an extended header that is damaged'
      this.#meta.size = Number(length)
    }
    return undefined
  }
}

/** `LENGTH KEY=VALUE\n`, where LENGTH counts the whole of it. */
function paxRecords(content: string): Map<string, string> | undefined {
  const records = new Map<string, string>()
  for (let at = 0; at < content.length; ) {
    const [, digits = ''] = /^(\d{1,8}) /.exec(content.slice(at, at + 10)) ?? []
    const end = at + Number(digits)
    const record = content.slice(at + digits.length + 1, end)
    const cut = record.indexOf('=')
    if (digits === '' || end > content.length || cut < 0 || !record.endsWith('\n')) return undefined
    records.set(record.slice(0, cut), record.slice(cut + 1, -1))
    at = end
  }
  return records
}

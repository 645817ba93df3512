import { Decompress } from 'fzstd'
import xxhash from 'xxhash-wasm'
import { type Inflater, StreamBroken, StreamCut } from './inflater.js'
import { ZstdFrames } from './zstd-frames.js'

const NOTHING = new Uint8Array(0)

/** ZSTD of any number of frames, skippable ones between; checksums of their content are checked, which fzstd leaves out. */
export async function createZstdInflater(): Promise<Inflater> {
  const { create64 } = await xxhash()
  let emit: (bytes: Uint8Array) => void = () => undefined
  let hash = create64()
  let frame = new Decompress()

  const feed = (part: Uint8Array, isFinal: boolean): void => {
    try {
      frame.push(part, isFinal)
    } catch (error) {
      throw new StreamBroken((error as Error).message, { cause: error })
    }
  }

  const frames = new ZstdFrames({
    start() {
      hash = create64()
      frame = new Decompress((bytes) => {
        hash.update(bytes)
        emit(bytes)
      })
    },
    bytes: (part) => feed(part, false),
    end(checksum) {
      // fzstd waits for the four bytes that the header announces; it does not look at them.
      if (checksum !== undefined) feed(new Uint8Array(4), false)
      feed(NOTHING, true)
      if (checksum !== undefined && Number(hash.digest() & 0xffff_ffffn) !== checksum) {
        throw new StreamBroken('the content does not match its checksum')
      }
    },
  })

  return {
    async push(piece, onBytes) {
      emit = onBytes
      frames.push(piece)
    },
    async end() {
      if (!frames.isWhole) throw new StreamCut('unexpected end of file')
    },
    close: async () => undefined,
  }
}

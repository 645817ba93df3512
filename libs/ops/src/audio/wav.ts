import { WavCorrupt, WavUnsupported } from '../error-table.js'

/*
 * RIFF:4cc size:u32 WAVE:4cc chunk*        chunk = id:4cc size:u32 data pad?     (pad: one byte after an odd size)
 * fmt  = format:u16 channels:u16 rate:u32 bytesPerSecond:u32 bytesPerFrame:u16 bits:u16 [extra]
 * extra of format 0xfffe = size:u16 validBits:u16 channelMask:u32 subformat:16, whose first two bytes are the format
 * Source: Microsoft, "Multiple channel audio data and WAVE files"; what is read of 16 bit PCM is what
 * tensorflow/core/lib/wav/wav_io.cc reads.
 */
const RIFF_HEADER = 12
const CHUNK_HEADER = 8
const PCM = 1
const FLOAT = 3
const EXTENSIBLE = 0xfffe
/** Size that a writer leaves who could not go back to fill it in: the data reaches to the end. */
const UNKNOWN_SIZE = 0xffff_ffff

export interface Wav {
  readonly sampleRate: number
  readonly channels: number
  /** [samples, channels], in [-1, 1) for PCM. */
  readonly samples: Float32Array
}

interface WavFormat {
  readonly format: number
  readonly channels: number
  readonly sampleRate: number
  readonly bits: number
}

/** @throws StokerError STK_WAV_CORRUPT, STK_WAV_UNSUPPORTED */
export function readWav(bytes: Uint8Array): Wav {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const name = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4))
  if (bytes.length < RIFF_HEADER || name(0) !== 'RIFF' || name(8) !== 'WAVE') {
    throw WavCorrupt('it does not start with RIFF and WAVE')
  }
  let format: WavFormat | undefined
  for (let at = RIFF_HEADER; at + CHUNK_HEADER <= bytes.length; ) {
    const id = name(at)
    const said = view.getUint32(at + 4, true)
    const start = at + CHUNK_HEADER
    const size = id === 'data' && said === UNKNOWN_SIZE ? bytes.length - start : said
    if (start + size > bytes.length && (id === 'data' || id === 'fmt ')) {
      throw WavCorrupt(`chunk "${id}" says ${size} bytes, ${bytes.length - start} are left`)
    }
    if (id === 'fmt ') format = readFormat(view, start, size)
    else if (id === 'data') {
      if (!format) throw WavCorrupt('its data comes before its format')
      return { ...format, samples: readSamples(view, start, size, format) }
    }
    at = start + size + (size % 2)
  }
  throw WavCorrupt(`it has no "${format ? 'data' : 'fmt '}" chunk`)
}

function readFormat(view: DataView, at: number, size: number): WavFormat {
  if (size < 16) throw WavCorrupt(`its format has ${size} bytes, at least 16 are needed`)
  const tag = view.getUint16(at, true)
  const format = tag === EXTENSIBLE && size >= 26 ? view.getUint16(at + 24, true) : tag
  const channels = view.getUint16(at + 2, true)
  const sampleRate = view.getUint32(at + 4, true)
  const frameBytes = view.getUint16(at + 12, true)
  const bits = view.getUint16(at + 14, true)
  const known = format === PCM ? [8, 16, 24, 32] : format === FLOAT ? [32, 64] : []
  if (!known.includes(bits)) throw WavUnsupported(`format ${format} with ${bits} bits a sample`)
  if (channels === 0 || frameBytes !== (channels * bits) / 8) {
    throw WavCorrupt(`${channels} channels of ${bits} bits do not make ${frameBytes} bytes`)
  }
  return { format, channels, sampleRate, bits }
}

function readSamples(view: DataView, start: number, size: number, { format, channels, bits }: WavFormat): Float32Array {
  const width = bits / 8
  const samples = new Float32Array(Math.floor(size / (width * channels)) * channels)
  const read = readerOf(view, format, bits)
  for (let at = 0; at < samples.length; at++) samples[at] = read(start + at * width)
  return samples
}

function readerOf(view: DataView, format: number, bits: number): (at: number) => number {
  if (format === FLOAT) return bits === 32 ? (at) => view.getFloat32(at, true) : (at) => view.getFloat64(at, true)
  if (bits === 8) return (at) => (view.getUint8(at) - 128) / 2 ** 7
  if (bits === 16) return (at) => view.getInt16(at, true) / 2 ** 15
  if (bits === 24) return (at) => (view.getInt8(at + 2) * 2 ** 16 + view.getUint16(at, true)) / 2 ** 23
  return (at) => view.getInt32(at, true) / 2 ** 31
}

// Half seconds of notes played on cello, guitar and saxophone, from three npm packages of recordings.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeExample, writeTfrecord } from '@stoker/formats'
import { npmPackage } from '../support/packages.mjs'
import { mixed, shardFiles, writeIfMain } from '../support/recipe.mjs'

/** The classes, in the order of their numbers. */
export const INSTRUMENTS = ['cello', 'guitar-acoustic', 'saxophone']
export const SAMPLE_RATE = 44_100
export const SAMPLES = SAMPLE_RATE / 2
const BYTES = 2 * SAMPLES
/** Every A and A sharp is held out, in each octave (files are named A3.wav, As3.wav): pitches that were not learned. */
const isHeldOut = (file) => file.startsWith('A')
/** Half seconds taken of each recording: a plucked string has faded away after that. */
const PIECES = 4

export const recipe = {
  about: 'half seconds of notes on cello, guitar and saxophone, every A held out',
  name: 'audio-v1',
  make: async (note) => {
    const pieces = []
    for (const [label, instrument] of INSTRUMENTS.entries()) {
      const name = `tonejs-instrument-${instrument}-wav`
      note(`fetching the npm package ${name} (9 to 16 MB)`)
      const folder = await npmPackage(name, '1.1.0')
      const recordings = (await readdir(folder)).filter((file) => file.endsWith('.wav')).sort()
      for (const file of recordings) {
        for (const [at, audio] of halfSeconds(await readFile(join(folder, file)), file).entries()) {
          pieces.push({ key: `${instrument} ${file} ${at}`, heldOut: isHeldOut(file), audio, label })
        }
      }
    }
    const order = mixed(pieces, ({ key }) => key)
    const part = (heldOut) => order.filter((piece) => piece.heldOut === heldOut)
    const [train, test] = [part(false), part(true)]
    return {
      files: new Map([
        ...shardFiles('train', '.tfrecord', train, 4, asTfrecord),
        ...shardFiles('test', '.tfrecord', test, 1, asTfrecord),
      ]),
      ...{ train: 'train-*.tfrecord', test: 'test-*.tfrecord' },
      ...{ trainRecords: train.length, testRecords: test.length },
    }
  },
}

const asTfrecord = (pieces) =>
  writeTfrecord(
    pieces.map(({ audio, label }) => encodeExample({ audio: { bytes: [audio] }, label: { int64: [label] } })),
  )

/** The first half seconds of a 16 bit mono recording, each a WAV file of its own. */
function halfSeconds(wav, file) {
  // RIFF: 'RIFF' size 'WAVE', then chunks of: id, size:u32, bytes.
  let at = 12
  const chunk = () => ({ id: wav.toString('latin1', at, at + 4), size: wav.readUInt32LE(at + 4) })
  while (chunk().id !== 'fmt ') at += 8 + chunk().size
  const format = wav.subarray(at + 8, at + 8 + 16)
  if (format.readUInt16LE(2) !== 1 || format.readUInt32LE(4) !== SAMPLE_RATE || format.readUInt16LE(14) !== 16) {
    throw new Error(`${file} is no recording of 16 bits, one channel and ${SAMPLE_RATE} samples a second`)
  }
  while (chunk().id !== 'data') at += 8 + chunk().size
  const sound = wav.subarray(at + 8, at + 8 + chunk().size)
  const parts = Math.min(PIECES, Math.floor(sound.length / BYTES))
  return Array.from({ length: parts }, (_, part) => asWav(format, sound.subarray(part * BYTES, (part + 1) * BYTES)))
}

function asWav(format, sound) {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + sound.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.set(format, 20)
  header.write('data', 36)
  header.writeUInt32LE(sound.length, 40)
  return Buffer.concat([header, sound])
}

await writeIfMain(import.meta, recipe)

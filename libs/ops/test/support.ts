import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Tensor } from '@stoker/formats'
import { StokerError } from '@stoker/spec'

const FIXTURES = new URL('../../../test/fixtures/', import.meta.url)
export const fixture = (path: string): Buffer => readFileSync(new URL(path, FIXTURES))
export const golden = <T>(name: string): T => JSON.parse(fixture(`golden/${name}`).toString()) as T

/** What TensorFlow gave: shape and hash of an image, or its refusal. */
export interface GoldenImage {
  readonly shape?: number[]
  readonly sha256?: string
  readonly error?: string
}

/** SHA-256 of a tensor's bytes. */
export function sha256({ data }: Tensor): string {
  return createHash('sha256')
    .update(new Uint8Array(data.buffer, data.byteOffset, data.byteLength))
    .digest('hex')
}

export const summary = (image: Tensor) => ({ shape: [...image.shape], sha256: sha256(image) })

/** The coded error that an action fails with. */
export async function failureOf(action: () => unknown): Promise<StokerError> {
  try {
    await action()
  } catch (error) {
    if (error instanceof StokerError) return error
    throw error
  }
  throw new Error('it did not fail')
}

export interface Case {
  readonly id: string
  readonly file: string | string[]
  // biome-ignore lint/suspicious/noExplicitAny: each kind of case has its own form
  readonly expected: any
}
const cases = golden<Case[]>('../cases/manifest.json')
export const caseOf = (id: string): Case => cases.find((one) => one.id === id)!

import { collect } from '../collect.js'
import { NoListing, NoRanges, ReadOnlyStore } from '../error-table.js'
import type { ByteRange, CallOptions, ObjectStat, ObjectStore, ReadOptions } from '../object-store.js'
import { changed, checkedBody, type GetOptions, type Got, outside, sizeByContentRange } from '../remote/got.js'
import { type Remote, readRange, streamWhole } from '../remote/reads.js'
import type { OnRetry } from '../retry.js'
import { createHttpClient, type HttpAnswer, type HttpClient, leaveAnswer } from './http-client.js'
import type { HttpConfig } from './http-config.js'
import { answerError } from './http-error.js'
import { conditionOf, textOf, versionOf } from './version.js'
import { webAddress } from './web-address.js'

const FIRST_BYTE: ByteRange = { offset: 0, length: 1 }

/**
 * The store of `https:` and `http:` addresses: single objects, read only. Servers must take byte ranges (RFC 9110) and
 * send an ETag, or else Last-Modified. An object is looked at by a request for its first byte rather than by HEAD: it
 * shows whether ranges work, and addresses that are signed for GET take it.
 */
export class HttpStore implements ObjectStore {
  readonly #client: HttpClient
  readonly #remote: Remote

  constructor(config: HttpConfig, options: { onRetry?: OnRetry | undefined } = {}) {
    this.#client = createHttpClient(config, options.onRetry)
    this.#remote = {
      get: (uri, call) => this.#get(uri, call),
      head: (uri, call) => this.stat(uri, call),
      onRetry: options.onRetry,
    }
  }

  async list(address: string, options: CallOptions = {}): Promise<ObjectStat[]> {
    return [await this.stat(address, options)]
  }

  async stat(address: string, options: CallOptions = {}): Promise<ObjectStat> {
    const { stat, chunks } = await this.#get(webAddress(address), { ...options, range: FIRST_BYTE }, FIRST_BYTE)
    await collect(chunks)
    return stat
  }

  async read(uri: string, range: ByteRange, options: ReadOptions = {}): Promise<Uint8Array> {
    return readRange(this.#remote, webAddress(uri), range, options)
  }

  readAll(uri: string, options: ReadOptions = {}): Promise<Uint8Array> {
    return collect(this.stream(uri, options))
  }

  async *stream(uri: string, options: ReadOptions = {}): AsyncGenerator<Uint8Array> {
    yield* streamWhole(this.#remote, webAddress(uri), options)
  }

  async write(uri: string): Promise<ObjectStat> {
    throw ReadOnlyStore(uri)
  }

  async remove(uri: string): Promise<void> {
    throw ReadOnlyStore(uri)
  }

  async walk(prefix: string): Promise<ObjectStat[]> {
    throw NoListing(prefix)
  }

  async canonical(uri: string): Promise<string> {
    return webAddress(uri)
  }

  close(): Promise<void> {
    return this.#client.close()
  }

  /** @param look a range that an object without bytes is not too short for */
  async #get(uri: string, options: GetOptions, look?: ByteRange): Promise<Got> {
    const { range, etag, signal } = options
    const wanted = range ? `bytes=${range.offset}-${range.offset + range.length - 1}` : 'bytes=0-'
    const answer = await this.#client.get(uri, { range: wanted, ...conditionOf(etag) }, signal)
    try {
      const { statusCode } = answer
      if (statusCode === 206) return partOf(uri, answer, options)
      // Of no bytes there is no first one: some servers say so by 416, others send nothing whole.
      const mayBeEmpty = range === look || range === undefined
      if (statusCode === 416 && mayBeEmpty) return await this.#empty(uri, options)
      if (statusCode === 200 && mayBeEmpty && isEmpty(answer)) return nothingOf(uri, answer, options)
      throw await this.#refusal(uri, answer, options)
    } catch (error) {
      await leaveAnswer(answer)
      throw error
    }
  }

  async #empty(uri: string, { range: _, ...options }: GetOptions): Promise<Got> {
    const answer = await this.#client.get(uri, conditionOf(options.etag), options.signal)
    try {
      if (answer.statusCode === 200 && isEmpty(answer)) return nothingOf(uri, answer, options)
      throw await this.#refusal(uri, answer, options)
    } catch (error) {
      await leaveAnswer(answer)
      throw error
    }
  }

  async #refusal(uri: string, { statusCode }: HttpAnswer, options: GetOptions): Promise<Error> {
    const { range, etag, signal } = options
    const now = () => this.stat(uri, signal ? { signal } : {})
    if (statusCode === 412 && etag !== undefined) return changed(uri, etag, (await now()).etag)
    if (statusCode === 416 && range) return outside(uri, range, (await now()).size)
    return statusCode === 200 ? NoRanges(uri).with({ place: { shard: uri } }) : answerError(uri, statusCode)
  }
}

function partOf(uri: string, { headers, body }: HttpAnswer, { range, etag, signal }: GetOptions): Got {
  const size = sizeByContentRange(uri, textOf(headers['content-range']), range ?? FIRST_BYTE)
  const stat = checked({ uri, size, etag: versionOf(uri, headers, size) }, etag)
  return { stat, chunks: checkedBody(uri, body, range?.length ?? size, signal) }
}

const isEmpty = ({ headers }: HttpAnswer): boolean => textOf(headers['content-length']) === '0'

function nothingOf(uri: string, { headers, body }: HttpAnswer, { etag, signal }: GetOptions): Got {
  const stat = checked({ uri, size: 0, etag: versionOf(uri, headers, 0) }, etag)
  return { stat, chunks: checkedBody(uri, body, 0, signal) }
}

/** A server may ignore conditions. */
function checked(stat: ObjectStat, pinned: string | undefined): ObjectStat {
  if (pinned !== undefined && stat.etag !== pinned) throw changed(stat.uri, pinned, stat.etag)
  return stat
}

import { timingSafeEqual } from 'node:crypto'
import { type ApiKey, sha256 } from '@stoker/settings'

/** The keys that this server knows. How long a look-up takes tells nothing of them. */
export class KeyRing {
  readonly #keys: readonly ApiKey[]

  constructor(keys: readonly ApiKey[]) {
    this.#keys = keys
  }

  get isEmpty(): boolean {
    return this.#keys.length === 0
  }

  find(key: string): ApiKey | undefined {
    return this.#findHash(sha256(key), (known) => known.sha256)
  }

  /** By what `printOf` gives: a name for a key that is stored elsewhere, dies with the key, and does not serve as one. */
  findPrint(print: string): ApiKey | undefined {
    return this.#findHash(Buffer.from(print), (known) => Buffer.from(printOf(known)))
  }

  /** Compares all, each in constant time: neither how far a hash fits nor whose it is shows. */
  #findHash(given: Uint8Array, hashOf: (known: ApiKey) => Uint8Array): ApiKey | undefined {
    let found: ApiKey | undefined
    for (const known of this.#keys) {
      const hash = hashOf(known)
      if (hash.length === given.length && timingSafeEqual(hash, given)) found = known
    }
    return found
  }
}

/** Hash of name, scopes and key's hash, in hexadecimal. */
export const printOf = ({ name, scopes, sha256: hash }: ApiKey): string =>
  Buffer.from(sha256(`${name} ${scopes.join()} ${Buffer.from(hash).toString('hex')}`)).toString('hex')

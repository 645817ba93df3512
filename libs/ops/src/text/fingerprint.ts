import { fingerprint64 } from 'farmhash-modern'

/** `tf.strings.to_hash_bucket_fast`: FarmHash Fingerprint64 of the bytes, modulo the number of buckets. */
export const hashBucket = (text: Uint8Array, buckets: bigint): bigint => fingerprint64(text) % buckets

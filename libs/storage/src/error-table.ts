import { defineError } from '@stoker/spec'

export const BadUri = defineError('STK_STORAGE_BAD_URI', '"%s": %s', {
  status: 400,
  remedy: 'write s3://bucket/key, gs://bucket/key, https://host/path, file:///absolute/path, or file:relative/path',
})
/** A setting's value as errors may show it: somebody may have put a password into an address. */
export const withoutLogin = (text: string): string => text.replace(/\/\/[^,]*@/gs, '//***@')
export const BadSetting = defineError('STK_STORAGE_BAD_SETTING', '%s="%s": expected %s', { status: 400 })
export const OutsideRoots = defineError(
  'STK_STORAGE_OUTSIDE_ROOTS',
  '%s is outside the folders that file: may use (%s)',
  {
    status: 403,
    remedy: 'move it below one of them, or add its folder to STOKER_FILE_ROOTS',
  },
)
export const OutsidePlaces = defineError(
  'STK_STORAGE_OUTSIDE_SOURCES',
  '%s is outside the places that jobs may read (%s)',
  {
    status: 403,
    remedy: 'move it below one of them, or add its prefix to STOKER_SOURCES where Stoker runs, api and workers alike',
  },
)
export const NoMatch = defineError('STK_STORAGE_NO_MATCH', 'nothing matches %s', {
  status: 404,
  remedy:
    'check the pattern: * and ? stay within one path segment, ** spans several; to read a whole folder end it in /*',
})
export const ObjectMissing = defineError('STK_STORAGE_MISSING', '%s does not exist', { status: 404 })
export const BucketMissing = defineError('STK_STORAGE_BUCKET_MISSING', 'there is no bucket for %s', { status: 404 })
export const AccessDenied = defineError('STK_STORAGE_ACCESS_DENIED', 'no permission to %s %s (%s)', {
  status: 403,
  remedy: 'grant it to the credentials in use, or use others',
})
export const NoCredentials = defineError('STK_STORAGE_NO_CREDENTIALS', 'no credentials for %s: %s', {
  status: 403,
  remedy: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or another source of the AWS credential chain',
})
/** Nobody said in which region the buckets lie: a fault of the installation, not of the request. */
export const NoRegion = defineError('STK_STORAGE_NO_REGION', 'no S3 region is set, so %s cannot be reached', {
  status: 500,
  remedy: 'set STOKER_S3_REGION (or AWS_REGION), such as us-east-1, where Stoker runs',
})
/** The object is not the one that was pinned. */
export const ShardChanged = defineError('STK_STORAGE_CHANGED', '%s changed: pinned as ETag %s, now %s', {
  status: 409,
  remedy: 'submit the job again, so that it pins the object as it is now',
})
export const AlreadyExists = defineError('STK_STORAGE_EXISTS', '%s exists already', { status: 409 })
export const PathBlocked = defineError('STK_STORAGE_PATH_BLOCKED', 'cannot write %s: %s', {
  status: 409,
  remedy: 'never store both x and x/y: choose another name or remove the one in the way',
})
export const RangeOutside = defineError('STK_STORAGE_RANGE', '%s: bytes %d to %d asked, but it has %d', { status: 416 })
/** The connection or the file ended before the bytes that were promised had come. */
export const TruncatedBody = defineError('STK_STORAGE_TRUNCATED', '%s: %d bytes asked, %d came', {
  status: 503,
  retryable: true,
})
export const StorageUnavailable = defineError('STK_STORAGE_UNAVAILABLE', 'cannot %s %s now: %s', {
  status: 503,
  retryable: true,
})
export const StorageFailed = defineError('STK_STORAGE_FAILED', 'cannot %s %s: %s')

/** The address is one that only this machine, or its network, can reach. */
export const AddressRefused = defineError('STK_STORAGE_ADDRESS', '%s leads to %s, which is no public address', {
  status: 403,
  remedy: 'if jobs may read from there, add the host or its network to STOKER_HTTP_PRIVATE where Stoker runs',
})
export const NoRanges = defineError('STK_STORAGE_NO_RANGES', '%s: the server sends no byte ranges', {
  status: 422,
  remedy: 'copy the object to a server that takes range requests, to s3: or to file:',
})
export const NoVersion = defineError('STK_STORAGE_NO_VERSION', '%s: the server sends neither ETag nor Last-Modified', {
  status: 422,
  remedy: 'without them a change would go unnoticed: copy the object to another server, to s3: or to file:',
})
export const ReadOnlyStore = defineError('STK_STORAGE_READ_ONLY', 'cannot write %s: https: is read only', {
  status: 400,
  remedy: 'write to s3:, gs: or file:',
})
export const NoListing = defineError('STK_STORAGE_NO_LISTING', '%s cannot be listed: https: has single objects only', {
  status: 400,
  remedy: 'name the address of each object, or put them into s3:, gs: or file:',
})

import { defineError } from '@stoker/spec'

export const AddressTaken = defineError('STK_API_ADDRESS', 'cannot listen on %s port %d: %s', {
  remedy: 'stop what listens there, or set STOKER_HOST and STOKER_PORT to another address',
})
export const OpenAddress = defineError('STK_API_OPEN', 'without API keys the api does not listen on %s', {
  remedy:
    'make a key with `stoker key NAME`, put its line into a file and set STOKER_API_KEYS_FILE to that; ' +
    'or set STOKER_HOST=127.0.0.1',
})
export const TlsInvalid = defineError(
  'STK_API_TLS',
  'STOKER_TLS_CERT_FILE and STOKER_TLS_KEY_FILE cannot be used: %s',
  {
    remedy: 'set both: the certificate with its chain, and its private key, each as PEM',
  },
)
export const KeyMissing = defineError('STK_API_KEY_MISSING', 'this server asks for an API key', {
  status: 401,
  remedy: 'send it as the header `authorization: Bearer KEY`; `stoker` takes it from STOKER_API_KEY',
})
export const KeyUnknown = defineError('STK_API_KEY_UNKNOWN', 'this API key is not known here', {
  status: 401,
  remedy: 'see that it is whole and meant for this server, or ask who runs it for another',
})
export const ScopeMissing = defineError('STK_API_SCOPE', 'the API key %s lacks the scope %s', {
  status: 403,
  remedy: 'use a key that has it, or ask who runs this server for one',
})
export const TooManyRequests = defineError('STK_API_RATE', 'more than %d requests within a minute', {
  status: 429,
  retryable: true,
  remedy: 'ask again after the seconds in retry-after; STOKER_RATE_LIMIT of the api sets what a key may ask',
})
export const HostForeign = defineError('STK_API_HOST', 'without API keys nothing is served under the name %s', {
  status: 421,
  remedy: 'ask 127.0.0.1 or localhost; behind a proxy, set STOKER_API_KEYS_FILE of the api',
})
export const RouteUnknown = defineError('STK_API_ROUTE_UNKNOWN', 'there is no %s %s', {
  status: 404,
  remedy: 'the routes there are stand at /docs',
})
export const MethodUnknown = defineError('STK_API_METHOD', '%s is not possible at %s, only %s', {
  status: 405,
  remedy: 'use one of these methods; /docs tells what each does',
})
export const BodyNotJson = defineError(
  'STK_API_BODY_JSON',
  'the body is no JSON: %s at line %d, column %d (position %d)',
  {
    status: 400,
    remedy: 'correct the text at that position; JSON has no comments and no trailing commas',
  },
)
export const BodyForbidden = defineError(
  'STK_API_BODY_FORBIDDEN',
  'the body has the property %s, which could change objects of the server',
  { status: 400, remedy: 'leave that property out: no job has one of this name' },
)
export const BodyTooDeep = defineError('STK_API_BODY_DEPTH', 'the body is nested more than %d levels deep', {
  status: 400,
  remedy: 'flatten the document',
})
export const BodyTooLarge = defineError('STK_API_BODY_SIZE', 'the body is larger than %s (%d bytes)', {
  status: 413,
  remedy: 'make the document smaller, or raise STOKER_BODY_LIMIT of the api',
})
export const BodyTypeUnknown = defineError('STK_API_BODY_TYPE', 'a body of type %s is not read here', {
  status: 415,
  remedy: 'send JSON with the header content-type: application/json',
})
export const RequestInvalid = defineError('STK_API_REQUEST', 'the request cannot be read: %s', {
  status: 400,
  remedy: 'see /docs for what this route takes',
})
export const CrossSite = defineError('STK_API_CROSS_SITE', 'a page of another site may not change anything here', {
  status: 403,
  remedy: 'use the page of this server, or a client that is no browser',
})
export const HasTrainer = defineError('STK_API_HAS_TRAINER', 'the batches of job %s go to its trainer', {
  status: 409,
  remedy: 'look at batches with GET /v1/jobs/:id/batches/:epoch/:batch, or submit the pipeline without train',
})
export const IsChild = defineError('STK_API_CHILD', 'job %s is the validation feed of job %s', {
  status: 409,
  remedy: 'cancel, pause or resume that job: its feed follows',
})
export const JobFailed = defineError('STK_API_JOB_ENDED', 'job %s is %s: %s', {
  status: 410,
  remedy: 'correct the cause and submit the job again',
})
export const NoWorkerAnswered = defineError(
  'STK_API_NO_WORKER',
  'no worker answered within %d ms: batch %d of epoch %d is still to be made',
  {
    status: 504,
    retryable: true,
    remedy: 'see that a worker runs with the same STOKER_REDIS_URL as the api, then ask again',
  },
)
export const NoImageField = defineError('STK_API_NO_IMAGE', 'no field of the batch looks like an image: %s', {
  status: 422,
  remedy: 'use ?format=json to look at numbers',
})

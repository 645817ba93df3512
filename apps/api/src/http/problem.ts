import { STATUS_CODES } from 'node:http'
import { formatBytes, StokerError, toStokerError } from '@stoker/spec'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../app-type.js'
import type { Context } from '../context.js'
import {
  BodyTooLarge,
  BodyTypeUnknown,
  MethodUnknown,
  NoWorkerAnswered,
  RequestInvalid,
  RouteUnknown,
} from '../error-table.js'
import type { Problem } from '../schemas.js'
import { KnownMethods } from './methods.js'

/** Media type and members: RFC 9457. */
export const PROBLEM_TYPE = 'application/problem+json'
const RETRY_AFTER_SECONDS = 2

/**
 * The body of an answer that tells of an error. Below 500 it says what to change; from 500 on it says nothing of the
 * inside, but for the code and the remedy of its table; a stranger, who has no key, gets no remedy either.
 */
export function toProblem(error: StokerError, requestId: string, isStranger = false): Problem {
  const { status, code, message, place, remedy } = error
  const title = STATUS_CODES[status] ?? 'Error'
  const base = { type: 'about:blank', title, status, code }
  if (status < 500 || NoWorkerAnswered.is(error)) {
    return { ...base, detail: message, ...(place ? { place } : {}), ...(remedy ? { remedy } : {}) }
  }
  const detail =
    status === 503
      ? 'a service that Stoker needs does not answer'
      : `Stoker failed; its log says why (request ${requestId})`
  if (isStranger) return { ...base, detail }
  return { ...base, detail, remedy: remedy ?? 'try again; if it stays so, look into the log of the api' }
}

/** Every answer that is no success is a problem document. */
export function answerProblems(app: App, { config }: Context): void {
  const known = KnownMethods.of(app)
  app.setErrorHandler(async (error, request, reply) => answerProblem(error, request, reply, config.bodyLimitBytes))
  app.setNotFoundHandler(async (request, reply) => {
    const [path = ''] = request.url.split('?')
    const methods = known.at(path)
    const error =
      methods.length > 0 && !methods.includes(request.method)
        ? MethodUnknown(request.method, path, methods.join(', '))
        : RouteUnknown(request.method, path)
    if (MethodUnknown.is(error)) reply.header('allow', methods.join(', '))
    return reply.code(error.status).type(PROBLEM_TYPE).send(toProblem(error, request.id))
  })
}

export function answerProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  bodyLimitBytes: number,
): FastifyReply {
  const known = toKnown(error, request.headers['content-type'], bodyLimitBytes)
  if (known.status >= 500 && known.retryable) request.log.warn({ err: known.toJSON() }, 'request failed for now')
  else if (known.status >= 500) request.log.error({ err: known, cause: known.cause }, 'request failed')
  if (known.status === 503) reply.header('retry-after', RETRY_AFTER_SECONDS)
  const problem = toProblem(known, request.id, request.caller === undefined)
  return reply.code(known.status).type(PROBLEM_TYPE).send(problem)
}

/** Fastify's own errors, by their code, in the words of this api. */
function toKnown(error: unknown, contentType: string | undefined, limitBytes: number): StokerError {
  if (error instanceof StokerError || !(error instanceof Error)) return toStokerError(error)
  const { code, statusCode } = error as Error & { code?: string; statusCode?: number }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return BodyTooLarge(formatBytes(limitBytes), limitBytes)
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return BodyTypeUnknown(contentType ?? 'unknown')
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return RequestInvalid(error.message)
  return toStokerError(error)
}

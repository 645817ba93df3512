import { factsOffline } from '@stoker/coordinator'
import { type Finding as FindingView, JobSchema, lint, parseJob, StokerError } from '@stoker/spec'
import { Type } from 'typebox'
import type { App } from '../app-type.js'
import { checkAllButBody } from '../http/validation.js'
import { Finding, problems } from '../schemas.js'

export function lintJob(app: App): void {
  app.post(
    '/v1/lint',
    {
      config: { access: 'jobs:read' },
      schema: {
        tags: ['jobs'],
        summary: 'Look for mistakes in a job without submitting it',
        description: 'Touches no data. A document that is no job gives one finding of level error.',
        body: JobSchema,
        response: {
          200: Type.Object({ findings: Type.Array(Finding) }, { additionalProperties: false }),
          ...problems(400, 413, 415),
        },
      },
      validatorCompiler: checkAllButBody,
    },
    async (request) => ({ findings: findingsOf(request.body) }),
  )
}

function findingsOf(document: unknown): FindingView[] {
  try {
    const checked = parseJob(document)
    return lint(checked, factsOffline(checked))
  } catch (error) {
    if (!(error instanceof StokerError) || error.status >= 500) throw error
    const { code, message, place, remedy } = error
    return [{ code, level: 'error', path: place?.path ?? '', message, fix: remedy ?? 'see /docs for what a job is' }]
  }
}

import type { App, RouteContext } from '../app-type.js'
import { cancelJob } from './cancel-job.js'
import { getBatch } from './get-batch.js'
import { getJob } from './get-job.js'
import { healthz } from './healthz.js'
import { jobEvents } from './job-events.js'
import { lintJob } from './lint-job.js'
import { listBadRecords } from './list-bad-records.js'
import { listJobs } from './list-jobs.js'
import { moveCursor } from './move-cursor.js'
import { pauseJob } from './pause-job.js'
import { readyz } from './readyz.js'
import { resumeJob } from './resume-job.js'
import { session } from './session.js'
import { submitJob } from './submit-job.js'
import { takeBatch } from './take-batch.js'

/** One line a route. */
export const ROUTES: readonly ((app: App, context: RouteContext) => void)[] = [
  ...[submitJob, lintJob, listJobs, getJob, listBadRecords, cancelJob, pauseJob, resumeJob, jobEvents],
  ...[getBatch, takeBatch, moveCursor],
  ...[healthz, readyz, session],
]

import { isFinished } from '@stoker/jobs'
import type { App, RouteContext } from '../app-type.js'
import { changeState } from './change-state.js'

export function resumeJob(app: App, context: RouteContext): void {
  changeState(app, context, {
    verb: 'resume',
    summary: 'Let a paused job go on',
    target: ({ state, pausedFrom }) =>
      state === 'paused' ? (pausedFrom ?? 'running') : isFinished(state) ? 'running' : undefined,
  })
}

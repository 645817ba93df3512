import type { App, RouteContext } from '../app-type.js'
import { changeState } from './change-state.js'

export function cancelJob(app: App, context: RouteContext): void {
  changeState(app, context, {
    verb: 'cancel',
    summary: 'End a job; its batches are freed',
    target: ({ state }) => (state === 'cancelled' ? undefined : 'cancelled'),
  })
}

import type { App, RouteContext } from '../app-type.js'
import { changeState } from './change-state.js'

export function pauseJob(app: App, context: RouteContext): void {
  changeState(app, context, {
    verb: 'pause',
    summary: 'Release no more tasks; what is ready stays',
    target: ({ state }) => (state === 'paused' ? undefined : 'paused'),
  })
}

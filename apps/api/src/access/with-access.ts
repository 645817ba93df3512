import type { App } from '../app-type.js'
import type { Access } from './caller.js'

/** Lets a plugin declare its routes with one access for all: plugins of others know nothing of it. */
export async function withAccess(app: App, access: Access, declare: (app: App) => Promise<unknown>): Promise<void> {
  await app.register(async (within) => {
    within.addHook('onRoute', (route) => {
      route.config = { ...route.config, access }
    })
    await declare(within as App)
  })
}

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import { withAccess } from '../access/with-access.js'
import type { App } from '../app-type.js'

const folder = fileURLToPath(new URL('dist/', import.meta.resolve('@stoker/dashboard/package.json')))

/** The dashboard's built files at /, for everybody: the page itself holds nothing, and asks for a key where one is needed. Names in assets/ hold a hash, so those never change. */
export async function serveDashboard(app: App): Promise<void> {
  if (!existsSync(folder)) {
    app.log.warn({ folder }, 'the dashboard is not built, so there is no page at /; run: npm run build')
    return
  }
  await withAccess(app, 'open', async (open) =>
    open.register(fastifyStatic, {
      root: folder,
      cacheControl: false,
      setHeaders: (reply, path) => {
        const isHashed = path.includes('/assets/')
        reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache')
      },
    }),
  )
}

import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import { KEY_SCHEME } from '../access/tell-access.js'
import { withAccess } from '../access/with-access.js'
import type { App } from '../app-type.js'

const TAGS = [
  { name: 'jobs', description: 'submit, look at, and control jobs' },
  { name: 'batches', description: 'look at batches, or pull them' },
  { name: 'access', description: 'for browsers' },
  { name: 'health', description: 'for load balancers and people' },
]

/** Collects the schemas of all routes declared after it. */
export async function describeApi(app: App): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Stoker',
        version: '1',
        description: 'Keeps an accelerator fed. Errors are problem documents (RFC 9457).',
      },
      tags: TAGS,
      components: {
        securitySchemes: {
          [KEY_SCHEME]: { type: 'http', scheme: 'bearer', description: 'an API key, where the server has any' },
        },
      },
    },
  })
}

/** The OpenAPI document at /docs/json and /openapi.json, the page at /docs. */
export async function serveDocs(app: App): Promise<void> {
  await withAccess(app, 'any key', async (keyed) => {
    await keyed.register(swaggerUi, { routePrefix: '/docs', uiConfig: { docExpansion: 'list', tryItOutEnabled: true } })
    keyed.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
  })
}

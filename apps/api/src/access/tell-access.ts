import type { App } from '../app-type.js'
import { problems } from '../schemas.js'

/** The name under which the OpenAPI document has the key. */
export const KEY_SCHEME = 'key'

/** Adds to the description of every route declared after it which key it asks for, and how a refusal looks. */
export function tellAccess(app: App): void {
  app.addHook('onRoute', (route) => {
    const access = route.config?.access
    if (access === undefined || !route.schema) return
    const isOpen = access === 'open'
    const asked = access === 'any key' ? 'Any API key.' : `API key with the scope \`${access}\`.`
    const { description = '', response = {} } = route.schema
    route.schema = {
      ...route.schema,
      ...(isOpen
        ? {}
        : { description: `${description}${description ? ' ' : ''}${asked}`, security: [{ [KEY_SCHEME]: [] }] }),
      response: { ...(isOpen ? {} : problems(401, 403)), ...problems(429), ...(response as object) },
    }
  })
}

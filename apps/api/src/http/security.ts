import type { App } from '../app-type.js'
import { CrossSite } from '../error-table.js'

const NOTHING = "default-src 'none'; frame-ancestors 'none'"
/** The dashboard: its own files only, no inline script or style. */
const OWN_FILES = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
/** Swagger UI and Bull Board write style attributes, and set a base. */
const FOREIGN_PAGE = OWN_FILES.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'").replace(
  "base-uri 'none'",
  "base-uri 'self'",
)

const policyOf = (path: string): string => {
  if (path.startsWith('/v1/')) return NOTHING
  return /^\/(docs|queues)(\/|$)/.test(path) ? FOREIGN_PAGE : OWN_FILES
}

const CHANGES_NOTHING = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Headers that keep browsers from guessing, framing and loading from elsewhere; no changes for pages of other sites. */
export function setSecurityHeaders(app: App): void {
  app.addHook('onRequest', async (request, reply) => {
    const [path = ''] = request.url.split('?')
    reply.headers({
      'content-security-policy': policyOf(path),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'cross-origin-resource-policy': 'same-origin',
    })
    // Browsers send it with every request, and pages cannot set it.
    const site = request.headers['sec-fetch-site']
    const isForeign = site === 'cross-site' || site === 'same-site'
    if (isForeign && !CHANGES_NOTHING.has(request.method)) throw CrossSite()
  })
}

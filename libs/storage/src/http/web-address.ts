import { BadUri } from '../error-table.js'

/** The address as it is asked for. @throws BadUri when it is none, or holds a password */
export function webAddress(uri: string): string {
  if (!URL.canParse(uri)) throw BadUri(uri, 'it is no address')
  const url = new URL(uri)
  if (url.username || url.password) {
    url.username = ''
    url.password = ''
    throw BadUri(url.href, 'a name and password do not belong into an address: it is shown and kept')
  }
  url.hash = ''
  return url.href
}

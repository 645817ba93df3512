import { BadSetting } from '../error-table.js'

/** STOKER_HTTP_PRIVATE: names, addresses and networks, separated by commas. */
export function privateHostsOf(text: string): string[] {
  const hosts = text.split(',').map((host) => host.trim())
  const isHost = (host: string) => /^[\w.-]+$/.test(host) || /^[\da-f:.]+(\/\d{1,3})?$/i.test(host)
  if (!hosts.every(isHost)) {
    throw BadSetting('STOKER_HTTP_PRIVATE', text, 'names, addresses and networks (10.1.0.0/16) separated by ","')
  }
  return hosts
}

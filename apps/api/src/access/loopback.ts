import { BlockList, isIP } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

/** Whether a host, as settings and `Host` headers (without port) write it, is this machine's own loopback. */
export function isLoopback(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase()
  const family = isIP(name)
  if (family === 0) return name === 'localhost' || name.endsWith('.localhost')
  return loopback.check(name, family === 6 ? 'ipv6' : 'ipv4')
}

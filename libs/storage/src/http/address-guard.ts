import { type LookupAddress, lookup as lookupAddresses } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { AddressRefused } from '../error-table.js'
import type { HttpConfig } from './http-config.js'

/**
 * Keeps requests to where anybody could send them. A name is judged by the addresses that are then connected to, so a
 * name server that changes its answer gains nothing; one refused address refuses the name.
 */
export interface AddressGuard {
  /** Of hosts that are addresses: they are connected to without a look-up. @throws AddressRefused */
  check(url: URL): void
  /** Looks names up for a connection, with the same answer or AddressRefused. */
  readonly lookup: LookupFunction
}

export function createAddressGuard({ privateHosts = [] }: HttpConfig): AddressGuard {
  const names = new Set(privateHosts.filter((host) => !isNetwork(host)).map((host) => host.toLowerCase()))
  const networks = privateHosts.filter(isNetwork).map(networkOf)

  const isAllowed = (host: string, address: string): boolean => {
    if (names.has(host.toLowerCase())) return true
    const parsed = ipaddr.process(address)
    return (
      parsed.range() === 'unicast' ||
      networks.some(([at, bits]) => at.kind() === parsed.kind() && parsed.match(at, bits))
    )
  }

  return {
    check(url) {
      const host = url.hostname.replace(/^\[|\]$/g, '')
      if (isIP(host) !== 0 && !isAllowed(host, host)) throw AddressRefused(url.host, host)
    },
    lookup(host, options, callback) {
      lookupAddresses(host, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
        if (error) return callback(error, '', 0)
        const refused = addresses.find(({ address }) => !isAllowed(host, address))
        if (refused) return callback(AddressRefused(host, refused.address), '', 0)
        if (options.all) return callback(null, addresses)
        const [first] = addresses
        callback(null, first?.address ?? '', first?.family)
      })
    },
  }
}

/** Whether a text is an address or a network, not a name. */
export function isNetwork(text: string): boolean {
  return ipaddr.isValid(text) || ipaddr.isValidCIDR(text)
}

function networkOf(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

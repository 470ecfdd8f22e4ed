/**
 * Which addresses are this machine. A target is judged by the address that is really connected to, never by how its name is
 * spelt: a name may resolve to anything, and to something else the next time.
 */
import { BlockList, isIP } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether an IP address (no name, no brackets) can only be reached from this machine; IPv4 inside IPv6 is seen through. */
export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && loopback.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/**
 * The host of a URL as it is connected to: an address without brackets, or a name in lower case without its last dot. Every
 * spelling that the URL standard reads as an address (decimal, octal, hexadecimal, short, full-width) has become that address.
 */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/** The same of a host as a person writes it, in a list of those allowed; null where it cannot be one. */
export function readHost(text: string): string | null {
  const bare = text.trim()
  if (bare === '' || /[/?#@\\\s]/.test(bare)) return null
  const isIpv6 = isIP(bare) === 6
  // A port here can only be a mistake, and so can a scheme.
  if (!isIpv6 && /:(?![^[]*\])/.test(bare)) return null
  const written = isIpv6 ? `[${bare}]` : bare
  const url = URL.canParse(`http://${written}/`) ? new URL(`http://${written}/`) : null
  return url === null ? null : hostOf(url)
}

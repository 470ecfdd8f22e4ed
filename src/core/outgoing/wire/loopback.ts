/**
 * Tells which addresses are this computer, by the address and not the name, which may resolve
 * differently next time.
 */
import { BlockList, isIP } from 'node:net'

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether an IP address without brackets is this computer. Handles IPv4 inside IPv6. */
export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && loopback.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** Returns an address without brackets, or a lower-case name without its trailing dot. */
export function hostOf({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/** Parses a host as typed; null if it isn't valid. */
export function readHost(text: string): string | null {
  const host = text.trim()
  // A path, a user name or spaces.
  if (host === '' || /[/?#@\\\s]/.test(host)) return null
  const isIpv6 = isIP(host) === 6
  // A port or scheme can only be a mistake here.
  if (!isIpv6 && host.lastIndexOf(':') > host.lastIndexOf(']')) return null
  const written = isIpv6 ? `[${host}]` : host
  const url = URL.canParse(`http://${written}/`) ? new URL(`http://${written}/`) : null
  return url === null ? null : hostOf(url)
}

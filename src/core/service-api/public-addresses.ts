/** Addresses that others can reach. Not in the folder `hooks`, which may not import node:net. */
import { BlockList, isIP } from 'node:net'

const NOT_PUBLIC: readonly [string, number, 'ipv4' | 'ipv6'][] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
  ['::', 127, 'ipv6'],
  ['fc00::', 7, 'ipv6'],
  ['fe80::', 10, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
]

const notPublic = new BlockList()
for (const [net, prefix, family] of NOT_PUBLIC) notPublic.addSubnet(net, prefix, family)

/** Whether the internet can't reach an IP address, also if it is IPv4 inside IPv6. */
export function isNotPublic(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && notPublic.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

export function isAddress(text: string): boolean {
  return isIP(text) !== 0
}

/**
 * What is worth knowing of a URL before it is registered with a service elsewhere (section 2.1): whether it is a public address,
 * and whether its certificate verifies. Warnings, not refusals: the service decides, and a tunnel may come up later.
 */
import { lookup } from 'node:dns/promises'
import type { z } from 'zod'
import { BlockList, isIP } from 'node:net'
import type { hookFindingSchema } from '../../shared/model/hook.ts'

export type HookWarning = z.infer<typeof hookFindingSchema>

export interface ReachabilityDeps {
  /** Why the certificate at a URL does not verify; null where it does, or none was shown. */
  findCertificateProblem(url: string): Promise<string | null>
  /** The addresses of a name; rejects where it has none. By default the system is asked. */
  addressesOf?(host: string): Promise<readonly string[]>
}

function warning(rule: string, message: string): HookWarning {
  return { rule, section: '2.1', field: 'url', message }
}

async function lookUp(host: string): Promise<readonly string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

/** Looks at the address and its certificate; no request is made, since the receiver itself may be what answers there. Never rejects. */
export async function checkReachability(
  url: string,
  { findCertificateProblem, addressesOf = lookUp }: ReachabilityDeps,
): Promise<HookWarning[]> {
  if (!URL.canParse(url)) return []
  const hostname = new URL(url).hostname.replaceAll(/^\[|\]$/g, '')
  try {
    const hidden = (isAddress(hostname) ? [hostname] : await addressesOf(hostname)).find(isNotPublic)
    if (hidden !== undefined) {
      const what = hostname === hidden ? `${hostname} is an address that` : `${hostname} is ${hidden}, which`
      return [
        warning(
          'url-not-public',
          `${what} the service cannot reach from outside. Put a tunnel in front, and register its public address.`,
        ),
      ]
    }
  } catch {
    return [warning('url-unknown-host', `${hostname} has no address, so the service cannot reach it.`)]
  }
  const problem = await findCertificateProblem(url)
  // Section 2.1: what the service trusts is its own affair, so no authority of ours helps there.
  const advice = 'The service accepts valid certificates only. Use one from a public CA, or a tunnel.'
  return problem === null ? [] : [warning('url-certificate', `${problem} ${advice}`)]
}

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

/** Whether an IP address is one that only this machine or its network can reach. An IPv4 address inside IPv6 counts as itself. */
export function isNotPublic(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && notPublic.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/** Which IP addresses others can reach: a service elsewhere cannot deliver to the rest. */
function isAddress(text: string): boolean {
  return isIP(text) !== 0
}

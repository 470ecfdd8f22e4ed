/**
 * What is worth knowing of a URL before it is registered with a service elsewhere (section 2.1): whether it is a public address,
 * and whether its certificate verifies. Warnings, not refusals: the service decides, and a tunnel may come up later.
 */
import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import type { z } from 'zod'
import type { hookFindingSchema } from '../../shared/model/hook.ts'
import type { Sender } from '../dispatch/sender.ts'

export type HookWarning = z.infer<typeof hookFindingSchema>

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

function warning(rule: string, message: string): HookWarning {
  return { rule, section: '2.1', field: 'url', message }
}

async function addressesOf(host: string): Promise<string[]> {
  const bare = host.replace(/^\[|\]$/g, '')
  if (isIP(bare) !== 0) return [bare]
  return (await lookup(bare, { all: true })).map(({ address }) => address)
}

/** Looks at the address, and asks it for nothing but its certificate (a HEAD request, whatever it answers). Never rejects. */
export async function checkReachability(url: string, sender: Pick<Sender, 'send'>): Promise<HookWarning[]> {
  if (!URL.canParse(url)) return []
  const { hostname } = new URL(url)
  try {
    const hidden = (await addressesOf(hostname)).find(isNotPublic)
    if (hidden !== undefined) {
      return [
        warning(
          'url-not-public',
          `${hostname} is ${hidden}, which the service cannot reach from outside. Put a tunnel in front, and register its public address.`,
        ),
      ]
    }
  } catch {
    return [warning('url-unknown-host', `${hostname} has no address, so the service cannot reach it.`)]
  }
  const { failure } = await sender.send({ url, method: 'HEAD', headers: [], body: new Uint8Array(), timeoutMs: 5_000 })
  return failure?.kind === 'certificate' ? [warning('url-certificate', failure.message)] : []
}

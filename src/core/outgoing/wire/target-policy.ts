/**
 * Where requests of a person's making may go: loopback freely, any other host once it was named, this program's own ports never.
 * It is asked twice: when the sending is asked for, for a good sentence, and at each connection, where it cannot be got round.
 */
import { lookup } from 'node:dns/promises'
import { isIP, BlockList } from 'node:net'
import { AppError } from '../../../shared/contract/errors.ts'

/** All addresses of a name, in the order in which they are to be tried. */
export type Resolve = (name: string) => Promise<readonly string[]>

export interface TargetPolicy {
  /** Hosts that the user agreed to, as `readHost` gives them. */
  readonly allowedHosts: ReadonlySet<string>
  /** Ports of this machine that are this program's own: its control channel, its window in the browser. */
  ownPorts(): ReadonlySet<number>
  readonly resolve: Resolve
}

export const resolveWithSystem: Resolve = async (name) => (await lookup(name, { all: true })).map(({ address }) => address)

/** Reads the hosts that the user agrees to. Throws `INVALID_INPUT` for one that is none. */
export function readAllowedHosts(hosts: readonly string[]): ReadonlySet<string> {
  return new Set(
    hosts.map((text) => {
      const host = readHost(text)
      if (host === null)
        throw new AppError('INVALID_INPUT', `"${text}" isn't a valid host. Enter a name or IP address without a port.`)
      return host
    }),
  )
}

function portOf(protocol: string, port: string): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' ? 443 : 80
}

function ownPort(port: number): AppError {
  return new AppError(
    'TARGET_NOT_ALLOWED',
    `Port ${port} belongs to Countersign, so nothing is sent there. Enter your endpoint's URL.`,
  )
}

function needsConsent(host: string, address: string): AppError {
  const where = host === address ? host : `${host} (${address})`
  return new AppError(
    'TARGET_NOT_ALLOWED',
    `${where} is a remote host, so nothing was sent. To allow it, add --allow-host ${host}.`,
    { details: { host } },
  )
}

export interface AllowedAddress {
  readonly address: string
  readonly isLoopback: boolean
}

/** The addresses that a connection to a host may be made to, in order. Throws `TARGET_NOT_ALLOWED` where there is none. */
export async function destinationsOf(
  { host, protocol, port }: { readonly host: string; readonly protocol: string; readonly port: string },
  { allowedHosts, ownPorts, resolve }: TargetPolicy,
): Promise<readonly AllowedAddress[]> {
  const addresses = isIP(host) === 0 ? await resolve(host) : [host]
  const all = addresses.map((address) => ({ address, isLoopback: isLoopbackAddress(address) }))
  const number = portOf(protocol, port)
  // The address that stands for every one of the machine's leads to its loopback too.
  if (all.some(({ address, isLoopback }) => isLoopback || /^(0\.0\.0\.0|::|::ffff:0:0)$/.test(address)) && ownPorts().has(number))
    throw ownPort(number)
  const allowed = allowedHosts.has(host) ? all : all.filter(({ isLoopback }) => isLoopback)
  if (allowed.length === 0) throw needsConsent(host, all[0]?.address ?? host)
  return allowed
}

function needsConsentUnseen(host: string): AppError {
  return new AppError(
    'TARGET_NOT_ALLOWED',
    `${host} can't be resolved, so it may be a remote host. Correct the URL, or allow it with --allow-host ${host}.`,
    { details: { host, hasAddress: false } },
  )
}

/**
 * Says at once what would be refused at each connection. Throws `TARGET_NOT_ALLOWED`. A name that has no address just now may be
 * anywhere: where it was agreed to, the send will tell.
 */
export async function checkTarget(url: URL, policy: TargetPolicy): Promise<void> {
  const { protocol, port } = url
  const host = hostOf(url)
  await destinationsOf({ host, protocol, port }, policy).catch((error: unknown) => {
    if (error instanceof AppError) throw error
    if (!policy.allowedHosts.has(host)) throw needsConsentUnseen(host)
  })
}

// Which addresses are this computer. A target is judged by the address that is really connected to, never by the spelling of
// its name: a name may resolve to anything, and to something else the next time.

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

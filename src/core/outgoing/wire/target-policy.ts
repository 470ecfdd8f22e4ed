/**
 * Where users' requests may go: loopback always, other hosts once allowed, Countersign's own ports never. Checked twice: before
 * sending, for a good message, and at each connection, where it can't be bypassed.
 */
import { lookup } from 'node:dns/promises'
import { isIP, BlockList } from 'node:net'
import { AppError } from '../../../shared/contract/errors.ts'

/** All addresses of a name, in the order to try. */
export type Resolve = (name: string) => Promise<readonly string[]>

export interface TargetPolicy {
  /** Hosts that the user allowed, normalized by `readHost`. */
  readonly allowedHosts: ReadonlySet<string>
  /** Countersign's own ports on this computer: its control channel and its window in the browser. */
  ownPorts(): ReadonlySet<number>
  readonly resolve: Resolve
}

/** Names under `.localhost` are this computer (RFC 6761, section 6.3), which many systems' resolvers don't know. */
export const resolveWithSystem: Resolve = async (name) =>
  /\.localhost\.?$/i.test(name)
    ? ['127.0.0.1', '::1']
    : (await lookup(name, { all: true })).map(({ address }) => address)

/** Parses the allowed hosts. Throws `INVALID_INPUT` for an invalid one. */
export function readAllowedHosts(hosts: readonly string[]): ReadonlySet<string> {
  return new Set(
    hosts.map((text) => {
      const host = readHost(text)
      if (host === null)
        throw new AppError(
          'INVALID_INPUT',
          `"${text}" isn't a valid host. Enter a name or IP address without a port.`,
        )
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

/** The addresses to try for a host, in order. Throws `TARGET_NOT_ALLOWED` if none is allowed. */
export async function destinationsOf(
  {
    host,
    protocol,
    port,
  }: { readonly host: string; readonly protocol: string; readonly port: string },
  { allowedHosts, ownPorts, resolve }: TargetPolicy,
): Promise<readonly AllowedAddress[]> {
  const addresses = isIP(host) === 0 ? await resolve(host) : [host]
  const all = addresses.map((address) => ({ address, isLoopback: isLoopbackAddress(address) }))
  const number = portOf(protocol, port)
  // The unspecified address (0.0.0.0, ::) leads to loopback too.
  if (
    all.some(
      ({ address, isLoopback }) => isLoopback || /^(0\.0\.0\.0|::|::ffff:0:0)$/.test(address),
    ) &&
    ownPorts().has(number)
  )
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
 * Reports early what every connection would refuse. Throws `TARGET_NOT_ALLOWED`. A name that can't be resolved now may be anywhere:
 * if it is allowed, sending will tell.
 */
export async function checkTarget(url: URL, policy: TargetPolicy): Promise<void> {
  const { protocol, port } = url
  const host = hostOf(url)
  await destinationsOf({ host, protocol, port }, policy).catch((error: unknown) => {
    if (error instanceof AppError) throw error
    if (!policy.allowedHosts.has(host)) throw needsConsentUnseen(host)
  })
}

// Decides which addresses are this computer. A target is judged by the address actually connected to, never by its name, because a
// name may resolve to anything, and differently next time.

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether an IP address (not a name, no brackets) is reachable from this computer only. Handles IPv4 inside IPv6. */
export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && loopback.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/**
 * The host of a URL as connected to: an address without brackets, or a lower-case name without its trailing dot. The URL parser has
 * already normalized every spelling of an address (decimal, octal, hexadecimal, short, full-width).
 */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/** The same for a host as typed in a list of allowed hosts; null if it isn't valid. */
export function readHost(text: string): string | null {
  const bare = text.trim()
  if (bare === '' || /[/?#@\\\s]/.test(bare)) return null
  const isIpv6 = isIP(bare) === 6
  // A port or scheme can only be a mistake here.
  if (!isIpv6 && /:(?![^[]*\])/.test(bare)) return null
  const written = isIpv6 ? `[${bare}]` : bare
  const url = URL.canParse(`http://${written}/`) ? new URL(`http://${written}/`) : null
  return url === null ? null : hostOf(url)
}

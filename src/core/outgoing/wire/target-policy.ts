/**
 * Targets that users' requests may have: loopback always, other hosts once allowed, Countersign's
 * own ports never.
 */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { AppError } from '../../../shared/contract/errors.ts'
import { readHost, isLoopbackAddress, hostOf } from './loopback.ts'

export type Resolve = (name: string) => Promise<readonly string[]>

export interface TargetPolicy {
  /** Remote hosts that are allowed, normalized by `readHost`. */
  readonly allowedHosts: Pick<ReadonlySet<string>, 'has'>
  ownPorts(): ReadonlySet<number>
  readonly resolve: Resolve
}

/** Resolves `.localhost` names here (RFC 6761, section 6.3), which many systems don't. */
export const resolveWithSystem: Resolve = async (name) =>
  /\.localhost\.?$/i.test(name)
    ? ['127.0.0.1', '::1']
    : (await lookup(name, { all: true })).map(({ address }) => address)

/** Throws `INVALID_INPUT` for an invalid host. */
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

function ownPortError(port: number): AppError {
  return new AppError(
    'TARGET_NOT_ALLOWED',
    `Port ${port} belongs to Countersign, so nothing is sent there. Enter your endpoint's URL.`,
  )
}

function consentError(host: string, address: string): AppError {
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

/** Returns addresses in the order to try. Throws `TARGET_NOT_ALLOWED` if none is allowed. */
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
    throw ownPortError(number)
  const allowed = allowedHosts.has(host) ? all : all.filter(({ isLoopback }) => isLoopback)
  if (allowed.length === 0) throw consentError(host, all[0]?.address ?? host)
  return allowed
}

function unresolvedHostError(host: string): AppError {
  return new AppError(
    'TARGET_NOT_ALLOWED',
    `${host} can't be resolved, so it may be a remote host. Correct the URL, or allow it with --allow-host ${host}.`,
    { details: { host, hasAddress: false } },
  )
}

/** Throws `TARGET_NOT_ALLOWED` early, for a good message; each connection is checked again. */
export async function checkTarget(url: URL, policy: TargetPolicy): Promise<void> {
  const { protocol, port } = url
  const host = hostOf(url)
  await destinationsOf({ host, protocol, port }, policy).catch((error: unknown) => {
    if (error instanceof AppError) throw error
    if (!policy.allowedHosts.has(host)) throw unresolvedHostError(host)
  })
}

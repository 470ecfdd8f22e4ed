/**
 * The sender for users' requests and the sandbox's deliveries. Every connection is checked against the target policy.
 * Trusts this computer's CA in addition to the system's.
 */
import { isIP, type Socket, BlockList } from 'node:net'
import { TLSSocket, createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import type { buildConnector } from 'undici'
import type { Clock } from '../../base/deps.ts'
import { CONNECT_LIMIT_MS, createSender, type Sender, trustedAuthorities } from './sender.ts'
import { adviseOnCa, adviseOnScheme, describeFailure, type SendFailure } from './send-failure.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import { lookup } from 'node:dns/promises'

interface GuardDeps {
  readonly clock: Clock
  readonly resolve: Resolve
  /** This computer's CA certificate, as PEM; null if it doesn't exist yet. */
  readonly caPem: string | null
  /** Countersign's own ports, which nothing is sent to. */
  ownPorts(): ReadonlySet<number>
}

export interface GuardedSenderOptions {
  readonly policy: TargetPolicy
  /**
   * A CA that must have signed the target's certificate, even on loopback. Null accepts any certificate on loopback. Omitted: the
   * same, and the user has no way to provide one.
   */
  readonly targetCa?: string | null
  /** How to provide the CA certificate, if not as for a target. */
  readonly caAdvice?: string
  /** Whether to keep connections for the next request. */
  readonly keepAlive: boolean
  /** Maximum connections per address; omitted: as many as requests. */
  readonly connections?: number
  /** Called for each connection with the problem of a certificate that was accepted anyway; null without a problem. */
  onCertificate?(problem: string | null): void
}

export type Guard = ReturnType<typeof createGuard>

/** Long enough for a remote host, short enough to wait for. */
const PROBE_LIMIT_MS = 5_000

/** How to provide the CA certificate, or that the provided one is wrong; null if the user has no way to. */
function caAdvice(targetCa: string | null | undefined): string | null {
  if (targetCa === undefined) return null
  const given = 'with --target-ca, or below the URL in the window'
  return targetCa === null
    ? `Provide the CA certificate that signed it (${given}), or use a certificate from a CA that this computer trusts.`
    : `The CA certificate you provided didn't sign it. Provide the one that did (${given}).`
}

export function createGuard({ clock, resolve, caPem, ownPorts }: GuardDeps) {
  return {
    /** The target policy with these allowed hosts. Throws `INVALID_INPUT` for an invalid host. */
    policyFor: (allowHosts: readonly string[]): TargetPolicy => ({
      allowedHosts: readAllowedHosts(allowHosts),
      ownPorts,
      resolve,
    }),
    createSender(options: GuardedSenderOptions): Sender {
      const { targetCa, keepAlive, connections } = options
      const sender = createSender({
        authorities: [],
        monotonic: () => clock.monotonic(),
        keepAlive,
        ...(connections === undefined ? {} : { connections }),
        connector: (build) =>
          createGuardedConnector(build, { ...options, caPem, timeoutMs: CONNECT_LIMIT_MS }),
      })
      const advice = options.caAdvice ?? caAdvice(targetCa)
      // If nothing has responded yet, a dropped connection may mean the wrong scheme.
      let hasAnswered = false
      return {
        async send(request) {
          const result = await sender.send(request)
          hasAnswered ||= result.status !== null
          if (result.failure === null) return result
          const failure = hasAnswered ? result.failure : adviseOnScheme(result.failure, request.url)
          return { ...result, failure: advice === null ? failure : adviseOnCa(failure, advice) }
        },
        close: sender.close,
      }
    },
    /** Connects, for https with TLS, and closes the connection without a request. `failure` is null if the connection was established. */
    async probe(
      url: URL,
      options: Pick<GuardedSenderOptions, 'policy' | 'targetCa'>,
    ): Promise<{ readonly ms: number; readonly failure: SendFailure | null }> {
      const { buildConnector } = await import('undici')
      const connector = createGuardedConnector(buildConnector, {
        ...options,
        caPem,
        timeoutMs: PROBE_LIMIT_MS,
      })
      const { hostname, host, protocol, port } = url
      const name = isIP(hostOf(url)) === 0 ? { servername: hostname } : {}
      const startedAt = clock.monotonic()
      const since = () => clock.monotonic() - startedAt
      try {
        const socket = await connectWith(connector, { hostname, host, protocol, port, ...name })
        const ms = since()
        // Ended, not destroyed: our last handshake message may still be unsent.
        socket.on('error', () => undefined).end()
        return { ms, failure: null }
      } catch (error) {
        return { ms: since(), failure: describeFailure(error, host) }
      }
    },
  }
}

/** The TLS context made last, with the CAs it trusts. */
let latest: {
  /** Node's list of default CAs, by identity: Node returns another list once they change. */
  readonly defaults: readonly string[]
  readonly own: string
  readonly context: SecureContext
} | null = null

/**
 * Returns a TLS context that trusts the default CAs and these (PEM), the latest if it is equal.
 * Making one takes longer than a request, and the garbage collector doesn't know of its megabyte
 * and frees it late.
 */
function contextOf(own: readonly string[]): SecureContext {
  const defaults = getCACertificates('default')
  const name = own.join('')
  if (latest?.defaults !== defaults || latest.own !== name) {
    const context = createSecureContext({ ca: trustedAuthorities(own) })
    latest = { defaults, own: name, context }
  }
  return latest.context
}

interface GuardedConnectorOptions extends Pick<
  GuardedSenderOptions,
  'policy' | 'targetCa' | 'onCertificate'
> {
  readonly caPem: string | null
  /** Time limit of one connection, in milliseconds. */
  readonly timeoutMs: number
}

function connectWith(
  connector: buildConnector.connector,
  options: buildConnector.Options,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    connector(options, (error, socket) => {
      if (error === null) resolve(socket)
      else reject(error)
    })
  })
}

/**
 * Connects to a developer's endpoint. The name is resolved here, once, and the connection goes to exactly the checked address, so a
 * name that resolves differently next time changes nothing.
 */
export function createGuardedConnector(
  build: typeof buildConnector,
  { policy, targetCa = null, caPem, timeoutMs, onCertificate }: GuardedConnectorOptions,
): buildConnector.connector {
  const common = { allowH2: false, timeout: timeoutMs }
  const plain = build(common)
  const secure = new Map<boolean, buildConnector.connector>()

  function secureConnector(rejectUnauthorized: boolean): buildConnector.connector {
    const own = [caPem, targetCa].filter((pem) => pem !== null)
    const connector =
      secure.get(rejectUnauthorized) ??
      build({ ...common, secureContext: contextOf(own), rejectUnauthorized })
    secure.set(rejectUnauthorized, connector)
    return connector
  }

  async function connectTo(
    destination: AllowedAddress,
    wanted: buildConnector.Options,
  ): Promise<Socket> {
    const { address, isLoopback } = destination
    // A developer's own certificate for a local endpoint proves nothing, and nobody sits in between on this computer.
    const isSecure = wanted.protocol === 'https:'
    const connector = isSecure ? secureConnector(!isLoopback || targetCa !== null) : plain
    // The certificate is checked against this name. Over plain HTTP the client would resolve it again.
    const { servername, ...rest } = wanted
    const named = isSecure && servername !== undefined ? { servername } : {}
    const socket = await connectWith(connector, { ...rest, ...named, hostname: address })
    const { remoteAddress = '' } = socket
    if (isLoopback && !isLoopbackAddress(remoteAddress)) {
      socket.destroy()
      throw new AppError(
        'TARGET_NOT_ALLOWED',
        `The connection to ${address} reached ${remoteAddress} instead, so nothing was sent.`,
      )
    }
    // A code such as DEPTH_ZERO_SELF_SIGNED_CERT, whatever the types say.
    if (socket instanceof TLSSocket)
      onCertificate?.(socket.authorized ? null : String(socket.authorizationError))
    return socket
  }

  async function connect(wanted: buildConnector.Options): Promise<Socket> {
    const host = hostOf(wanted)
    const destinations = await destinationsOf(
      { host, protocol: wanted.protocol, port: wanted.port },
      policy,
    )
    let failure: unknown = null
    for (const destination of destinations) {
      try {
        return await connectTo(destination, wanted)
      } catch (error) {
        if (error instanceof AppError) throw error
        failure ??= error
      }
    }
    throw failure
  }

  return (wanted, callback) => {
    connect(wanted).then(
      (socket) => {
        callback(null, socket)
      },
      (error: unknown) => {
        callback(error as Error, null)
      },
    )
  }
}

// Where users' requests may go: loopback always, other hosts once allowed, Countersign's own ports never. Checked twice: before
// sending, for a good message, and at each connection, where it can't be bypassed.

/** All addresses of a name, in the order to try. */
type Resolve = (name: string) => Promise<readonly string[]>

export interface TargetPolicy {
  /** Hosts that the user allowed, normalized by `readHost`. */
  readonly allowedHosts: Pick<ReadonlySet<string>, 'has'>
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
function readAllowedHosts(hosts: readonly string[]): ReadonlySet<string> {
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

interface AllowedAddress {
  readonly address: string
  readonly isLoopback: boolean
}

/** The addresses to try for a host, in order. Throws `TARGET_NOT_ALLOWED` if none is allowed. */
async function destinationsOf(
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
export function hostOf({ hostname }: Pick<URL, 'hostname'>): string {
  return hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
}

/** The same for a host as typed in a list of allowed hosts; null if it isn't valid. */
export function readHost(text: string): string | null {
  const bare = text.trim()
  if (bare === '' || /[/?#@\\\s]/.test(bare)) return null
  const isIpv6 = isIP(bare) === 6
  // A port or scheme can only be a mistake here.
  if (!isIpv6 && bare.lastIndexOf(':') > bare.lastIndexOf(']')) return null
  const written = isIpv6 ? `[${bare}]` : bare
  const url = URL.canParse(`http://${written}/`) ? new URL(`http://${written}/`) : null
  return url === null ? null : hostOf(url)
}

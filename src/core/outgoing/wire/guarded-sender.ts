/**
 * What sends requests of a person's making (replay, forward, handler check, shrinker): a sender whose every connection is held to
 * the policy of targets, and that trusts this machine's authority beside the system's.
 */
import type { Socket } from 'node:net'
import { TLSSocket, createSecureContext, type SecureContext } from 'node:tls'
import { buildConnector } from 'undici'
import type { Clock } from '../../base/deps.ts'
import type { SendRequest, SendResult } from './exchange.ts'
import { adviseOnCa, adviseOnScheme } from './send-failure.ts'
import { CONNECT_LIMIT_MS, createSender, type Sender, trustedAuthorities } from './sender.ts'
import {
  readAllowedHosts,
  type Resolve,
  type TargetPolicy,
  isLoopbackAddress,
  destinationsOf,
  type AllowedAddress,
} from './target-policy.ts'
import { AppError } from '../../../shared/contract/errors.ts'

interface GuardDeps {
  readonly clock: Clock
  readonly resolve: Resolve
  /** The authority of this machine, as PEM; null where it has none yet. */
  readonly caPem: string | null
  /** Ports that are this program's own: nothing is sent there. */
  ownPorts(): ReadonlySet<number>
}

export interface GuardedSenderOptions {
  readonly policy: TargetPolicy
  /**
   * An authority that the target's certificate has to verify with, on loopback too; null takes any certificate there. Left out:
   * the same, and whoever starts the request has no way to give one.
   */
  readonly targetCa?: string | null
  /** Whether connections are kept for the next request. */
  readonly keepAlive: boolean
  /** At most so many connections to one address; left out: as many as there are requests. */
  readonly connections?: number
  /** Hears at each connection what is the matter with a certificate that was taken all the same; null where nothing is. */
  onCertificate?(problem: string | null): void
}

export interface Guard {
  /** The policy of targets with these hosts agreed to. Throws `INVALID_INPUT` for what is no host. */
  policyFor(allowHosts: readonly string[]): TargetPolicy
  createSender(options: GuardedSenderOptions): Sender
}

/** As long as nothing has answered, a connection that is dropped may be one of the wrong scheme. */
function withSchemeAdvice({ send, close }: Sender): Sender {
  let hasAnswered = false
  async function sendFirst(request: SendRequest): Promise<SendResult> {
    const result = await send(request)
    hasAnswered ||= result.status !== null
    return hasAnswered || result.failure === null ? result : { ...result, failure: adviseOnScheme(result.failure, request.url) }
  }
  return { send: (request) => (hasAnswered ? send(request) : sendFirst(request)), close }
}

/** Where the CA certificate is given, or that the given one is the wrong one. */
function withCaAdvice({ send, close }: Sender, targetCa: string | null | undefined): Sender {
  if (targetCa === undefined) return { send, close }
  const given = 'with --target-ca, or below the URL in the window'
  const advice =
    targetCa === null
      ? `Provide the CA certificate that signed it (${given}), or use a certificate from a CA that this computer trusts.`
      : `The CA certificate you provided didn't sign it. Provide the one that did (${given}).`
  return {
    async send(request) {
      const result = await send(request)
      return result.failure === null ? result : { ...result, failure: adviseOnCa(result.failure, advice) }
    },
    close,
  }
}

export function createGuard({ clock, resolve, caPem, ownPorts }: GuardDeps): Guard {
  return {
    policyFor: (allowHosts) => ({ allowedHosts: readAllowedHosts(allowHosts), ownPorts, resolve }),
    createSender({ policy, targetCa, keepAlive, connections, onCertificate }) {
      const extra = [caPem, targetCa ?? null].filter((pem) => pem !== null)
      const sender = createSender({
        authorities: [],
        monotonic: () => clock.monotonic(),
        keepAlive,
        ...(connections === undefined ? {} : { connections }),
        connector: createGuardedConnector({
          policy,
          authorities: () => trustedAuthorities(extra),
          verifyLoopback: typeof targetCa === 'string',
          timeoutMs: CONNECT_LIMIT_MS,
          onCertificate: onCertificate ?? (() => undefined),
        }),
      })
      return withCaAdvice(withSchemeAdvice(sender), targetCa)
    },
  }
}

interface GuardedConnectorOptions {
  readonly policy: TargetPolicy
  /** Certificate authorities as PEM: the whole list. Asked for once, where TLS is spoken. */
  authorities(): string[]
  /** Whether certificates of endpoints on this machine have to verify too; those of other hosts always have to. */
  readonly verifyLoopback: boolean
  /** Of one connection, in milliseconds. */
  readonly timeoutMs: number
  /** Hears what is the matter with the certificate of a connection that is used all the same; null where nothing is. */
  onCertificate(problem: string | null): void
}

function connectWith(connector: buildConnector.connector, options: buildConnector.Options): Promise<Socket> {
  return new Promise((resolve, reject) => {
    connector(options, (error, socket) => {
      if (error === null) resolve(socket)
      else reject(error)
    })
  })
}

/**
 * Makes the connections of requests to a developer's endpoint. The name is resolved here, once, and the connection is made to
 * the very address that was judged: a name that resolves to something else the next time changes nothing.
 */
export function createGuardedConnector(options: GuardedConnectorOptions): buildConnector.connector {
  const { policy, verifyLoopback } = options
  const common = { allowH2: false, timeout: options.timeoutMs }
  const plain = buildConnector(common)
  // Made once, and only where it is needed: reading the authorities of the system takes longer than a send.
  let context: SecureContext | null = null
  const secure = new Map<boolean, buildConnector.connector>()

  function secureConnector(rejectUnauthorized: boolean): buildConnector.connector {
    context ??= createSecureContext({ ca: options.authorities() })
    const connector = secure.get(rejectUnauthorized) ?? buildConnector({ ...common, secureContext: context, rejectUnauthorized })
    secure.set(rejectUnauthorized, connector)
    return connector
  }

  async function connectTo(destination: AllowedAddress, wanted: buildConnector.Options): Promise<Socket> {
    const { address, isLoopback } = destination
    // A certificate that a developer made for a local endpoint proves nothing, and nobody stands in between on this machine.
    const isSecure = wanted.protocol === 'https:'
    const connector = isSecure ? secureConnector(!isLoopback || verifyLoopback) : plain
    // The name is what a certificate is held against; over plain HTTP the client would look it up once more.
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
    // A code like DEPTH_ZERO_SELF_SIGNED_CERT, whatever the types say.
    if (socket instanceof TLSSocket) options.onCertificate(socket.authorized ? null : String(socket.authorizationError))
    return socket
  }

  async function connect(wanted: buildConnector.Options): Promise<Socket> {
    const host = wanted.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
    const destinations = await destinationsOf({ host, protocol: wanted.protocol, port: wanted.port }, policy)
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

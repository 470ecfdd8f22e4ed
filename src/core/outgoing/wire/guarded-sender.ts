/**
 * Checks every connection of users' requests and the sandbox's deliveries against the target
 * policy.
 */
import { isIP, type Socket } from 'node:net'
import { TLSSocket, createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import type { buildConnector } from 'undici'
import type { Clock } from '../../base/deps.ts'
import { CONNECT_LIMIT_MS, createSender, type Sender, trustedAuthorities } from './sender.ts'
import { adviseOnCa, adviseOnScheme, describeFailure, type SendFailure } from './send-failure.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import { hostOf, isLoopbackAddress } from './loopback.ts'
import {
  type Resolve,
  type TargetPolicy,
  readAllowedHosts,
  type AllowedAddress,
  destinationsOf,
} from './target-policy.ts'

interface GuardDeps {
  readonly clock: Clock
  readonly resolve: Resolve
  readonly caPem: string | null
  ownPorts(): ReadonlySet<number>
}

export interface GuardedSenderOptions {
  readonly policy: TargetPolicy
  /**
   * CA that must have signed the certificate; without one, loopback accepts any. Omitted if the
   * user can't provide one.
   */
  readonly targetCa?: string | null
  readonly caAdvice?: string
  readonly keepAlive: boolean
  /** Maximum number of connections per address; by default as many as requests. */
  readonly connections?: number
  /** Reports the problem of a certificate that was accepted anyway. */
  onCertificate?(problem: string | null): void
}

export type Guard = ReturnType<typeof createGuard>

const PROBE_LIMIT_MS = 5_000

function caAdvice(targetCa: string | null | undefined): string | null {
  if (targetCa === undefined) return null
  const given = 'with --target-ca, or below the URL in the window'
  return targetCa === null
    ? `Provide the CA certificate that signed it (${given}), or use a certificate from a CA that this computer trusts.`
    : `The CA certificate you provided didn't sign it. Provide the one that did (${given}).`
}

export function createGuard({ clock, resolve, caPem, ownPorts }: GuardDeps) {
  return {
    /** Throws `INVALID_INPUT` for an invalid host. */
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
    /** Connects and closes the connection without a request; `failure` is null on success. */
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

let latestContext: {
  /** Compared by identity: Node returns another list once its CAs change. */
  readonly defaults: readonly string[]
  readonly own: string
  readonly context: SecureContext
} | null = null

/** Returns the latest context if it is equal: making one takes longer than a request. */
function contextOf(own: readonly string[]): SecureContext {
  const defaults = getCACertificates('default')
  const name = own.join('')
  if (latestContext?.defaults !== defaults || latestContext.own !== name) {
    const context = createSecureContext({ ca: trustedAuthorities(own) })
    latestContext = { defaults, own: name, context }
  }
  return latestContext.context
}

interface GuardedConnectorOptions extends Pick<
  GuardedSenderOptions,
  'policy' | 'targetCa' | 'onCertificate'
> {
  readonly caPem: string | null
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

/** Connects to exactly the checked address, so that the name isn't resolved again. */
export function createGuardedConnector(
  build: typeof buildConnector,
  { policy, targetCa = null, caPem, timeoutMs, onCertificate }: GuardedConnectorOptions,
): buildConnector.connector {
  const common = { allowH2: false, timeout: timeoutMs }
  const plain = build(common)
  const secure = new Map<boolean, buildConnector.connector>()

  function secureConnector(options: {
    readonly rejectUnauthorized: boolean
  }): buildConnector.connector {
    const own = [caPem, targetCa].filter((pem) => pem !== null)
    const connector =
      secure.get(options.rejectUnauthorized) ??
      build({ ...common, secureContext: contextOf(own), ...options })
    secure.set(options.rejectUnauthorized, connector)
    return connector
  }

  async function connectTo(
    destination: AllowedAddress,
    connectOptions: buildConnector.Options,
  ): Promise<Socket> {
    const { address, isLoopback } = destination
    // On this computer, nobody sits in between, so a local certificate proves nothing.
    const isSecure = connectOptions.protocol === 'https:'
    const connector = isSecure
      ? secureConnector({ rejectUnauthorized: !isLoopback || targetCa !== null })
      : plain
    // The certificate is checked against this name.
    const { servername, ...rest } = connectOptions
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

  async function connect(connectOptions: buildConnector.Options): Promise<Socket> {
    const host = hostOf(connectOptions)
    const destinations = await destinationsOf(
      { host, protocol: connectOptions.protocol, port: connectOptions.port },
      policy,
    )
    let failure: unknown = null
    for (const destination of destinations) {
      try {
        return await connectTo(destination, connectOptions)
      } catch (error) {
        if (error instanceof AppError) throw error
        failure ??= error
      }
    }
    throw failure
  }

  return (connectOptions, callback) => {
    connect(connectOptions).then(
      (socket) => {
        callback(null, socket)
      },
      (error: unknown) => {
        callback(error as Error, null)
      },
    )
  }
}

/**
 * Makes the connections of requests to a developer's endpoint. The name is resolved here, once, and the connection is made to
 * the very address that was judged: a name that resolves to something else the next time changes nothing.
 */
import type { Socket } from 'node:net'
import { TLSSocket, createSecureContext, type SecureContext } from 'node:tls'
import { buildConnector } from 'undici'
import { AppError } from '../../../shared/contract/errors.ts'
import { isLoopbackAddress } from './target-address.ts'
import { destinationsOf, type AllowedAddress, type TargetPolicy } from './target-policy.ts'

export interface GuardedConnectorOptions {
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
      throw new AppError('TARGET_NOT_ALLOWED', `The connection to ${address} ended at ${remoteAddress}: nothing was sent.`)
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

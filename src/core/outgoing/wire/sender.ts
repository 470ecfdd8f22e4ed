/**
 * Sends one request over HTTP/1.1 and tells what came of it, never by throwing: an endpoint that does not answer is a result.
 * Certificates are always verified, redirects never followed, and the time-out covers connecting, headers and body together.
 */
import { Agent, ProxyAgent, type buildConnector, type Dispatcher } from 'undici'
import { getCACertificates } from 'node:tls'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../../shared/service/limits.ts'
import { exchange, readDestination, type SendRequest, type SendResult } from './exchange.ts'

export interface Sender {
  send(request: SendRequest): Promise<SendResult>
  /** Ends what is under way and closes the connections. */
  close(): Promise<void>
}

interface SenderOptions {
  /** Certificate authorities as PEM: the whole list (see `trustedAuthorities`). */
  readonly authorities: readonly string[]
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number
  /** Keeps connections for the next request to the same host; else each has its own, and none is met half closed. */
  readonly keepAlive?: boolean
  /** At most so many connections to one address; left out: as many as there are requests. */
  readonly connections?: number
  /** Makes the connections, in place of one that may go anywhere; the guarded connector has its own authorities. */
  readonly connector?: buildConnector.connector
  /** URL of an HTTP proxy to go through. */
  readonly proxy?: string
  /** Bytes of an answer that are kept. */
  readonly answerLimit?: number
}

const DEFAULT_ANSWER_LIMIT = 65_536
/** A connection that the request no longer waits for is given up a little later than any request. */
export const CONNECT_LIMIT_MS = ACKNOWLEDGE_TIMEOUT_MS + 5_000

export function createSender(options: SenderOptions): Sender {
  const agent = createDispatcher(options)
  const { answerLimit = DEFAULT_ANSWER_LIMIT, monotonic } = options
  // Thousands go to one address: it is read once.
  let destination = readDestination('')
  return {
    send(input) {
      if (destination.url !== input.url) destination = readDestination(input.url)
      return exchange(agent, destination, input, { monotonic, answerLimit })
    },
    close: () => agent.destroy(),
  }
}

function createDispatcher(options: SenderOptions): Dispatcher {
  const common = {
    allowH2: false,
    pipelining: options.keepAlive === true ? 1 : 0,
    headersTimeout: 0,
    bodyTimeout: 0,
    ...(options.connections === undefined ? {} : { connections: options.connections }),
  }
  const tls = { ca: [...options.authorities], rejectUnauthorized: true, timeout: CONNECT_LIMIT_MS }
  return options.proxy === undefined
    ? new Agent({ ...common, connect: options.connector ?? tls })
    : new ProxyAgent({ ...common, uri: options.proxy, requestTls: tls, proxyTls: tls })
}

// CA certificates that a request trusts: the system's, and those given, this computer's own among them.

/** PEM texts for a TLS `ca` option: Node's own list is replaced by it, so the defaults are named too. */
export function trustedAuthorities(extra: readonly string[]): string[] {
  return [...getCACertificates('default'), ...extra]
}

/**
 * Sends one request over HTTP/1.1 and reports the result without throwing: no response is a result too. Certificates are always
 * verified, redirects never followed, and the timeout covers connecting, headers and body together.
 */
import { Agent, ProxyAgent, type buildConnector, type Dispatcher } from 'undici'
import { getCACertificates } from 'node:tls'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../../shared/service/limits.ts'
import { exchange, readDestination, type SendRequest, type SendResult } from './exchange.ts'

export interface Sender {
  send(request: SendRequest): Promise<SendResult>
  /** Aborts running requests and closes the connections. */
  close(): Promise<void>
}

interface SenderOptions {
  /** All trusted CA certificates as PEM (see `trustedAuthorities`). */
  readonly authorities: readonly string[]
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number
  /**
   * Keeps connections for the next request to the same host. Otherwise each request has its own, so none meets a half-closed one.
   */
  readonly keepAlive?: boolean
  /** Maximum connections per address; omitted: as many as requests. */
  readonly connections?: number
  /** Creates the connections instead of the unrestricted default. The guarded connector has its own CAs. */
  readonly connector?: buildConnector.connector
  /** URL of an HTTP proxy. */
  readonly proxy?: string
  /** Maximum bytes of a response to keep. */
  readonly answerLimit?: number
}

const DEFAULT_ANSWER_LIMIT = 65_536
/** Connections time out a little later than any request. */
export const CONNECT_LIMIT_MS = ACKNOWLEDGE_TIMEOUT_MS + 5_000

export function createSender(options: SenderOptions): Sender {
  const agent = createDispatcher(options)
  const { answerLimit = DEFAULT_ANSWER_LIMIT, monotonic } = options
  // Cached, because thousands of requests go to one URL.
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

// Trusted CA certificates: the system's and the given ones, including this computer's.

/** PEM texts for TLS's `ca` option, which replaces Node's default list, so the defaults are included. */
export function trustedAuthorities(extra: readonly string[]): string[] {
  return [...getCACertificates('default'), ...extra]
}

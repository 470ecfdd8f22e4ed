/**
 * Sends one request over HTTP/1.1 and reports the result without throwing: no response is a result too. Certificates are always
 * verified, redirects never followed, and the timeout covers connecting, headers and body together.
 */
import type { buildConnector, Dispatcher } from 'undici'
import { getCACertificates } from 'node:tls'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../../shared/service/limits.ts'
import { skippingInterim } from './interim.ts'
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
  /** Creates the connections instead of the unrestricted default, from undici's connectors. The guarded one has its own CAs. */
  readonly connector?: (build: typeof buildConnector) => buildConnector.connector
  /** URL of an HTTP proxy. */
  readonly proxy?: string
  /** Maximum bytes of a response to keep. */
  readonly answerLimit?: number
}

const DEFAULT_ANSWER_LIMIT = 65_536
/** Connections time out a little later than any request. */
export const CONNECT_LIMIT_MS = ACKNOWLEDGE_TIMEOUT_MS + 5_000

/** Loads undici with the first request: it is a third of the program, and the window needs none of it. */
export function createSender(options: SenderOptions): Sender {
  const { answerLimit = DEFAULT_ANSWER_LIMIT, monotonic } = options
  let agent: Dispatcher | null = null
  let opening: Promise<Dispatcher> | null = null
  let isClosed = false
  async function open(): Promise<Dispatcher> {
    const opened = await createDispatcher(options)
    if (isClosed) await opened.destroy()
    agent = opened
    return opened
  }
  // Cached, because thousands of requests go to one URL.
  let destination = readDestination('')
  return {
    send(input) {
      if (destination.url !== input.url) destination = readDestination(input.url)
      const sending = destination
      const limits = { monotonic, answerLimit: input.answerLimit ?? answerLimit }
      if (agent !== null) return exchange(agent, sending, input, limits)
      opening ??= open()
      return opening.then((opened) => exchange(opened, sending, input, limits))
    },
    async close() {
      isClosed = true
      await (await opening)?.destroy()
    },
  }
}

async function createDispatcher(options: SenderOptions): Promise<Dispatcher> {
  const { Agent, ProxyAgent, buildConnector } = await import('undici')
  const common = {
    allowH2: false,
    pipelining: options.keepAlive === true ? 1 : 0,
    headersTimeout: 0,
    bodyTimeout: 0,
    ...(options.connections === undefined ? {} : { connections: options.connections }),
  }
  const tls = { ca: [...options.authorities], rejectUnauthorized: true, timeout: CONNECT_LIMIT_MS }
  return options.proxy === undefined
    ? new Agent({
        ...common,
        connect: skippingInterim(
          options.connector?.(buildConnector) ?? buildConnector({ ...tls, allowH2: false }),
        ),
      })
    : new ProxyAgent({ ...common, uri: options.proxy, requestTls: tls, proxyTls: tls })
}

// Trusted CA certificates: the system's and the given ones, including this computer's.

/** PEM texts for TLS's `ca` option, which replaces Node's default list, so the defaults are included. */
export function trustedAuthorities(extra: readonly string[]): string[] {
  return [...getCACertificates('default'), ...extra]
}

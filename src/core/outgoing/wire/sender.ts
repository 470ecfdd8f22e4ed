/**
 * Sends requests over HTTP/1.1 and reports results without throwing. Certificates are always
 * verified, redirects never followed.
 */
import type { buildConnector, Dispatcher } from 'undici'
import { getCACertificates } from 'node:tls'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../../shared/service/limits.ts'
import { skippingInterim } from './interim-responses.ts'
import { exchange, readDestination } from './exchange.ts'
import type { SendRequest, SendResult } from './send-request.ts'

export interface Sender {
  send(request: SendRequest): Promise<SendResult>
  close(): Promise<void>
}

export interface SenderOptions {
  readonly authorities: readonly string[]
  readonly monotonic: () => number
  /** Whether to keep connections; without it, no request meets a half-closed one. */
  readonly keepAlive?: boolean
  /** Maximum number of connections per address; by default as many as requests. */
  readonly connections?: number
  readonly connector?: (build: typeof buildConnector) => buildConnector.connector
  readonly proxy?: string
  /** Maximum bytes of a response to read. */
  readonly answerLimit?: number
}

const DEFAULT_ANSWER_LIMIT = 65_536
export const CONNECT_LIMIT_MS = ACKNOWLEDGE_TIMEOUT_MS + 5_000

/** Loads undici with the first request, because it is a third of the program. */
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

/** Returns PEM texts for TLS's `ca` option, which replaces Node's default list. */
export function trustedAuthorities(extra: readonly string[]): string[] {
  return [...getCACertificates('default'), ...extra]
}

/**
 * Sends one request over HTTP/1.1 and reports the result without throwing: no response is a result too. Certificates are always
 * verified, redirects never followed, and the timeout covers connecting, headers and body together.
 */
import type { buildConnector, Dispatcher } from 'undici'
import { getCACertificates } from 'node:tls'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../../shared/service/limits.ts'
import { Readable } from 'node:stream'
import type { RawHeaders } from '../../../shared/model/delivery.ts'
import { maxHeaderSize } from '../../base/node-http.ts'
import {
  describeFailure,
  MOST_INTERIM,
  noStatus,
  TOO_MANY_INTERIM,
  type SendFailure,
} from './send-failure.ts'
import type { Socket } from 'node:net'

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

// Sends one request with undici and reports its result phase by phase. Never throws, and redirects are responses.

export interface SendRequest {
  readonly url: string
  readonly method?: string
  /** In the order and case to send. `host`, `connection` and `content-length` are added. */
  readonly headers: RawHeaders
  /** In pieces if it should take its time; then the headers state its length. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>
  /** From connecting to the end of the response, by the wall clock, in milliseconds. */
  readonly timeoutMs?: number
  /** Ends the request as if its time were over, for clocks that run faster than the wall clock. */
  readonly timeOut?: AbortSignal
  readonly signal?: AbortSignal
  /** Maximum bytes of the response to read, instead of the sender's limit. */
  readonly answerLimit?: number
}

/** In milliseconds. */
interface SendPhases {
  readonly connect: number
  readonly wait: number
  readonly body: number
}

export interface SendResult {
  /** Null if there was no response. Set even if reading the body failed: see `failure`. */
  readonly status: number | null
  readonly ms: number
  /**
   * Parts of `ms`: until the request could be written (almost 0 on a kept connection), until the response headers arrived, and
   * until the end.
   */
  readonly phases: SendPhases
  readonly failure: SendFailure | null
  readonly headers: RawHeaders
  /** The first bytes of the response, up to the sender's limit. */
  readonly body: Uint8Array
  readonly truncated: boolean
}

type Destination = ReturnType<typeof readDestination>

function readDestination(url: string) {
  const parsed = URL.parse(url)
  return {
    /** As entered. */
    url,
    /** Host and port, for messages; `url` if it isn't valid. */
    host: parsed?.host ?? url,
    /** Null if `url` isn't valid. */
    address:
      parsed === null
        ? null
        : { origin: parsed.origin, path: `${parsed.pathname}${parsed.search}` },
  }
}

const NOTHING = new Uint8Array()

/** Tenths of milliseconds or seconds are precise enough for an endpoint. */
function tenths(value: number): number {
  return Math.round(value * 10) / 10
}

/** `wasSent`: the connection was established, so the request could be written. */
function timeoutFailure(
  { host, address }: Destination,
  status: number | null,
  { timeoutMs, wasSent }: { readonly timeoutMs: number; readonly wasSent: boolean },
): SendFailure {
  const limit = `${tenths(timeoutMs / 1_000)} s`
  if (!wasSent) {
    const why =
      address?.origin.startsWith('https:') === true
        ? "the TLS handshake didn't finish. Check that the port speaks HTTPS and that its process isn't stuck."
        : "the connection wasn't accepted. Check the host and port, and any firewall in between."
    return { kind: 'timeout', message: `Nothing was sent to ${host}: within ${limit} ${why}` }
  }
  const message =
    status === null
      ? `${host} didn't respond within ${limit}. Respond first, then do slow work.`
      : `${host} returned ${status} but didn't finish the response within ${limit}. End the response right away.`
  return { kind: 'timeout', message }
}

/** Raw header names and values from undici, alternating in one list. */
function pairs(raw: unknown): RawHeaders {
  if (!Array.isArray(raw)) return []
  const found: [string, string][] = []
  for (let index = 0; index < raw.length; index += 2)
    found.push([headerText(raw[index]), headerText(raw[index + 1] ?? '')])
  return found
}

function headerText(item: unknown): string {
  return Buffer.isBuffer(item) ? item.toString('latin1') : String(item)
}

/** Names and values alternating, as the client expects them. */
function flatOf(headers: RawHeaders): string[] {
  const flat: string[] = []
  for (const [name, value] of headers) flat.push(name, value)
  return flat
}

function exchange(
  dispatcher: Dispatcher,
  destination: Destination,
  input: Omit<SendRequest, 'url'>,
  { monotonic, answerLimit }: Required<Pick<SenderOptions, 'monotonic' | 'answerLimit'>>,
): Promise<SendResult> {
  const { host, address } = destination
  const timeoutMs = input.timeoutMs ?? ACKNOWLEDGE_TIMEOUT_MS
  const startedAt = monotonic()
  let connectedAt: number | null = null
  let answeredAt: number | null = null
  let status: number | null = null
  let headers: RawHeaders = []
  const chunks: Buffer[] = []
  let size = 0
  let controller: Dispatcher.DispatchController | null = null

  return new Promise((resolve) => {
    let isOver = false
    const finish = (failure: SendFailure | null) => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      input.signal?.removeEventListener('abort', onAbort)
      input.timeOut?.removeEventListener('abort', onTimeOut)
      const endedAt = monotonic()
      const ms = tenths(endedAt - startedAt)
      const sent = tenths((connectedAt ?? endedAt) - startedAt)
      const head = tenths((answeredAt ?? endedAt) - startedAt)
      resolve({
        status,
        ms,
        phases: { connect: sent, wait: tenths(head - sent), body: tenths(ms - head) },
        failure,
        headers,
        body: size === 0 ? NOTHING : Buffer.concat(chunks).subarray(0, answerLimit),
        truncated: size > answerLimit,
      })
    }
    /** The client reports an abort only once connected. Until then, the request is dropped as soon as it connects. */
    const giveUp = (failure: SendFailure | null) => {
      finish(failure)
      controller?.abort(new Error('No longer needed.'))
    }
    const onAbort = () => giveUp({ kind: 'cancelled', message: 'Request cancelled.' })
    const onTimeOut = () =>
      giveUp(timeoutFailure(destination, status, { timeoutMs, wasSent: connectedAt !== null }))
    const timer = setTimeout(onTimeOut, timeoutMs)
    input.timeOut?.addEventListener('abort', onTimeOut, { once: true })
    if (input.signal?.aborted === true) {
      onAbort()
      return
    }
    input.signal?.addEventListener('abort', onAbort, { once: true })
    if (address === null) {
      finish(
        describeFailure(Object.assign(new Error('not a URL'), { code: 'ERR_INVALID_URL' }), host),
      )
      return
    }
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started
        connectedAt = monotonic()
        if (isOver) started.abort(new Error('No longer needed.'))
      },
      onResponseStart(answering, statusCode) {
        if (statusCode < 100) giveUp(noStatus(statusCode, host))
        // Interim responses (100, 103) don't count.
        if (statusCode < 200 || isOver) return
        answeredAt = monotonic()
        status = statusCode
        headers = pairs(answering.rawHeaders)
      },
      onResponseData(_, chunk) {
        if (isOver) return
        size += chunk.length
        chunks.push(chunk)
        // Data beyond the limit doesn't change whether the endpoint responded, so stop reading.
        if (size > answerLimit) giveUp(null)
      },
      onResponseEnd() {
        finish(null)
      },
      onResponseError(_, error) {
        finish(describeFailure(error, host, status !== null))
      },
    }
    try {
      dispatcher.dispatch(
        {
          origin: address.origin,
          path: address.path,
          method: input.method ?? 'POST',
          headers: flatOf(input.headers),
          body: input.body instanceof Uint8Array ? input.body : Readable.from(input.body),
        },
        handler,
      )
    } catch (error) {
      finish(describeFailure(error, host))
    }
  })
}

// Skips interim responses (100, 102, 103) that the request didn't ask for. A client must be able to read them (RFC 9110, section
// 15.2), and undici closes the connection at a 100. A 101 isn't skipped: after it, the connection speaks something else. The bytes
// before a response's body have a limit: undici would read a status line or interim responses without end.

const INTERIM = /^HTTP\/1\.[01] 1(?!01)\d\d/
/** An interim response longer than this is left to the client, which rejects it. */
const MOST_BYTES = 16_384
/** Bytes of a response's head: the client's limit counts names and values only, and each may be one character. */
const MOST_HEAD_BYTES = 4 * maxHeaderSize
const HEAD_END = '\r\n\r\n'

/** The length of the interim response at the start: 0 if there is none; null if more bytes are needed to tell. */
function interimLength(bytes: Buffer): number | null {
  const text = bytes.toString('latin1', 0, MOST_BYTES)
  if (!INTERIM.test(text)) return INTERIM.test(text + 'HTTP/1.1 100'.slice(text.length)) ? null : 0
  const end = /\r?\n\r?\n/.exec(text)
  if (end === null) return text.length < MOST_BYTES ? null : 0
  return end.index + end[0].length
}

/** Removes interim responses from what the socket reads between a request's head and the final response. */
function skipInterim<Kind extends Socket>(socket: Kind): Kind {
  const read = socket.read.bind(socket) as () => Buffer | null
  const write = socket.write.bind(socket)
  let reading: 'interim responses' | 'head' | 'body' = 'body'
  let held: Buffer = Buffer.alloc(0)
  let skipped = 0
  let headBytes = 0

  const giveUp = (code: string) => {
    socket.destroy(Object.assign(new Error('The response has no end.'), { code }))
    return null
  }

  /** The bytes after the interim responses; null if they haven't arrived. */
  function afterInterim(chunk: Buffer): Buffer | null {
    held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    for (;;) {
      const length = held.length === 0 ? null : interimLength(held)
      if (length === null) return null
      if (length === 0) break
      held = held.subarray(length)
      if (++skipped > MOST_INTERIM) return giveUp(TOO_MANY_INTERIM)
    }
    const rest = held
    held = Buffer.alloc(0)
    reading = 'head'
    return rest
  }

  /** Passes the bytes of a head on, until it is longer than any client reads. */
  function inHead(chunk: Buffer): Buffer | null {
    headBytes += chunk.length
    const end = Buffer.concat([held, chunk]).indexOf(HEAD_END)
    held = end === -1 ? Buffer.concat([held, chunk]).subarray(1 - HEAD_END.length) : Buffer.alloc(0)
    if (end !== -1) reading = 'body'
    else if (headBytes > MOST_HEAD_BYTES) return giveUp('UND_ERR_HEADERS_OVERFLOW')
    return chunk
  }

  return Object.assign(socket, {
    write(...parameters: Parameters<Socket['write']>) {
      // The client writes a request's head as text, and its body may follow while a response already arrives.
      if (typeof parameters[0] === 'string' && parameters[0].includes(' HTTP/1.1\r\n')) {
        reading = 'interim responses'
        held = Buffer.alloc(0)
        skipped = 0
        headBytes = 0
      }
      return write(...parameters)
    },
    read(): Buffer | null {
      for (;;) {
        const chunk = read()
        if (chunk === null || reading === 'body') return chunk
        const rest = reading === 'head' ? chunk : afterInterim(chunk)
        if (rest !== null) return inHead(rest)
        if (socket.destroyed) return null
      }
    },
  })
}

/** A connector whose sockets skip interim responses. */
function skippingInterim(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...result: Parameters<buildConnector.Callback>) => {
      const [error, socket] = result
      if (error === null) callback(null, skipInterim(socket))
      else callback(error, null)
    })
}

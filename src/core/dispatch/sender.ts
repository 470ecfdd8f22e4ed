/**
 * Sends one request over HTTP/1.1 and tells what came of it, never by throwing: an endpoint that does not answer is a result.
 * Certificates are always verified, redirects never followed, and the time-out covers connecting, headers and body together.
 */
import { Agent, ProxyAgent, request, type Dispatcher } from 'undici'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../shared/service/limits.ts'
import { describeFailure, type SendFailure } from './send-failure.ts'

export interface SendRequest {
  readonly url: string
  readonly method?: string
  /** In the order and case in which they go out; `host`, `connection` and `content-length` are added. */
  readonly headers: RawHeaders
  readonly body: Uint8Array
  /** From the first byte of the connection to the last of the answer, by the wall clock, in milliseconds. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
}

export interface SendResult {
  /** Null where no answer came. It is the answer's status even where its body then failed: `failure` says so. */
  readonly status: number | null
  readonly ms: number
  readonly failure: SendFailure | null
  readonly headers: RawHeaders
  /** The first bytes of the answer, up to the sender's limit. */
  readonly body: Uint8Array
  readonly truncated: boolean
}

export interface Sender {
  send(request: SendRequest): Promise<SendResult>
  /** Ends what is under way and closes the connections. */
  close(): Promise<void>
}

export interface SenderOptions {
  /** Certificate authorities as PEM: the whole list (see `trusted-authorities.ts`). */
  readonly authorities: readonly string[]
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number
  /** Keeps connections for the next request to the same host; else each has its own, and none is met half closed. */
  readonly keepAlive?: boolean
  /** URL of an HTTP proxy to go through. */
  readonly proxy?: string
  /** Bytes of an answer that are kept. */
  readonly answerLimit?: number
}

const DEFAULT_ANSWER_LIMIT = 65_536
/** A connection that the request no longer waits for is given up a little later than any request. */
const CONNECT_LIMIT_MS = ACKNOWLEDGE_TIMEOUT_MS + 5_000

export function createSender(options: SenderOptions): Sender {
  const agent = createDispatcher(options)
  return {
    send: (input) => sendOnce(agent, input, options),
    close: () => agent.destroy(),
  }
}

function createDispatcher(options: SenderOptions): Dispatcher {
  const common = { allowH2: false, pipelining: options.keepAlive === true ? 1 : 0, headersTimeout: 0, bodyTimeout: 0 }
  const tls = { ca: [...options.authorities], rejectUnauthorized: true, timeout: CONNECT_LIMIT_MS }
  return options.proxy === undefined
    ? new Agent({ ...common, connect: tls })
    : new ProxyAgent({ ...common, uri: options.proxy, requestTls: tls, proxyTls: tls })
}

async function sendOnce(agent: Dispatcher, input: SendRequest, options: SenderOptions): Promise<SendResult> {
  const timeoutMs = input.timeoutMs ?? ACKNOWLEDGE_TIMEOUT_MS
  const host = URL.canParse(input.url) ? new URL(input.url).host : input.url
  const started = options.monotonic()
  const stop = new AbortController()
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    stop.abort()
  }, timeoutMs)
  const onAbort = () => {
    stop.abort()
  }
  if (input.signal?.aborted === true) onAbort()
  input.signal?.addEventListener('abort', onAbort, { once: true })
  let status: number | null = null
  let headers: RawHeaders = []
  const chunks: Buffer[] = []
  let size = 0
  const limit = options.answerLimit ?? DEFAULT_ANSWER_LIMIT
  const result = (failure: SendFailure | null): SendResult => ({
    status,
    ms: options.monotonic() - started,
    failure,
    headers,
    body: Buffer.concat(chunks).subarray(0, limit),
    truncated: size > limit,
  })
  try {
    const pending = request(input.url, {
      dispatcher: agent,
      method: (input.method ?? 'POST') as 'POST',
      headers: input.headers.flat(),
      body: input.body,
      signal: stop.signal,
      responseHeaders: 'raw',
    })
    const answer = await Promise.race([pending, whenAborted(stop.signal, pending)])
    status = answer.statusCode
    headers = pairs(answer.headers)
    for await (const chunk of answer.body) {
      const bytes = chunk as Buffer
      size += bytes.length
      chunks.push(bytes)
      // What an endpoint sends beyond the limit does not change whether it answered: stop reading it.
      if (size > limit) break
    }
    return result(null)
  } catch (error) {
    if (timedOut) return result(timeoutFailure(host, status, timeoutMs))
    if (input.signal?.aborted === true) return result({ kind: 'cancelled', message: 'The request was cancelled.' })
    return result(describeFailure(error, host))
  } finally {
    clearTimeout(timer)
    input.signal?.removeEventListener('abort', onAbort)
  }
}

/**
 * Rejects on abort. The client itself hears of it only once it is connected, and a host that takes a connection and then
 * says nothing would hold the request for as long as it likes.
 */
function whenAborted(signal: AbortSignal, pending: Promise<unknown>): Promise<never> {
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = () => {
      reject(new Error('aborted'))
    }
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
  // Whichever of the two loses may still reject: nobody waits for it.
  aborted.catch(() => undefined)
  pending.catch(() => undefined)
  return aborted
}

function timeoutFailure(host: string, status: number | null, timeoutMs: number): SendFailure {
  const limit = `${timeoutMs / 1_000} s`
  const message =
    status === null
      ? `${host} did not answer within ${limit}. Answer first and work afterwards.`
      : `${host} answered ${status}, but its answer did not end within ${limit}. End the answer at once.`
  return { kind: 'timeout', message }
}

/** Header names and values as undici gives them raw: one flat list, names and values in turn. */
function pairs(raw: unknown): RawHeaders {
  if (!Array.isArray(raw)) return []
  const texts = raw.map((item: unknown) => (Buffer.isBuffer(item) ? item.toString('latin1') : String(item)))
  return texts.flatMap((name, index): RawHeaders => (index % 2 === 0 ? [[name, texts[index + 1] ?? '']] : []))
}

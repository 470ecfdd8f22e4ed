/** Sends one request with undici and reports its result phase by phase. Never throws, and redirects are responses. */
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { RawHeaders } from '../../../shared/model/delivery.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../../shared/service/limits.ts'
import { describeFailure, noStatus, type SendFailure } from './send-failure.ts'

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
export interface SendPhases {
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

/** The destination of a request. */
export interface Destination {
  /** As entered. */
  readonly url: string
  /** Host and port, for messages; `url` if it isn't valid. */
  readonly host: string
  /** Null if `url` isn't valid. */
  readonly address: { readonly origin: string; readonly path: string } | null
}

export function readDestination(url: string): Destination {
  const parsed = URL.parse(url)
  return {
    url,
    host: parsed?.host ?? url,
    address:
      parsed === null
        ? null
        : { origin: parsed.origin, path: `${parsed.pathname}${parsed.search}` },
  }
}

export interface ExchangeOptions {
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number
  /** Maximum bytes of a response to keep. */
  readonly answerLimit: number
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

export function exchange(
  dispatcher: Dispatcher,
  destination: Destination,
  input: Omit<SendRequest, 'url'>,
  { monotonic, answerLimit }: ExchangeOptions,
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

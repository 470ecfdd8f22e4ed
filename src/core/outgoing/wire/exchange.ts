/** One request over a client of undici and what came of it, phase by phase. It never throws, and redirects are answers. */
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { RawHeaders } from '../../../shared/model/delivery.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../../shared/service/limits.ts'
import { describeFailure, noStatus, type SendFailure } from './send-failure.ts'

export interface SendRequest {
  readonly url: string
  readonly method?: string
  /** In the order and case in which they go out; `host`, `connection` and `content-length` are added. */
  readonly headers: RawHeaders
  /** In pieces where it is to take its time; then the headers say its length. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>
  /** From the first byte of the connection to the last of the answer, by the wall clock, in milliseconds. */
  readonly timeoutMs?: number
  /** Ends it as though that time had run out: a clock that runs faster than the wall's has come to it. */
  readonly timeOut?: AbortSignal
  readonly signal?: AbortSignal
}

/** In milliseconds. */
export interface SendPhases {
  readonly connect: number
  readonly wait: number
  readonly body: number
}

export interface SendResult {
  /** Null where no answer came. It is the answer's status even where its body then failed: `failure` says so. */
  readonly status: number | null
  readonly ms: number
  /** Parts of `ms`: until the request could be written (0 on a kept connection, nearly), until the answer's head came, until its end. */
  readonly phases: SendPhases
  readonly failure: SendFailure | null
  readonly headers: RawHeaders
  /** The first bytes of the answer, up to the sender's limit. */
  readonly body: Uint8Array
  readonly truncated: boolean
}

/** Where a request goes. */
export interface Destination {
  /** As it was given. */
  readonly url: string
  /** Name and port, for sentences; `url` where that is none. */
  readonly host: string
  /** Null where `url` is none. */
  readonly address: { readonly origin: string; readonly path: string } | null
}

export function readDestination(url: string): Destination {
  const parsed = URL.parse(url)
  return {
    url,
    host: parsed?.host ?? url,
    address: parsed === null ? null : { origin: parsed.origin, path: `${parsed.pathname}${parsed.search}` },
  }
}

export interface ExchangeOptions {
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number
  /** Bytes of an answer that are kept. */
  readonly answerLimit: number
}

const NOTHING = new Uint8Array()

/** To a tenth, of milliseconds or seconds: what is finer says nothing about an endpoint. */
function tenths(value: number): number {
  return Math.round(value * 10) / 10
}

/** `wasSent`: the request could be written, so that the connection stood. */
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

/** Header names and values as undici gives them raw: one flat list, names and values in turn. */
function pairs(raw: unknown): RawHeaders {
  if (!Array.isArray(raw)) return []
  const found: [string, string][] = []
  for (let index = 0; index < raw.length; index += 2) found.push([headerText(raw[index]), headerText(raw[index + 1] ?? '')])
  return found
}

function headerText(item: unknown): string {
  return Buffer.isBuffer(item) ? item.toString('latin1') : String(item)
}

/** Names and values in turn, as the client takes them. */
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
    /** The client hears of it where it is connected; where it is not, the request is dropped as soon as it is. */
    const giveUp = (failure: SendFailure | null) => {
      finish(failure)
      controller?.abort(new Error('No longer needed.'))
    }
    const onAbort = () => {
      giveUp({ kind: 'cancelled', message: 'Request cancelled.' })
    }
    const onTimeOut = () => {
      giveUp(timeoutFailure(destination, status, { timeoutMs, wasSent: connectedAt !== null }))
    }
    const timer = setTimeout(onTimeOut, timeoutMs)
    input.timeOut?.addEventListener('abort', onTimeOut, { once: true })
    if (input.signal?.aborted === true) {
      onAbort()
      return
    }
    input.signal?.addEventListener('abort', onAbort, { once: true })
    if (address === null) {
      finish(describeFailure(Object.assign(new Error('not a URL'), { code: 'ERR_INVALID_URL' }), host))
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
        // What comes before the answer (100, 103) is none.
        if (statusCode < 200 || isOver) return
        answeredAt = monotonic()
        status = statusCode
        headers = pairs(answering.rawHeaders)
      },
      onResponseData(_, chunk) {
        if (isOver) return
        size += chunk.length
        chunks.push(chunk)
        // What an endpoint sends beyond the limit does not change whether it answered: stop reading it.
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

/** Sends a request with undici and reports its phases. */
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { RawHeaders } from '../../../shared/model/delivery.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../../shared/service/limits.ts'
import { type SendFailure, describeFailure, noStatus } from './send-failure.ts'

export interface SendRequest {
  readonly url: string
  readonly method?: string
  /** In the order and case to send. `host`, `connection` and `content-length` are added. */
  readonly headers: RawHeaders
  /** In pieces if it should take its time; then the headers state its length. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array>
  readonly timeoutMs?: number
  /** Times the request out, for clocks faster than the wall clock. */
  readonly timeOut?: AbortSignal
  readonly signal?: AbortSignal
  /** Bytes to read, instead of the sender's limit. */
  readonly answerLimit?: number
}

interface SendPhases {
  readonly connect: number
  readonly wait: number
  readonly body: number
}

export interface SendResult {
  /** Set even if reading the body failed. */
  readonly status: number | null
  readonly ms: number
  /**
   * Milliseconds until the request could be written, until the response headers, and until the end.
   */
  readonly phases: SendPhases
  readonly failure: SendFailure | null
  readonly headers: RawHeaders
  readonly body: Uint8Array
  readonly truncated: boolean
}

type Destination = ReturnType<typeof readDestination>

export function readDestination(url: string) {
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

const NOTHING = new Uint8Array()

function tenths(value: number): number {
  return Math.round(value * 10) / 10
}

/** Explains a timeout; `wasSent` if the request could be written. */
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

function pairs(raw: unknown): RawHeaders {
  if (!Array.isArray(raw)) return []
  const headerPairs: [string, string][] = []
  for (let index = 0; index < raw.length; index += 2)
    headerPairs.push([headerText(raw[index]), headerText(raw[index + 1] ?? '')])
  return headerPairs
}

function headerText(item: unknown): string {
  return Buffer.isBuffer(item) ? item.toString('latin1') : String(item)
}

function flatOf(headers: RawHeaders): string[] {
  const flat: string[] = []
  for (const [name, value] of headers) flat.push(name, value)
  return flat
}

interface ExchangeLimits {
  readonly monotonic: () => number
  readonly answerLimit: number
}

export function exchange(
  dispatcher: Dispatcher,
  destination: Destination,
  input: Omit<SendRequest, 'url'>,
  { monotonic, answerLimit }: ExchangeLimits,
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
    /** Finishes at once: the client drops an aborted request only when it connects. */
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

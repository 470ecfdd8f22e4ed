/** Sends a request with undici and reports its phases. */
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import type { RawHeaders } from '../../../shared/model/delivery.ts'
import { ACKNOWLEDGE_TIMEOUT_MS } from '../../../shared/service/limits.ts'
import { type SendFailure, describeFailure, invalidStatusFailure } from './send-failure.ts'
import type { SendRequest, SendResult } from './send-request.ts'

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

function roundToTenth(value: number): number {
  return Math.round(value * 10) / 10
}

/** Explains a timeout; `wasSent` if the request could be written. */
function timeoutFailure(
  { host, address }: Destination,
  status: number | null,
  { timeoutMs, wasSent }: { readonly timeoutMs: number; readonly wasSent: boolean },
): SendFailure {
  const limit = `${roundToTenth(timeoutMs / 1_000)} s`
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

function headerPairsOf(raw: unknown): RawHeaders {
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

/** Exchanges one request and its response, as the handler of undici's dispatcher. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #destination: Destination
  readonly #input: Omit<SendRequest, 'url'>
  readonly #limits: ExchangeLimits
  readonly #resolve: (result: SendResult) => void
  readonly #timeoutMs: number
  #startedAt = 0
  #connectedAt: number | null = null
  #answeredAt: number | null = null
  #status: number | null = null
  #headers: RawHeaders = []
  readonly #chunks: Buffer[] = []
  #size = 0
  #controller: Dispatcher.DispatchController | null = null
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  constructor(
    destination: Destination,
    input: Omit<SendRequest, 'url'>,
    limits: ExchangeLimits,
    resolve: (result: SendResult) => void,
  ) {
    this.#destination = destination
    this.#input = input
    this.#limits = limits
    this.#resolve = resolve
    this.#timeoutMs = input.timeoutMs ?? ACKNOWLEDGE_TIMEOUT_MS
  }

  start(dispatcher: Dispatcher): void {
    const { signal, timeOut } = this.#input
    const { address, host } = this.#destination
    this.#startedAt = this.#limits.monotonic()
    this.#timer = setTimeout(this.#onTimeOut, this.#timeoutMs)
    timeOut?.addEventListener('abort', this.#onTimeOut, { once: true })
    if (signal?.aborted === true) {
      this.#onAbort()
      return
    }
    signal?.addEventListener('abort', this.#onAbort, { once: true })
    if (address === null) {
      this.#finish(
        describeFailure(Object.assign(new Error('not a URL'), { code: 'ERR_INVALID_URL' }), host),
      )
      return
    }
    try {
      this.#dispatch(dispatcher, address)
    } catch (error) {
      this.#finish(describeFailure(error, host))
    }
  }

  #dispatch(dispatcher: Dispatcher, { origin, path }: NonNullable<Destination['address']>): void {
    const { method = 'POST', headers, body } = this.#input
    dispatcher.dispatch(
      {
        origin,
        path,
        method,
        headers: flatOf(headers),
        body: body instanceof Uint8Array ? body : Readable.from(body),
      },
      this,
    )
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    this.#connectedAt = this.#limits.monotonic()
    if (this.#isOver) controller.abort(new Error('No longer needed.'))
  }

  onResponseStart({ rawHeaders }: Dispatcher.DispatchController, statusCode: number): void {
    if (statusCode < 100) this.#giveUp(invalidStatusFailure(statusCode, this.#destination.host))
    // Interim responses (100, 103) don't count.
    if (statusCode < 200 || this.#isOver) return
    this.#answeredAt = this.#limits.monotonic()
    this.#status = statusCode
    this.#headers = headerPairsOf(rawHeaders)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return
    this.#size += chunk.length
    this.#chunks.push(chunk)
    if (this.#size > this.#limits.answerLimit) this.#giveUp(null)
  }

  onResponseEnd(): void {
    this.#finish(null)
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#finish(describeFailure(error, this.#destination.host, { hasHead: this.#status !== null }))
  }

  readonly #onAbort = (): void => this.#giveUp({ kind: 'cancelled', message: 'Request cancelled.' })

  readonly #onTimeOut = (): void => {
    const wasSent = this.#connectedAt !== null
    this.#giveUp(
      timeoutFailure(this.#destination, this.#status, { timeoutMs: this.#timeoutMs, wasSent }),
    )
  }

  /** Finishes at once: the client drops an aborted request only when it connects. */
  #giveUp(failure: SendFailure | null): void {
    this.#finish(failure)
    this.#controller?.abort(new Error('No longer needed.'))
  }

  #finish(failure: SendFailure | null): void {
    if (this.#isOver) return
    this.#isOver = true
    const { signal, timeOut } = this.#input
    const { answerLimit } = this.#limits
    clearTimeout(this.#timer)
    signal?.removeEventListener('abort', this.#onAbort)
    timeOut?.removeEventListener('abort', this.#onTimeOut)
    this.#resolve({
      status: this.#status,
      ...this.#measure(),
      failure,
      headers: this.#headers,
      body: this.#size === 0 ? NOTHING : Buffer.concat(this.#chunks).subarray(0, answerLimit),
      truncated: this.#size > answerLimit,
    })
  }

  #measure(): Pick<SendResult, 'ms' | 'phases'> {
    const endedAt = this.#limits.monotonic()
    const ms = roundToTenth(endedAt - this.#startedAt)
    const sent = roundToTenth((this.#connectedAt ?? endedAt) - this.#startedAt)
    const head = roundToTenth((this.#answeredAt ?? endedAt) - this.#startedAt)
    return {
      ms,
      phases: { connect: sent, wait: roundToTenth(head - sent), body: roundToTenth(ms - head) },
    }
  }
}

export function exchange(
  dispatcher: Dispatcher,
  destination: Destination,
  input: Omit<SendRequest, 'url'>,
  limits: ExchangeLimits,
): Promise<SendResult> {
  return new Promise((resolve) => {
    new Exchange(destination, input, limits, resolve).start(dispatcher)
  })
}

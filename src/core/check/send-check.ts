/** Sends one request of a case and records request and response with all secrets masked. */
import type { RawHeaders } from '../../shared/model/delivery.ts'
import type { CheckExchange } from '../../shared/model/check.ts'
import { createMask, MASK } from '../../shared/text/masked.ts'
import type { Clock } from '../base/deps.ts'
import type { Sender } from '../outgoing/send.ts'
import type { CheckRequest } from './bench.ts'

/** Bytes kept of the request body and of the response body. */
const SENT_KEPT = 16_384
const ANSWER_KEPT = 2_048
/** Pause between the halves of a body. A handler that doesn't wait for the second half responds during this time. */
const HALT_MS = 1_000

export interface SendCheckDeps {
  readonly clock: Clock
  readonly sender: Pick<Sender, 'send'>
  readonly target: string
  readonly secret: string
  /** Lower-case header names whose values are masked. */
  readonly customHeaders: ReadonlySet<string>
}

function textOf(bytes: Uint8Array, kept: number): string {
  return Buffer.from(bytes.subarray(0, kept)).toString('utf8')
}

/** Null if cancelled. */
export async function sendCheck(
  deps: SendCheckDeps,
  request: CheckRequest,
  signal: AbortSignal,
): Promise<CheckExchange | null> {
  const { secret, customHeaders } = deps
  const { label, method, signedUrl, body } = request
  let isWhole = !request.halting
  const answered = new AbortController()
  async function* halting(): AsyncGenerator<Uint8Array> {
    const half = Math.ceil(body.length / 2)
    yield body.subarray(0, half)
    await deps.clock.sleep(HALT_MS, answered.signal)
    isWhole = !answered.signal.aborted
    yield body.subarray(half)
  }
  const headers: RawHeaders = request.halting
    ? [...request.headers, ['content-length', String(body.length)]]
    : request.headers
  const result = await deps.sender.send({
    url: deps.target,
    method,
    headers,
    body: request.halting ? halting() : body,
    signal,
  })
  const early = !isWhole
  const isCustom = (name: string) => customHeaders.has(name.toLowerCase())
  const values = headers.flatMap(([name, value]) => (isCustom(name) ? [value] : []))
  // An endpoint that echoes its configuration or the request must not leak a secret into a report.
  const masked = createMask([secret, ...values]).text
  answered.abort()
  if (result.failure?.kind === 'cancelled') return null
  return {
    sent: {
      label,
      method,
      url: deps.target,
      signedUrl,
      headers: headers.map(([name, value]) => [name, isCustom(name) ? MASK : value]),
      body: textOf(body, SENT_KEPT),
      bodySize: body.length,
    },
    got: {
      status: result.status,
      ms: result.ms,
      errorKind: result.failure?.kind ?? null,
      error:
        result.failure === null || result.failure === undefined
          ? null
          : masked(result.failure.message),
      headers: result.headers.map(([name, value]) => [masked(name), masked(value)]),
      body: masked(textOf(result.body, result.body.length)).slice(0, ANSWER_KEPT),
      early,
      connected: result.failure?.kind !== 'timeout' || (result.phases?.wait ?? 0) > 0,
    },
  }
}

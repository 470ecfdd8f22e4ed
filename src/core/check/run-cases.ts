/**
 * Sends the cases one after another at the given rate and judges them. The first case decides what the others prove: if a valid
 * delivery is rejected, rejecting forged ones proves nothing, so those cases are inconclusive. If it gets another response (204,
 * 302, 500), a rejection still counts. If only its payload is rejected, the other cases send an event that is accepted.
 */
import {
  checkCaseSchema,
  FIRST_CASE,
  type CheckCase,
  type CheckExchange,
  type CheckResult,
  type CheckSettings,
} from '../../shared/model/check.ts'
import type { RawHeaders } from '../../shared/model/delivery.ts'
import { createMask, MASK, type KnownSecrets } from '../../shared/text/masked.ts'
import type { Clock } from '../base/deps.ts'
import type { Sender } from '../outgoing/send.ts'
import { findFirstCause } from './first-cause.ts'
import { isRefusal, isSignatureAccepted, isSuccess, judge, passMessage } from './judge.ts'
import { quotedResponse } from './response-words.ts'
import {
  benchSending,
  type CaseDefinition,
  type CheckRequest,
  type CheckSending,
} from './requests.ts'

/** Bytes kept of the request body and of the response body. */
const SENT_KEPT = 16_384
const ANSWER_KEPT = 2_048
/** Pause between the halves of a body. A handler that doesn't wait for the second half responds during this time. */
const HALT_MS = 1_000

/** Returns where to cut a body: inside its first letter of several bytes, else in the middle. */
function cutOf(body: Uint8Array): number {
  const inside = body.findIndex((byte) => byte >= 0xc0)
  return inside === -1 ? Math.ceil(body.length / 2) : inside + 1
}

interface SendCheckDeps extends KnownSecrets {
  readonly clock: Clock
  readonly sender: Pick<Sender, 'send'>
  readonly settings: Pick<CheckSettings, 'target' | 'headerNames'>
  readonly secrets: readonly string[]
}

/** Sends one request of a case and records request and response with all secrets masked. Null if cancelled. */
export async function sendCheck(
  { clock, sender, settings: { target, headerNames }, secrets, mask }: SendCheckDeps,
  request: CheckRequest,
  signal: AbortSignal,
): Promise<CheckExchange | null> {
  const { label, method, signedUrl, body, halting } = request
  let isWhole = !halting
  const answered = new AbortController()
  async function* halves(): AsyncGenerator<Uint8Array> {
    const half = cutOf(body)
    yield body.subarray(0, half)
    await clock.sleep(HALT_MS, answered.signal)
    isWhole = !answered.signal.aborted
    yield body.subarray(half)
  }
  const headers: RawHeaders = halting
    ? [...request.headers, ['content-length', String(body.length)]]
    : request.headers
  const result = await sender.send({
    url: target,
    method,
    headers,
    body: halting ? halves() : body,
    signal,
  })
  const early = !isWhole
  answered.abort()
  const { status, ms, failure, phases } = result
  if (failure?.kind === 'cancelled') return null
  const custom = new Set(headerNames.map((name) => name.toLowerCase()))
  const isCustom = (name: string) => custom.has(name.toLowerCase())
  const values = headers.flatMap(([name, value]) => (isCustom(name) ? [value] : []))
  // An endpoint that echoes its configuration or the request must not leak a secret into a report.
  const [own, known] = [createMask([...secrets, ...values]).text, await mask()]
  const masked = (text: string, most?: number) => known(own(text), most)
  return {
    sent: {
      label,
      method,
      url: target,
      signedUrl,
      headers: headers.map(([name, value]) => [name, isCustom(name) ? MASK : value]),
      body: Buffer.from(body.subarray(0, SENT_KEPT)).toString(),
      bodySize: body.length,
    },
    got: {
      status,
      ms,
      errorKind: failure?.kind ?? null,
      error: failure === null ? null : masked(failure.message),
      headers: result.headers.map(([name, value]) => [masked(name), masked(value)]),
      body: masked(Buffer.from(result.body).toString(), ANSWER_KEPT),
      early,
      connected: failure?.kind !== 'timeout' || (phases?.wait ?? 0) > 0,
    },
  }
}

/**
 * The endpoint's response to the first case: `open` before it ran, `takes` if it is a success that doesn't acknowledge, `neither` if
 * it isn't a rejection either.
 */
type FirstResponse = 'open' | 'accepts' | 'takes' | 'refuses' | 'neither' | 'unreachable'

const COMPARE_FIRST =
  'This was the first delivery of its event. Compare it with one that your handler accepts: its payload, its time and its headers.'

export const wordsOf = (one: CaseDefinition): CheckCase => checkCaseSchema.parse(one)

/** Why a case isn't sent with these settings; null if it is. */
export function inapplicable(
  { events, obstacle }: CaseDefinition,
  settings: CheckSettings,
): string | null {
  if (events !== undefined && !events.some((event) => settings.events.includes(event)))
    return `Skipped: this endpoint only receives ${settings.events.join(', ')}.`
  return obstacle?.(settings) ?? null
}

export function firstResponseOf({ outcome, exchanges, accepted }: CheckResult): FirstResponse {
  if (outcome === 'pass' || accepted !== undefined) return 'accepts'
  const { status = null, error = null } = exchanges[0]?.got ?? {}
  if (status === null) return 'unreachable'
  if (isSuccess({ status }) && error === null) return 'takes'
  return isRefusal(status) ? 'refuses' : 'neither'
}

async function exchangesOf(
  one: CaseDefinition,
  { bench, turn, send }: CheckSending,
): Promise<CheckExchange[] | null> {
  const requests = one.requests(bench)
  const all: (CheckExchange | null)[] = []
  if (one.atOnce === true) {
    await turn(requests.length)
    all.push(...(await Promise.all(requests.map(send))))
  } else {
    for (const request of requests) {
      await turn(1)
      const exchange = await send(request)
      all.push(exchange)
      if (exchange === null) break
    }
    if (one.wanted === 'answer') {
      await turn(1)
      all.push(await send(bench.signed(one.name, { label: 'a valid delivery afterwards' })))
    }
  }
  return all.includes(null) ? null : all.filter((exchange) => exchange !== null)
}

/** Cases whose fix is about hashing. The others' is about the payload. */
const ABOUT_BYTES = new Set(['unicode', 'split-letter', 'escapes', 'numbers', 'layout'])

/**
 * Returns the fix of a failed case, after asking whether a forged delivery gets the same response.
 */
async function fixFor(
  one: CaseDefinition,
  exchanges: readonly CheckExchange[],
  decisive: number,
  { bench, turn, send }: CheckSending,
): Promise<string> {
  // The case's fix is about the repeated delivery.
  if (one.group === 'duplicates' && decisive === 0) return COMPARE_FIRST
  if (one.group !== 'genuine' && !ABOUT_BYTES.has(one.name)) return one.fix
  const failed = exchanges[decisive]
  const request = one.requests(bench)[decisive]
  if (failed === undefined || request === undefined || failed.got.status === null) return one.fix
  await turn(1)
  const forged = await send(bench.forged(request))
  if (forged === null) return one.fix
  const isAlike = forged.got.status === failed.got.status && forged.got.body === failed.got.body
  if (!isAlike)
    return `Your handler accepts the signature, and then returns ${failed.got.status}${quotedResponse(failed)}. Compare what it requires with this delivery (spec 2).`
  return one.group === 'genuine'
    ? `Your handler treats this delivery as forged. If each event has its own secret, name the hooks with --hook. Otherwise: ${one.fix}`
    : one.fix
}

/** Sends and judges one case. `first` is the result of the first case, if it ran. Null if cancelled. */
async function runCase(
  one: CaseDefinition,
  first: CheckResult | undefined,
  given: CheckSending,
): Promise<CheckResult | null> {
  const firstResponse = first === undefined ? 'open' : firstResponseOf(first)
  const deps =
    first?.accepted === undefined
      ? given
      : { ...given, bench: benchSending(given.bench, first.accepted, first.set) }
  const { settings } = deps.bench
  const skipped = (
    message: string,
    sent: CheckExchange[] = [],
    decisive: number | null = null,
  ) => ({
    ...wordsOf(one),
    outcome: 'skip' as const,
    message,
    warning: null,
    exchanges: sent,
    decisive,
  })
  const reason = inapplicable(one, settings)
  if (reason !== null) return skipped(reason)
  if (firstResponse === 'unreachable')
    return skipped("Skipped: your handler didn't respond to the first delivery.")
  if ((firstResponse === 'refuses' || firstResponse === 'neither') && one.wanted !== 'refuse') {
    const does = firstResponse === 'refuses' ? 'rejects' : "doesn't acknowledge"
    return skipped(`Skipped: your handler ${does} a valid delivery. Fix that first.`)
  }
  const exchanges = await exchangesOf(one, deps)
  if (exchanges === null) return null
  const inconclusive = (why: string) => skipped(`Inconclusive: your handler ${why}.`, exchanges, 0)
  const isUnacknowledged = firstResponse === 'takes' && one.wanted !== 'refuse'
  const objection = judge(one, exchanges, isUnacknowledged ? '2xx' : settings.ack)
  if (
    firstResponse === 'neither' &&
    objection !== null &&
    !exchanges.some(({ got }) => isSuccess(got))
  )
    return inconclusive('gives valid deliveries no clear response either')
  if (objection !== null) {
    const [exchange] = exchanges
    const hasCause =
      one.name === FIRST_CASE && exchange !== undefined && exchange.got.status !== null
    return {
      ...wordsOf(one),
      outcome: 'fail',
      warning: null,
      ...(hasCause ? await findFirstCause(deps, exchange) : { exchanges }),
      ...objection,
      fix: hasCause ? one.fix : await fixFor(one, exchanges, objection.decisive, deps),
    }
  }
  if (isUnacknowledged) return inconclusive('accepts it, but acknowledges no valid delivery')
  const isKnownSigned = first !== undefined && isSignatureAccepted(first)
  const control = first?.exchanges[0]?.got.status
  if (isKnownSigned && exchanges.some(({ got }) => got.status === control))
    return inconclusive('returned the same status as for a valid delivery')
  if (firstResponse === 'refuses' && !isKnownSigned)
    return inconclusive('rejected it, but it also rejects valid deliveries')
  return {
    ...wordsOf(one),
    outcome: 'pass',
    message: passMessage(exchanges),
    warning: one.warn?.(exchanges) ?? null,
    exchanges,
    decisive: 0,
  }
}

/** Sends cases and passes on each result, in order. `first` is the result of the first case, if it ran. Resolves when all are done or cancelled. */
export async function runCases(
  cases: readonly CaseDefinition[],
  first: CheckResult | undefined,
  deps: CheckSending,
  onResult: (result: CheckResult) => void,
): Promise<void> {
  let before = first
  for (const one of cases) {
    const result = await runCase(one, before, deps)
    if (result === null || deps.signal.aborted) return
    before ??= result
    onResult(result)
  }
}

/**
 * Sends cases one after another and judges them. The first decides what the others prove: if a
 * valid delivery is rejected, rejecting forged ones proves nothing.
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
import { createMask, type KnownSecrets } from '../../shared/text/mask.ts'
import { responseMessage } from '../../shared/service/response-message.ts'
import { MASK } from '../../shared/text/masked-places.ts'
import type { Clock } from '../base/deps.ts'
import type { Sender } from '../outgoing/send.ts'
import { findFirstCause } from './first-cause.ts'
import { isRefusal, isSuccess, judge, passMessage } from './judge.ts'
import { isSignatureAccepted } from './first-conclusions.ts'
import { quotedResponse } from './response-words.ts'
import { withPreferredEvent, type CheckRequest, type CheckSending } from './requests.ts'
import type { CaseDefinition } from './case-definition.ts'

/** Stored bytes of a request body. */
const STORED_REQUEST_BYTES = 16_384
/** Stored characters of a response body. */
const STORED_RESPONSE_LENGTH = 2_048
/** Pause between the halves of a body in milliseconds. */
const HALF_BODY_PAUSE_MS = 1_000

/** Returns where to cut a body, if possible inside a letter of several bytes. */
function cutPosition(body: Uint8Array): number {
  const letterStart = body.findIndex((byte) => byte >= 0xc0)
  return letterStart === -1 ? Math.ceil(body.length / 2) : letterStart + 1
}

interface SendCheckDeps extends KnownSecrets {
  readonly clock: Clock
  readonly sender: Pick<Sender, 'send'>
  readonly settings: Pick<CheckSettings, 'target' | 'headerNames'>
  readonly secrets: readonly string[]
}

/** Sends a request and records the exchange with masked secrets; null if cancelled. */
export async function sendCheck(
  { clock, sender, settings: { target, headerNames }, secrets, mask }: SendCheckDeps,
  request: CheckRequest,
  signal: AbortSignal,
): Promise<CheckExchange | null> {
  const { label, method, signedUrl, body, halting } = request
  let isWhole = !halting
  const responded = new AbortController()
  async function* halves(): AsyncGenerator<Uint8Array> {
    const half = cutPosition(body)
    yield body.subarray(0, half)
    await clock.sleep(HALF_BODY_PAUSE_MS, responded.signal)
    isWhole = !responded.signal.aborted
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
  responded.abort()
  const { status, ms, failure, phases } = result
  if (failure?.kind === 'cancelled') return null
  const custom = new Set(headerNames.map((name) => name.toLowerCase()))
  const isCustom = (name: string) => custom.has(name.toLowerCase())
  const values = headers.flatMap(([name, value]) => (isCustom(name) ? [value] : []))
  // An endpoint that echoes the request must not leak a secret into a report.
  const [maskOwn, maskKnown] = [createMask([...secrets, ...values]).text, await mask()]
  const masked = (text: string, most?: number) => maskKnown(maskOwn(text), most)
  return {
    sent: {
      label,
      method,
      url: target,
      signedUrl,
      headers: headers.map(([name, value]) => [name, isCustom(name) ? MASK : value]),
      body: Buffer.from(body.subarray(0, STORED_REQUEST_BYTES)).toString(),
      bodySize: body.length,
    },
    got: {
      status,
      ms,
      errorKind: failure?.kind ?? null,
      error: failure === null ? null : masked(failure.message),
      headers: result.headers.map(([name, value]) => [masked(name), masked(value)]),
      body: masked(Buffer.from(result.body).toString(), STORED_RESPONSE_LENGTH),
      early,
      connected: failure?.kind !== 'timeout' || (phases?.wait ?? 0) > 0,
    },
  }
}

/** Response to the first case. */
type FirstResponse =
  /** None yet: the first case isn't sent. */
  | 'open'
  /** Acknowledgement. */
  | 'accepts'
  /** Success status that isn't an acknowledgement. */
  | 'unacknowledged'
  /** Status that rejects the delivery. */
  | 'refuses'
  /** Any other status, such as a redirect or a 5xx. */
  | 'neither'
  /** No response. */
  | 'unreachable'

const COMPARE_FIRST =
  'This was the first delivery of its event. Compare it with one that your handler accepts: its payload, its time and its headers.'

export const caseTexts = (definition: CaseDefinition): CheckCase =>
  checkCaseSchema.parse(definition)

/** Explains why a case isn't sent; null if it is. */
export function inapplicableReason(
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
  if (isSuccess({ status }) && error === null) return 'unacknowledged'
  return isRefusal(status) ? 'refuses' : 'neither'
}

async function sendRequests(
  definition: CaseDefinition,
  { factory, waitForTurn, send }: CheckSending,
): Promise<CheckExchange[] | null> {
  const requests = definition.requests(factory)
  const exchanges: (CheckExchange | null)[] = []
  if (definition.atOnce === true) {
    await waitForTurn(requests.length)
    exchanges.push(...(await Promise.all(requests.map(send))))
  } else {
    for (const request of requests) {
      await waitForTurn(1)
      const exchange = await send(request)
      exchanges.push(exchange)
      if (exchange === null) break
    }
    if (definition.expectedResponse === 'answer') {
      await waitForTurn(1)
      exchanges.push(
        await send(factory.signed(definition.name, { label: 'a valid delivery afterwards' })),
      )
    }
  }
  return exchanges.includes(null) ? null : exchanges.filter((exchange) => exchange !== null)
}

/** Cases whose fix is about hashing, not about the payload. */
const ABOUT_BYTES = new Set(['unicode', 'split-letter', 'escapes', 'numbers', 'layout'])

/** Returns the fix for a failed case; a forged copy shows whether its signature was accepted. */
async function fixFor(
  definition: CaseDefinition,
  exchanges: readonly CheckExchange[],
  decisive: number,
  { factory, waitForTurn, send }: CheckSending,
): Promise<string> {
  // The fix of the case is about the repeated delivery.
  if (definition.group === 'duplicates' && decisive === 0) return COMPARE_FIRST
  if (definition.group !== 'valid' && !ABOUT_BYTES.has(definition.name)) return definition.fix
  const failure = exchanges[decisive]
  const request = definition.requests(factory)[decisive]
  if (failure === undefined || request === undefined || failure.got.status === null)
    return definition.fix
  await waitForTurn(1)
  const forged = await send(factory.forged(request))
  if (forged === null) return definition.fix
  const isAlike = forged.got.status === failure.got.status && forged.got.body === failure.got.body
  if (!isAlike)
    return `Your handler accepts the signature, and then returns ${failure.got.status}${quotedResponse(failure)}. Compare what it requires with this delivery (spec 2).`
  if (failure.got.status >= 500) {
    const said = responseMessage(failure.got.body).replaceAll('`', "'")
    return `Your handler returns ${failure.got.status}${said === '' ? '' : `: \`${said}\``}, even to a forged copy. Find this error in your handler's log.`
  }
  return definition.group === 'valid'
    ? `Your handler treats this delivery as forged. If each event has its own secret, sign with the event's hook. Otherwise: ${definition.fix}`
    : definition.fix
}

/** Sends and judges a case, given the first case's result; null if cancelled. */
async function runCase(
  definition: CaseDefinition,
  first: CheckResult | undefined,
  sending: CheckSending,
): Promise<CheckResult | null> {
  const firstResponse = first === undefined ? 'open' : firstResponseOf(first)
  const deps =
    first?.accepted === undefined
      ? sending
      : { ...sending, factory: withPreferredEvent(sending.factory, first.accepted, first.set) }
  const { settings } = deps.factory
  const skipped = (
    message: string,
    exchangesSent: CheckExchange[] = [],
    decisive: number | null = null,
  ) => ({
    ...caseTexts(definition),
    outcome: 'skip' as const,
    message,
    warning: null,
    exchanges: exchangesSent,
    decisive,
  })
  const reason = inapplicableReason(definition, settings)
  if (reason !== null) return skipped(reason)
  if (firstResponse === 'unreachable')
    return skipped("Skipped: your handler didn't respond to the first delivery.")
  if (
    (firstResponse === 'refuses' || firstResponse === 'neither') &&
    definition.expectedResponse !== 'refuse'
  ) {
    const behavior = firstResponse === 'refuses' ? 'rejects' : "doesn't acknowledge"
    return skipped(`Skipped: your handler ${behavior} a valid delivery. Fix that first.`)
  }
  const exchanges = await sendRequests(definition, deps)
  if (exchanges === null) return null
  const inconclusive = (why: string) => skipped(`Inconclusive: your handler ${why}.`, exchanges, 0)
  const isUnacknowledged =
    firstResponse === 'unacknowledged' && definition.expectedResponse !== 'refuse'
  const objection = judge(definition, exchanges, isUnacknowledged ? '2xx' : settings.ack)
  if (
    firstResponse === 'neither' &&
    objection !== null &&
    !exchanges.some(({ got }) => isSuccess(got))
  )
    return inconclusive('gives valid deliveries no clear response either')
  if (objection !== null) {
    const [exchange] = exchanges
    const hasCause =
      definition.name === FIRST_CASE && exchange !== undefined && exchange.got.status !== null
    return {
      ...caseTexts(definition),
      outcome: 'fail',
      warning: null,
      ...(hasCause ? await findFirstCause(deps, exchange) : { exchanges }),
      ...objection,
      fix: hasCause
        ? definition.fix
        : await fixFor(definition, exchanges, objection.decisive, deps),
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
    ...caseTexts(definition),
    outcome: 'pass',
    message: passMessage(exchanges),
    warning: definition.warn?.(exchanges) ?? null,
    exchanges,
    decisive: 0,
  }
}

/** Sends cases and passes on each result in order. */
export async function runCases(
  cases: readonly CaseDefinition[],
  first: CheckResult | undefined,
  deps: CheckSending,
  onResult: (result: CheckResult) => void,
): Promise<void> {
  let before = first
  for (const definition of cases) {
    const result = await runCase(definition, before, deps)
    if (result === null || deps.signal.aborted) return
    before ??= result
    onResult(result)
  }
}

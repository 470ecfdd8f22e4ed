/**
 * Finds out why an endpoint doesn't accept the first delivery. One mistake can hide another: a handler that hashes once and crashes
 * on `offer: null` returns 401 for a valid delivery and 500 for one hashed once.
 */
import type {
  CheckCrash,
  CheckExchange,
  CheckFinding,
  CheckSettings,
} from '../../shared/model/check.ts'
import { headerNames } from '../../shared/service/header-rules.ts'
import type { Pacer } from '../outgoing/send.ts'
import type { Bench, CheckRequest } from './bench.ts'
import { isCheckAcknowledged, isRefusal } from './judge.ts'

export interface CauseDeps {
  readonly bench: Bench
  readonly settings: CheckSettings
  /** Null if the check was cancelled. */
  send(request: CheckRequest): Promise<CheckExchange | null>
}

interface FirstCause {
  /** The wrong signing method that is accepted instead of the right one. */
  readonly finding: CheckFinding | null
  readonly crash: CheckCrash | null
  /** The requests that prove it. */
  readonly exchanges: readonly CheckExchange[]
}

export const noCause: FirstCause = { finding: null, crash: null, exchanges: [] }

/**
 * Whether each request of a proof is a suspect; the others are controls. A handler that alternates its responses can't match this
 * order.
 */
const PROOFS = [false, false, true, false, true, true, false, true]
/** How many null fields are tried one by one. */
const MOST_FIELDS = 6

/** How many requests the search sends at most. */
export function mostCauseRequests(bench: Bench): number {
  return bench.mistaken('{}').length + PROOFS.length + MOST_FIELDS + PROOFS.length
}

type Payload = Readonly<Record<string, unknown>>
/** Creates a body with its own ids, because handlers ignore duplicates. */
type BodyOf = (purpose: string) => string

const isFailure = (status: number) => status >= 500

/** Paths of null fields, outermost first, because handlers read those most often. */
function nullFields(payload: Payload): string[] {
  const outer = Object.keys(payload).filter((name) => payload[name] === null)
  const inner = Object.entries(payload).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? nullFields(value as Payload).map((path) => `${name}.${path}`)
      : [],
  )
  return [...outer, ...inner]
}

function withField(
  payload: Payload,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): Payload {
  return {
    ...payload,
    [name]: rest.length === 0 ? value : withField(payload[name] as Payload, rest, value),
  }
}

/** A possible non-null value for the field. */
function sampleOf({ payloads }: Bench, field: string): unknown {
  if (field === 'offer')
    return (JSON.parse(payloads.of('transaction.auth.qualified', 'sample')) as Payload)['offer']
  return /metadata|geolocation/.test(field) ? {} : 'x'
}

function filled(bench: Bench, body: string, field: string): string {
  return JSON.stringify(
    withField(JSON.parse(body) as Payload, field.split('.'), sampleOf(bench, field)),
  )
}

function signatureLength({ settings }: Bench, { headers }: Pick<CheckRequest, 'headers'>): number {
  const name = headerNames(settings.prefix).signature
  return headers.find(([each]) => each.toLowerCase() === name)?.[1].length ?? 0
}

/**
 * Sends suspects and controls in an order that chance is unlikely to match. Returns the exchange that disproves the cause, or null.
 */
async function disproof(
  { send }: CauseDeps,
  turn: Pacer,
  requestOf: (isSuspect: boolean, purpose: string) => CheckRequest,
  fits: (exchange: CheckExchange, isSuspect: boolean) => boolean,
): Promise<CheckExchange | 'cancelled' | null> {
  for (const [index, isSuspect] of PROOFS.entries()) {
    await turn(1)
    const exchange = await send(requestOf(isSuspect, `proof ${index}`))
    if (exchange === null || exchange.got.status === null) return 'cancelled'
    if (!fits(exchange, isSuspect)) return exchange
  }
  return null
}

interface FoundRecipe {
  /** Null if the endpoint doesn't decide by the signature: the same kind of request is accepted once and rejected once. */
  readonly finding: CheckFinding | null
  readonly place: number
  readonly exchanges: readonly CheckExchange[]
}

/**
 * For an endpoint that rejects a valid delivery: the first wrong signing method that it accepts every time, or one that makes it
 * fail.
 */
async function findRecipe(
  deps: CauseDeps,
  turn: Pacer,
  bodyOf: BodyOf,
): Promise<FoundRecipe | null> {
  const { bench, send, settings } = deps
  const body = bodyOf('recipe')
  const genuineLength = signatureLength(bench, bench.request(body))
  // A signature of another length makes some handlers fail before they compare it.
  const getsPast = ({ got }: CheckExchange, request: CheckRequest) =>
    isCheckAcknowledged(got, settings.ack) ||
    (isFailure(got.status ?? 0) && signatureLength(bench, request) === genuineLength)
  let candidate: {
    readonly place: number
    readonly exchange: CheckExchange
    readonly finding: CheckFinding
  } | null = null
  for (const [place, { finding, request }] of bench.mistaken(body).entries()) {
    await turn(1)
    const exchange = await send(request)
    if (exchange === null || exchange.got.status === null) return null
    if (!getsPast(exchange, request)) continue
    candidate ??= { place, exchange, finding }
    if (!isCheckAcknowledged(exchange.got, settings.ack)) continue
    candidate = { place, exchange, finding }
    break
  }
  if (candidate === null) return null
  const { place, exchange, finding } = candidate
  const genuine = (text: string) => bench.request(text, { label: 'a valid delivery again' })
  const wrong = await disproof(
    deps,
    turn,
    (isSuspect, purpose) => {
      const text = bodyOf(`recipe, ${purpose}`)
      return (isSuspect ? bench.mistaken(text)[place]?.request : undefined) ?? genuine(text)
    },
    ({ got }, isSuspect) =>
      isSuspect ? got.status === exchange.got.status : got.status !== null && isRefusal(got.status),
  )
  if (wrong === 'cancelled') return null
  return wrong === null
    ? { finding, place, exchanges: [exchange] }
    : { finding: null, place, exchanges: [exchange, wrong] }
}

interface FoundCrash {
  readonly field: string
  /** The endpoint's response once the field has a value. */
  readonly exchange: CheckExchange
}

/** For an endpoint that fails: the null field that causes it. */
async function findCrash(
  deps: CauseDeps,
  turn: Pacer,
  requestOf: (body: string, label: string) => CheckRequest,
): Promise<FoundCrash | null> {
  const { bench, send } = deps
  const bodyOf = (purpose: string) => bench.payloads.of(bench.payloads.base, `crash, ${purpose}`)
  const fields = nullFields(JSON.parse(bodyOf('fields')) as Payload).slice(0, MOST_FIELDS)
  for (const field of fields) {
    const label = `${field} with a value`
    await turn(1)
    const exchange = await send(requestOf(filled(bench, bodyOf(field), field), label))
    if (exchange === null || exchange.got.status === null) return null
    if (isFailure(exchange.got.status)) continue
    const wrong = await disproof(
      deps,
      turn,
      (isSuspect, purpose) =>
        isSuspect
          ? requestOf(filled(bench, bodyOf(purpose), field), label)
          : requestOf(bodyOf(purpose), `${field} null again`),
      ({ got }, isSuspect) => got.status !== null && isFailure(got.status) !== isSuspect,
    )
    return wrong === null ? { field, exchange } : null
  }
  return null
}

/** `status` is the endpoint's response to the first delivery, or null. */
export async function findFirstCause(
  deps: CauseDeps,
  turn: Pacer,
  status: number | null,
): Promise<FirstCause> {
  const { bench } = deps
  const { payloads } = bench
  const plainBody: BodyOf = (purpose) => payloads.of(payloads.base, purpose)
  if (status === null) return noCause
  if (isRefusal(status)) {
    const recipe = await findRecipe(deps, turn, plainBody)
    if (recipe === null) return noCause
    const { finding, place, exchanges } = recipe
    const failure = exchanges[0]?.got.status ?? 0
    if (finding === null || !isFailure(failure)) return { finding, crash: null, exchanges }
    const crash = await findCrash(
      deps,
      turn,
      (body) => bench.mistaken(body)[place]?.request ?? bench.request(body),
    )
    return {
      finding,
      crash: { field: crash?.field ?? null, status: failure },
      exchanges: crash === null ? exchanges : [...exchanges, crash.exchange],
    }
  }
  if (!isFailure(status)) return noCause
  const crash = await findCrash(deps, turn, (body, label) => bench.request(body, { label }))
  if (crash === null) return noCause
  const { field, exchange } = crash
  const found: FirstCause = { finding: null, crash: { field, status }, exchanges: [exchange] }
  if (!isRefusal(exchange.got.status ?? 0)) return found
  const recipe = await findRecipe(deps, turn, (purpose) => filled(bench, plainBody(purpose), field))
  return recipe === null
    ? found
    : { ...found, finding: recipe.finding, exchanges: [...found.exchanges, ...recipe.exchanges] }
}

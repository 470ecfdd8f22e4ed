/**
 * Checks whether a body matches the spec of its event (sections 2 and 6.1), and which events it could be if no secret identifies
 * one. Nothing received makes these functions throw.
 */
import type { z } from 'zod'
import { textAt } from '../body/json-literals.ts'
import type { SchemaOutcome, Mode } from '../model/delivery.ts'
import {
  isEventName,
  isShownEventType,
  shownEventTypes,
  type ShownEventType,
} from './event-type.ts'
import { createCheck, type PayloadNote, type PayloadCheck } from './field-check.ts'
import { hasTooManyMembers, MOST_MEMBERS, parseBody, type ParsedBody } from './json-body.ts'
import { observedIn } from './observed.ts'
import { payloadSchemas } from './payload-schemas.ts'
import { checkSense } from './payload-sense.ts'
import { isJsonObject } from '../body/json-path.ts'

/**
 * Checks a body against its event. A missing field or a wrong type is a failure and results in `issues`. A mismatch that accounts
 * in test mode have been seen to send (`observed.ts`), an unlisted value, an unknown field, a sign or flag that doesn't fit the event, or a `live` that disagrees with the environment's mode (if known) is a
 * finding and leaves `ok`. `unknown`: the event is null, not in the spec or its payload isn't shown, or the body has too many
 * members to check.
 */
export function checkPayload(
  event: string | null,
  body: Uint8Array | string,
  origin: PayloadOrigin | null = null,
): PayloadCheck {
  return checkParsed(event, parseWithinLimit(body), origin)
}

/**
 * Checks a body's schema, reads what a list shows and, if no hook's secret identifies the event, lists the events that it could be:
 * all from one parse. The `merchant` is the brand's name; `schemaErrors` is null if nothing was checked.
 */
export function describePayload(event: string | null, body: Uint8Array) {
  const parsed = parseWithinLimit(body)
  const events = event === null ? guessParsed(parsed) : null
  const likely = event ?? (events?.length === 1 ? events[0]! : null)
  const { schema, schemaErrors } = countParsed(likely, parsed)
  const value =
    parsed !== 'too-large' && parsed.ok && isJsonObject(parsed.value) ? parsed.value : {}
  const { amount, currency, brand } = value
  return {
    schema,
    events,
    details: {
      amount: typeof amount === 'number' ? spelledAmount(amount, body) : null,
      currency: shownOf(currency),
      merchant: isJsonObject(brand) ? shownOf(brand['name']) : null,
      schemaErrors,
    },
  }
}

/** A list doesn't show longer texts. Cut, they could end with a part of a secret. */
const SHOWN_LENGTH = 200

function shownOf(value: unknown): string | null {
  return typeof value === 'string' && value.length <= SHOWN_LENGTH ? value : null
}

// Created once: creating one costs as much as reading a kilobyte with it.
const latin1 = new TextDecoder('latin1')

/** A name in another spelling (`"\u0061mount"`) isn't found: then the number is read again. */
const AMOUNTS = /"amount"\s*:\s*(-?\d[\d.eE+-]*)/g

/** The digits of the top-level amount as the body has them: `10.00` isn't `10`. */
function spelledAmount(amount: number, body: Uint8Array): string | null {
  const bytes = latin1.decode(body)
  const spellings = new Set(
    Array.from(bytes.matchAll(AMOUNTS), ([, digits = '']) => digits).filter(
      (digits) => Number(digits) === amount,
    ),
  )
  const [only] = spellings
  if (spellings.size === 1 && only !== undefined) return shownOf(only)
  const text = new TextDecoder().decode(body)
  return shownOf(textAt(text, 'amount') ?? JSON.stringify(amount))
}

type LimitedBody = ParsedBody | 'too-large'

function parseWithinLimit(body: Uint8Array | string): LimitedBody {
  return hasTooManyMembers(body) ? 'too-large' : parseBody(body)
}

const TOO_LARGE: PayloadCheck = {
  outcome: 'unknown',
  failures: [],
  findings: [
    {
      path: '',
      message: `Too large to check: the body has more than ${MOST_MEMBERS.toLocaleString('en')} members.`,
      section: '4.4',
    },
  ],
}

function checkParsed(
  event: string | null,
  parsed: LimitedBody,
  origin: PayloadOrigin | null,
): PayloadCheck {
  if (parsed === 'too-large') return TOO_LARGE
  if (!parsed.ok)
    return {
      outcome: 'not-json',
      failures: [{ path: '', message: parsed.reason, section: '4.4' }],
      findings: [],
    }
  const mixed = origin === null ? [] : checkMode(parsed.value, origin)
  if (event === null || !isShownEventType(event))
    return { outcome: 'unknown', failures: [], findings: mixed }
  const { outcome, failures, findings } = checkValue(event, parsed.value)
  return { outcome, failures, findings: [...mixed, ...findings] }
}

const checks = Object.fromEntries(
  shownEventTypes.map((event) => [event, createCheck(payloadSchemas[event], observedIn(event))]),
) as Readonly<Record<ShownEventType, ReturnType<typeof createCheck>>>

/** The outcome of `checkParsed`, and how many failures it finds; null if nothing was checked. */
function countParsed(
  event: string | null,
  parsed: LimitedBody,
): { readonly schema: SchemaOutcome; readonly schemaErrors: number | null } {
  if (parsed === 'too-large') return { schema: 'unknown', schemaErrors: null }
  if (!parsed.ok) return { schema: 'not-json', schemaErrors: null }
  if (event === null || !isShownEventType(event)) return { schema: 'unknown', schemaErrors: null }
  const schemaErrors = checks[event].count(parsed.value)
  return { schema: schemaErrors === 0 ? 'ok' : 'issues', schemaErrors }
}

function checkValue(event: ShownEventType, value: unknown): PayloadCheck {
  const { failures, findings } = checks[event].check(value)
  const sense: PayloadNote[] = isJsonObject(value) ? checkSense(event, value) : []
  return {
    outcome: failures.length === 0 ? 'ok' : 'issues',
    failures,
    findings: [...findings, ...sense],
  }
}

/** The share of an event's fields that a body must have to count as that event, if it doesn't fully match any. */
const LIKENESS = 0.75

/**
 * The events that a body could be: those that it matches fully, else those of the most similar resource, so that missing fields can
 * still be reported. Flags, sign and offer then narrow down the transaction events as far as the spec allows: a refund and its
 * clearing look alike, so both are listed.
 */
export function guessEvents(body: Uint8Array | string): string[] {
  return guessParsed(parseWithinLimit(body))
}

function guessParsed(parsed: LimitedBody): string[] {
  if (parsed === 'too-large' || !parsed.ok || !isJsonObject(parsed.value)) return []
  const { value } = parsed
  if (namesOtherEvent(value)) return []
  const alike = shownEventTypes
    .map((event) => ({ event, share: likeness(event, value) }))
    .filter(({ share }) => share >= LIKENESS)
  const fitting = alike.filter(({ event }) => checks[event].count(value) === 0)
  const best = Math.max(...alike.map(({ share }) => share))
  const chosen = fitting.length > 0 ? fitting : alike.filter(({ share }) => share === best)
  return narrow(
    chosen.map(({ event }) => event),
    value,
  )
}

/** Whether a body names an event whose payload the spec doesn't show: comparing it with a similar event would find false errors. */
function namesOtherEvent({ event }: Readonly<Record<string, unknown>>): boolean {
  return typeof event === 'string' && isEventName(event) && !isShownEventType(event)
}

const requiredNames = new Map(
  shownEventTypes.map((event) => {
    const fields = Object.entries<z.ZodType>(payloadSchemas[event].shape)
    return [
      event,
      fields.filter(([, field]) => !field.safeParse(undefined).success).map(([name]) => name),
    ] as const
  }),
)

/** The share of an event's required fields that are present: a cheap check, so that only close candidates are compared in full. */
function likeness(event: ShownEventType, value: Readonly<Record<string, unknown>>): number {
  const names = requiredNames.get(event) ?? []
  return names.filter((name) => Object.hasOwn(value, name)).length / names.length
}

/** The event whose fields a body of no known event shares most, and how many of its required top-level fields; null if it shares none. */
export function closestEvent(body: Uint8Array | string) {
  const parsed = parseWithinLimit(body)
  if (parsed === 'too-large' || !parsed.ok || !isJsonObject(parsed.value)) return null
  const { value } = parsed
  if (namesOtherEvent(value)) return null
  const shares = shownEventTypes.map((event) => ({ event, share: likeness(event, value) }))
  const best = Math.max(...shares.map(({ share }) => share))
  if (best === 0) return null
  const alike = shares.filter(({ share }) => share === best).map(({ event }) => event)
  const event = narrow(alike, value)[0] ?? alike[0]
  if (event === undefined) return null
  const names = requiredNames.get(event) ?? []
  return {
    event,
    found: names.filter((name) => Object.hasOwn(value, name)).length,
    required: names.length,
  }
}

export type ClosestEvent = NonNullable<ReturnType<typeof closestEvent>>

/** The transaction events whose flags, sign and offer match the payload. */
function narrow(
  events: readonly ShownEventType[],
  value: Readonly<Record<string, unknown>>,
): ShownEventType[] {
  if (!events.some((event) => event.startsWith('transaction.'))) return [...events]
  const twin = isJsonObject(value['offer']) && value['offer']['qualified'] === true
  const offered = events.filter((event) => event.endsWith('.qualified') === twin)
  const fitting = offered.filter((event) => fitsFlags(event, value))
  return fitting.length > 0 ? fitting : offered
}

function fitsFlags(
  event: ShownEventType,
  { auth, cleared, amount }: Readonly<Record<string, unknown>>,
): boolean {
  const negative = typeof amount === 'number' && amount < 0
  if (event.startsWith('transaction.auth')) return auth === true && cleared === false && !negative
  if (event.startsWith('transaction.refund')) return auth === false && cleared === true && negative
  return cleared === true && auth === !negative
}

/** The environment of the delivery's hook. */
interface PayloadOrigin {
  readonly environment: string
  readonly mode: Mode
}

/** Where resources have `live`: at the top level, and in the card or location that a payload wraps. */
const PATHS = [['live'], ['card', 'live'], ['location', 'live']] as const

/** A finding for each `live` that disagrees with the environment's mode; transactions don't have `live`. */
function checkMode(value: unknown, { environment, mode }: PayloadOrigin): PayloadNote[] {
  return PATHS.flatMap((path): PayloadNote[] => {
    const live = path.reduce<unknown>(fieldOf, value)
    if (typeof live !== 'boolean' || live === (mode === 'live')) return []
    const at = path.join('.')
    const message = `\`${at}\` is ${live}, but the environment ${environment} is in ${mode} mode. Test and live never mix.`
    return [{ path: at, section: '1', message }]
  })
}

function fieldOf(parent: unknown, name: string): unknown {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, name))
    return undefined
  return (parent as Readonly<Record<string, unknown>>)[name]
}

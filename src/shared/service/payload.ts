/**
 * Check of a body against the spec of its event (sections 2 and 6.1), or search for its event.
 * Nothing received makes these functions throw.
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
import { findImplausibleValues } from './payload-sense.ts'
import { isJsonObject } from '../body/json-path.ts'

/**
 * Checks a body. A missing field or wrong type is a failure (`issues`); observed mismatches,
 * unlisted values, unknown fields and values that don't fit the event are findings (`ok`).
 * `unknown`: the spec shows no payload, or there are too many members.
 */
export function checkPayload(
  event: string | null,
  body: Uint8Array | string,
  origin: PayloadOrigin | null = null,
): PayloadCheck {
  return checkParsed(event, parseWithinLimit(body), origin)
}

/** Checks a body, reads what a list shows and guesses its event, from one parse. */
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

/** Longest text in a list; cut, it could end with a part of a secret. */
const SHOWN_LENGTH = 200

function shownOf(value: unknown): string | null {
  return typeof value === 'string' && value.length <= SHOWN_LENGTH ? value : null
}

// Created once: that costs as much as reading a kilobyte.
const latin1 = new TextDecoder('latin1')

/** Amounts by plain name, not by `"\u0061mount"`. */
const AMOUNTS = /"amount"\s*:\s*(-?\d[\d.eE+-]*)/g

/** Returns the top-level amount as written: `10.00` isn't `10`. */
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

/** Returns the outcome of `checkParsed` with the number of failures. */
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
  const sense: PayloadNote[] = isJsonObject(value) ? findImplausibleValues(event, value) : []
  return {
    outcome: failures.length === 0 ? 'ok' : 'issues',
    failures,
    findings: [...findings, ...sense],
  }
}

/** Share of an event's fields that makes a body similar. */
const LIKENESS = 0.75

/**
 * Lists the events that a body could be: those that it matches, else the most similar, narrowed by
 * flags, sign and offer. A refund and its clearing look alike.
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

/** Whether a body names an event whose payload the spec doesn't show. */
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

/** Returns the share of an event's required fields that are present. */
function likeness(event: ShownEventType, value: Readonly<Record<string, unknown>>): number {
  const names = requiredNames.get(event) ?? []
  return names.filter((name) => Object.hasOwn(value, name)).length / names.length
}

/** Returns the most similar event, with the number of its required fields. */
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

function narrow(
  events: readonly ShownEventType[],
  value: Readonly<Record<string, unknown>>,
): ShownEventType[] {
  if (!events.some((event) => event.startsWith('transaction.'))) return [...events]
  const isQualified = isJsonObject(value['offer']) && value['offer']['qualified'] === true
  const offered = events.filter((event) => event.endsWith('.qualified') === isQualified)
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

interface PayloadOrigin {
  readonly environment: string
  readonly mode: Mode
}

/** Paths of the field `live`. */
const PATHS = [['live'], ['card', 'live'], ['location', 'live']] as const

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

/**
 * Whether a body is what the interface says of its event (sections 2 and 6.1), and which event it could be where no key proves
 * one. Nothing that arrives makes these throw.
 */
import type { z } from 'zod'
import type { SchemaOutcome, Mode } from '../model/delivery.ts'
import { isShownEventType, shownEventTypes, type ShownEventType } from './event-type.ts'
import { checkFields, type PayloadNote, type PayloadCheck } from './field-check.ts'
import { hasTooManyMembers, MOST_MEMBERS, parseBody, type ParsedBody } from './json-body.ts'
import { payloadSchemas } from './payload-schemas.ts'
import { checkSense } from './payload-sense.ts'

/**
 * Checks a body against its event. A field that is missing or of the wrong type is a failure and makes `issues`; what the
 * interface only shows, an unknown field, or a sign or flag that does not fit the event is a finding, and leaves `ok`; so is,
 * where the environment is known, a `live` that disagrees with its mode. An event that is null, not of the interface, or whose
 * payload is not shown is `unknown`; so is a body with more members than are checked.
 */
export function checkPayload(event: string | null, body: Uint8Array | string, origin: PayloadOrigin | null = null): PayloadCheck {
  return checkParsed(event, parseWithinLimit(body), origin)
}

/** The schema of a body and, if no hook's secret proves the event, the events that the body could be: from one parse. */
export function describePayload(
  event: string | null,
  body: Uint8Array,
): { readonly schema: SchemaOutcome; readonly events: readonly string[] | null } {
  const parsed = parseWithinLimit(body)
  const events = event === null ? guessParsed(parsed) : null
  const likely = event ?? (events?.length === 1 ? events[0]! : null)
  return { schema: checkParsed(likely, parsed, null).outcome, events }
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

function checkParsed(event: string | null, parsed: LimitedBody, origin: PayloadOrigin | null): PayloadCheck {
  if (parsed === 'too-large') return TOO_LARGE
  if (!parsed.ok) return { outcome: 'not-json', failures: [{ path: '', message: parsed.reason, section: '4.4' }], findings: [] }
  const mixed = origin === null ? [] : checkMode(parsed.value, origin)
  if (event === null || !isShownEventType(event)) return { outcome: 'unknown', failures: [], findings: mixed }
  const { outcome, failures, findings } = checkValue(event, parsed.value)
  return { outcome, failures, findings: [...mixed, ...findings] }
}

function checkValue(event: ShownEventType, value: unknown): PayloadCheck {
  const { failures, findings } = checkFields(payloadSchemas[event], value)
  const sense: PayloadNote[] = isObject(value) ? checkSense(event, value) : []
  return { outcome: failures.length === 0 ? 'ok' : 'issues', failures, findings: [...findings, ...sense] }
}

/** The share of an event's fields that a body has to show to be taken for it, where it does not fit any event wholly. */
const LIKENESS = 0.75

/**
 * The events that a body could be. Those that it fits wholly; else those of the resource that it is most like, so that a
 * payload with a field missing can still be told what is missing. Flags, sign and offer then decide among the
 * transaction events as far as the interface lets them: a refund and its clearing look alike, and both are named.
 */
export function guessEvents(body: Uint8Array | string): string[] {
  return guessParsed(parseWithinLimit(body))
}

function guessParsed(parsed: LimitedBody): string[] {
  if (parsed === 'too-large' || !parsed.ok || !isObject(parsed.value)) return []
  const { value } = parsed
  const alike = shownEventTypes
    .map((event) => ({ event, share: likeness(event, value) }))
    .filter(({ share }) => share >= LIKENESS)
  const fitting = alike.filter(({ event }) => payloadSchemas[event].safeParse(value).success)
  const best = Math.max(...alike.map(({ share }) => share))
  const chosen = fitting.length > 0 ? fitting : alike.filter(({ share }) => share === best)
  return narrow(
    chosen.map(({ event }) => event),
    value,
  )
}

const requiredNames = new Map(
  shownEventTypes.map((event) => {
    const fields = Object.entries<z.ZodType>(payloadSchemas[event].shape)
    return [event, fields.filter(([, field]) => !field.safeParse(undefined).success).map(([name]) => name)] as const
  }),
)

/** The share of an event's required fields that are there: cheap, so that only what is near is compared in full. */
function likeness(event: ShownEventType, value: Readonly<Record<string, unknown>>): number {
  const names = requiredNames.get(event) ?? []
  return names.filter((name) => Object.hasOwn(value, name)).length / names.length
}

/** Among transaction events, those whose flags, sign and offer the payload has. */
function narrow(events: readonly ShownEventType[], value: Readonly<Record<string, unknown>>): ShownEventType[] {
  if (!events.some((event) => event.startsWith('transaction.'))) return [...events]
  const twin = isObject(value['offer']) && value['offer']['qualified'] === true
  const offered = events.filter((event) => event.endsWith('.qualified') === twin)
  const fitting = offered.filter((event) => fitsFlags(event, value))
  return fitting.length > 0 ? fitting : offered
}

function fitsFlags(event: ShownEventType, { auth, cleared, amount }: Readonly<Record<string, unknown>>): boolean {
  const negative = typeof amount === 'number' && amount < 0
  if (event.startsWith('transaction.auth')) return auth === true && cleared === false && !negative
  if (event.startsWith('transaction.refund')) return auth === false && cleared === true && negative
  return cleared === true && auth === !negative
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The environment that a delivery was matched to. */
interface PayloadOrigin {
  readonly environment: string
  readonly mode: Mode
}

/** Where resources carry `live`: at the top, and in the card or location that a payload is wrapped around. */
const PATHS = [['live'], ['card', 'live'], ['location', 'live']] as const

/** A finding for each `live` that disagrees with the mode of the environment; a transaction has none. */
function checkMode(value: unknown, { environment, mode }: PayloadOrigin): PayloadNote[] {
  return PATHS.flatMap((path): PayloadNote[] => {
    const live = path.reduce<unknown>(fieldOf, value)
    if (typeof live !== 'boolean' || live === (mode === 'live')) return []
    const at = path.join('.')
    const message = `The payload says \`${at}\`: ${live}, and the environment ${environment} is ${mode}: test and live never mix.`
    return [{ path: at, section: '1', message }]
  })
}

function fieldOf(parent: unknown, name: string): unknown {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, name)) return undefined
  return (parent as Readonly<Record<string, unknown>>)[name]
}

/**
 * Findings on values that don't fit the event or don't exist (sections 2.2 to 2.7, 6.2 and 6.3).
 */
import { isQualifiedEvent, isTransactionEvent, type ShownEventType } from './event-type.ts'
import type { PayloadNote } from './field-check.ts'
import type { Section } from './hook-finding.ts'
import { isJsonObject } from '../body/json-path.ts'

type Payload = Readonly<Record<string, unknown>>

export function findImplausibleValues(event: ShownEventType, payload: Payload): PayloadNote[] {
  if (isTransactionEvent(event)) return transactionSense(event, payload)
  if (event === 'card.linked') return cardSense(payload, '')
  if (event === 'card.failed') return cardFailedSense(payload)
  if (event === 'brand.consent') return brandSense(payload)
  if (event === 'program.status') {
    return payload['live'] === false
      ? [note('live', '6.2', '`live` is false; program.status is never sent in test mode.')]
      : []
  }
  return locationSense(payload)
}

function brandSense({ consent, logoURL }: Payload): PayloadNote[] {
  const notes: PayloadNote[] = []
  if (consent === false)
    notes.push(
      note('consent', '2.2', '`consent` is false; brand.consent is sent once consent is approved.'),
    )
  if (
    typeof logoURL === 'string' &&
    URL.canParse(logoURL) &&
    !/^https?:$/.test(new URL(logoURL).protocol)
  )
    notes.push(note('logoURL', '2.2', '`logoURL` is not an http or https URL.'))
  return notes
}

function transactionSense(event: ShownEventType, payload: Payload): PayloadNote[] {
  const { auth, cleared, amount, wallet, offer } = payload
  const notes: PayloadNote[] = []
  const negative = typeof amount === 'number' && amount < 0
  if (event.startsWith('transaction.auth')) {
    if (auth === false)
      notes.push(
        note('auth', '2.6', '`auth` is false on an auth event; only refunds have it false.'),
      )
    if (cleared === true)
      notes.push(
        note(
          'cleared',
          '2.6',
          '`cleared` is true on an auth event, which comes before the clearing.',
        ),
      )
    if (negative)
      notes.push(
        note(
          'amount',
          '2.6',
          '`amount` is negative on an auth event; only refunds have negative amounts.',
        ),
      )
  } else if (event.startsWith('transaction.refund')) {
    if (auth === true)
      notes.push(note('auth', '6.3', '`auth` is true on a refund event; refunds have it false.'))
    if (cleared === false)
      notes.push(
        note(
          'cleared',
          '2.6',
          "`cleared` is false on a refund event; the spec's examples have it true.",
        ),
      )
    if (typeof amount === 'number' && !negative)
      notes.push(note('amount', '6.3', '`amount` is not negative on a refund event.'))
  } else {
    if (cleared === false)
      notes.push(note('cleared', '2.6', '`cleared` is false on a clearing event.'))
    if (negative && auth === true)
      notes.push(
        note(
          'auth',
          '6.3',
          '`auth` is true but the amount is negative; the clearing of a refund has it false.',
        ),
      )
    if (typeof amount === 'number' && !negative && auth === false) {
      notes.push(
        note(
          'auth',
          '2.6',
          "`auth` is false but the amount isn't negative; the clearing of a purchase has it true.",
        ),
      )
    }
  }
  if (
    Object.hasOwn(payload, 'originalTransactionId') &&
    (event.startsWith('transaction.auth') || !negative)
  ) {
    notes.push(
      note(
        'originalTransactionId',
        '2.6',
        '`originalTransactionId` is present; only refunds and their clearing have it.',
      ),
    )
  }
  if (wallet !== null && wallet !== undefined)
    notes.push(note('wallet', '2.6', '`wallet` is not null; the spec shows no other value.'))
  if (isJsonObject(payload['location'])) notes.push(...timezoneSense(payload['location']))
  if (isQualifiedEvent(event) && isJsonObject(offer) && offer['qualified'] === false) {
    notes.push(note('offer.qualified', '2.7', '`offer.qualified` is false on a .qualified event.'))
  }
  return notes
}

function cardFailedSense({ card, event }: Payload): PayloadNote[] {
  const notes = isJsonObject(card) ? cardSense(card, 'card.') : []
  if (typeof event === 'string' && event !== 'card.failed')
    notes.push(note('event', '2.5', '`event` is not `card.failed`.'))
  return notes
}

function cardSense(
  { expDate, expMonth, expYear, scheme, type }: Payload,
  before: string,
): PayloadNote[] {
  const notes: PayloadNote[] = []
  if (typeof expMonth === 'number' && (expMonth < 1 || expMonth > 12))
    notes.push(
      note(`${before}expMonth`, '2.5', `\`${before}expMonth\` is ${expMonth}; months are 1 to 12.`),
    )
  else if (
    typeof expDate === 'string' &&
    typeof expMonth === 'number' &&
    typeof expYear === 'number'
  ) {
    const month = `${String(expYear).padStart(4, '0')}-${String(expMonth).padStart(2, '0')}-`
    if (!expDate.startsWith(month)) {
      notes.push(
        note(`${before}expDate`, '2.5', `\`${before}expDate\` doesn't match expMonth and expYear.`),
      )
    }
  }
  if (typeof scheme === 'string' && typeof type === 'string' && scheme !== type) {
    notes.push(
      note(
        `${before}type`,
        '2.5',
        `\`${before}type\` differs from \`${before}scheme\`; they should be equal.`,
      ),
    )
  }
  return notes
}

function locationSense({ location, status }: Payload): PayloadNote[] {
  if (!isJsonObject(location)) return []
  const notes = timezoneSense(location)
  if (location['live'] === false && status === 'location.failed')
    notes.push(
      note(
        'status',
        '6.2',
        '`status` is location.failed in test mode, where every location is reported active.',
      ),
    )
  return notes
}

function timezoneSense({ timezone }: Payload): PayloadNote[] {
  if (typeof timezone !== 'string' || isTimezone(timezone)) return []
  return [note('location.timezone', '2.4', '`location.timezone` is not an IANA time zone name.')]
}

/** Cache: creating a formatter for each delivery would be slow. */
const timezones = new Map<string, boolean>()
const MOST_TIMEZONES = 1_000

/** Whether the name is one of an IANA time zone. */
export function isTimezone(name: string): boolean {
  const cached = timezones.get(name)
  if (cached !== undefined) return cached
  const exists = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name) && canFormatIn(name)
  if (timezones.size >= MOST_TIMEZONES) timezones.clear()
  timezones.set(name, exists)
  return exists
}

function canFormatIn(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).format(0) !== ''
  } catch {
    return false
  }
}

function note(path: string, section: Section, message: string): PayloadNote {
  return { path, section, message }
}

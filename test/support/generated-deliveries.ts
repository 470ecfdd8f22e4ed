/**
 * Generates realistic deliveries, reproducible by seed: purchases that are authorized, cleared days
 * later and sometimes refunded, linked cards, failures, programs and locations, with bad
 * signatures, retries and duplicates.
 */
import { hash, type KeyObject } from 'node:crypto'
import { v7 } from 'uuid'
import { secretKey, signDelivery } from '../../src/core/signature/sign.ts'
import type { QueuedCapture } from '../../src/core/store/group-commit.ts'
import type { Freshness, SchemaOutcome, Verdict } from '../../src/shared/model/delivery.ts'
import type { ShownEventType } from '../../src/shared/service/event-type.ts'
import type { AnswerRow } from '../../src/core/store/stored-responses.ts'
import { samplePayloads } from './sample-payloads.ts'
import { createSeededRandom } from './seeded-random.ts'

export interface GeneratedHook {
  readonly id: string
  readonly event: ShownEventType
  readonly url: string
  readonly secret: string
  readonly environment: string
  readonly mode: 'test' | 'live'
}

export interface GeneratedDelivery extends QueuedCapture {
  readonly schema: SchemaOutcome
  readonly answer: Omit<AnswerRow, 'seq'>
}

interface Notification {
  readonly key: number
  readonly hook: GeneratedHook
  readonly body: Buffer
  readonly schema: SchemaOutcome
  readonly attempt: number
  readonly dueAt: number
}

interface Purchase {
  readonly id: string
  readonly card: {
    readonly id: string
    readonly firstNumbers: string
    readonly lastNumbers: string
    readonly scheme: string
  }
  readonly brand: (typeof BRANDS)[number]
  readonly place: (typeof PLACES)[number]
  readonly amount: number
  readonly code: string
}

/** The time that generated deliveries cover, in milliseconds since the epoch. */
export interface GeneratedSpan {
  readonly from: number
  readonly to: number
}

/** Nine months from a Monday morning in March. */
const MONTHS: GeneratedSpan = {
  from: Date.UTC(2026, 2, 2, 7),
  to: Date.UTC(2026, 2, 2, 7) + 260 * 86_400_000,
}

const BRANDS = [
  'The Corner Coffee',
  'Northern Bakery',
  'Café Müller',
  'Crème & Co.',
  'Żabka Śródmieście',
  'Кофе Хауз',
  'Μύλος',
  '寿司 さくら',
  '김밥천국',
  'مقهى النيل',
  'Harbour Books',
  'O’Neill & Sons',
  'Green Grocer 24/7',
  'Piñata Toys',
  'Ångström Optik',
  'Velo 🚲 Works',
] as const
const PLACES = [
  ['London', 'GBR', 'GBP', 'N1 7AA', 'Europe/London', 'Sample Street'],
  ['Leeds', 'GBR', 'GBP', 'LS1 4AP', 'Europe/London', 'Canal Walk'],
  ['Düsseldorf', 'DEU', 'EUR', '40213', 'Europe/Berlin', 'Königsallee'],
  ['Kraków', 'POL', 'PLN', '31-042', 'Europe/Warsaw', 'Rynek Główny'],
  ['Paris', 'FRA', 'EUR', '75011', 'Europe/Paris', 'Rue de la Roquette'],
  ['New York', 'USA', 'USD', '10013', 'America/New_York', 'Canal St'],
].map(([city = '', countryCode, currency, postcode, timezone, street]) => ({
  ...{ city, countryCode, currency, postcode, timezone, street },
}))
const SCHEMES = ['visa', 'mastercard', 'amex'] as const
const FIRST_NUMBERS = { visa: '444433', mastercard: '555544', amex: '374245' } as const

/** Frequencies in thousandths; the rest is what `pickOf` gets as `otherwise`. */
type Frequencies<Item> = readonly (readonly [Item, number])[]

const VERDICTS: Frequencies<Verdict> = [
  ['invalid', 22],
  ['unsigned', 8],
  ['unknown-hook', 3],
]
const AGES: Frequencies<Freshness> = [
  ['stale', 6],
  ['future', 2],
]
const STATUSES: Frequencies<number | null> = [
  [500, 12],
  [503, 4],
  [null, 1],
  [204, 3],
]
const EVENTS: Frequencies<ShownEventType> = [
  ['transaction.clearing', 270],
  ['transaction.auth.qualified', 130],
  ['transaction.clearing.qualified', 90],
  ['transaction.refund', 25],
  ['transaction.refund.qualified', 8],
  ['card.linked', 90],
  ['card.failed', 14],
  ['location.status', 12],
  ['program.status', 4],
  ['brand.consent', 2],
]

/**
 * Yields deliveries, oldest first.
 * @param count Number of deliveries, spread over the span.
 */
export function* generateDeliveries(
  seed: number,
  count: number,
  hooks: readonly GeneratedHook[],
  { from, to }: GeneratedSpan = MONTHS,
): Generator<GeneratedDelivery> {
  const random = createSeededRandom(seed)
  const chance = (thousandths: number) => random.integer(0, 999) < thousandths
  const hex = (length: number) => {
    let text = ''
    while (text.length < length)
      text += random.integer(0, 0xffff_ffff).toString(16).padStart(8, '0')
    return text.slice(0, length)
  }
  const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`
  const keys = new Map<string, KeyObject>(hooks.map(({ id, secret }) => [id, secretKey(secret)]))
  const wrongKey = secretKey(`not ${seed}`)
  const accountId = uuid()
  const programIds = [uuid(), uuid(), uuid()]
  const brandIds = new Map(BRANDS.map((name) => [name, uuid()]))
  const placeIds = new Map(PLACES.map(({ city }) => [city, uuid()]))
  const authorised: Purchase[] = []
  const cleared: Purchase[] = []
  const again: Notification[] = []
  const step = Math.max(1, Math.floor((to - from) / count))
  let at = from

  const newPurchase = (): Purchase => {
    const scheme = random.pick(SCHEMES)
    return {
      id: uuid(),
      card: {
        id: uuid(),
        firstNumbers: FIRST_NUMBERS[scheme],
        lastNumbers: String(random.integer(0, 9_999)).padStart(4, '0'),
        scheme,
      },
      brand: random.pick(BRANDS),
      place: random.pick(PLACES),
      amount: random.integer(50, 25_000) / 100,
      code: String(random.integer(0, 999_999)).padStart(6, '0'),
    }
  }

  const transaction = (event: ShownEventType) => {
    const isRefund = event.startsWith('transaction.refund')
    const isClearing = event.startsWith('transaction.clearing')
    const before = isRefund ? cleared : isClearing ? authorised : undefined
    const purchase = before?.shift() ?? newPurchase()
    const following = isRefund ? undefined : isClearing ? cleared : authorised
    following?.push(purchase)
    if ((following?.length ?? 0) > 4_000) following?.shift()
    const { card, place, brand, amount, code } = purchase
    const time = new Date(at).toISOString()
    return {
      id: isRefund ? uuid() : purchase.id,
      accountId,
      programId: programIds[purchase.code.charCodeAt(0) % 3],
      datetime: time.slice(0, 19),
      created: time,
      updated: time,
      offer: event.endsWith('.qualified')
        ? {
            qualified: true,
            id: uuid(),
            message: [],
            qualificationDate: time,
            cashback: Math.round(amount * 5) / 100,
            performanceFee: Math.round(amount) / 100,
          }
        : null,
      approvalCode: code,
      auth: !isRefund && !isClearing,
      authCode: code,
      cardPresent: code.endsWith('7'),
      cleared: isRefund || isClearing,
      amount: isRefund ? -amount : amount,
      currency: place.currency,
      wallet: code.endsWith('3') ? 'apple-pay' : null,
      card: {
        ...card,
        // The developer's own data on a card, sometimes a lot.
        metadata: chance(3)
          ? {
              notes: Array.from(
                { length: random.integer(20, 400) },
                (_, index) => `visit ${index}: ${random.pick(BRANDS)}`,
              ),
            }
          : { customer: `c-${card.id.slice(0, 6)}` },
      },
      brand: { id: brandIds.get(brand), name: brand, logoURL: null, metadata: null },
      location: {
        id: placeIds.get(place.city),
        address: `${random.integer(1, 240)} ${place.street}`,
        city: place.city,
        postcode: place.postcode,
        countryCode: place.countryCode,
        timezone: place.timezone,
        geolocation: { latitude: 51.5362, longitude: -0.1033 },
        metadata: null,
      },
      identifiers: {
        MID: String(100_000_000_000_000 + random.integer(0, 400)),
        mastercardAuthCode: card.scheme === 'mastercard' ? code : null,
        mastercardTransactionSequenceNumber: null,
        mastercardRefNumber: null,
        amexApprovalCode: card.scheme === 'amex' ? code : null,
        visaAuthCode: card.scheme === 'visa' ? code : null,
      },
      ...(isRefund ? { originalTransactionId: purchase.id } : {}),
    }
  }

  const payload = (event: ShownEventType): unknown => {
    if (event.startsWith('transaction.')) return transaction(event)
    const time = new Date(at).toISOString()
    const place = random.pick(PLACES)
    const changed = { id: uuid(), accountId, created: time, updated: time }
    if (event === 'brand.consent')
      return { ...samplePayloads[event], ...changed, name: random.pick(BRANDS) }
    if (event === 'program.status' || event === 'location.status') {
      const { city, countryCode } = place
      const status = random.pick(['active', 'pending', 'location.active'])
      return { ...changed, programId: random.pick(programIds), city, countryCode, status }
    }
    const scheme = random.pick(SCHEMES)
    const card = {
      ...samplePayloads['card.linked'],
      ...changed,
      programId: random.pick(programIds),
      countryCode: place.countryCode,
      firstNumbers: FIRST_NUMBERS[scheme],
      lastNumbers: String(random.integer(0, 9_999)).padStart(4, '0'),
      scheme,
      type: scheme,
    }
    return event === 'card.linked'
      ? card
      : { card, event, message: 'The card cannot be linked: it is linked to another account.' }
  }

  const pickOf = <Item>(frequencies: Frequencies<Item>, otherwise: Item): Item => {
    let left = random.integer(0, 999)
    for (const [item, often] of frequencies) {
      if (left < often) return item
      left -= often
    }
    return otherwise
  }

  const newNotification = (): Notification => {
    const event = pickOf(EVENTS, 'transaction.auth')
    const hook = random.pick(hooks.filter((candidate) => candidate.event === event))
    const isRubbish = chance(2)
    const lacksSomething = !isRubbish && chance(8)
    const content = payload(event)
    const text = isRubbish
      ? `status=ok&ref=${hex(12)}`
      : JSON.stringify(
          content,
          lacksSomething
            ? (key, value: unknown) => (key === 'accountId' ? undefined : value)
            : undefined,
        )
    return {
      key: random.integer(1, 0x7fff_ffff) * 65_536 + random.integer(0, 65_535),
      hook,
      body: Buffer.from(text),
      schema: isRubbish ? 'not-json' : lacksSomething ? 'issues' : 'ok',
      attempt: 1,
      dueAt: at,
    }
  }

  for (let made = 0; made < count; made++) {
    at += random.integer(1, 2 * step - 1 > 1 ? 2 * step - 1 : 1)
    const due = again[0] !== undefined && again[0].dueAt <= at ? again.shift() : undefined
    const notification = due ?? newNotification()
    const { hook, body } = notification

    const verdict = pickOf(VERDICTS, 'valid')
    const age = pickOf(AGES, 'fresh')
    const freshness = verdict === 'unsigned' ? 'missing' : age
    const timestamp = String(
      at - (freshness === 'stale' ? 3_600_000 : freshness === 'future' ? -3_600_000 : 120),
    )
    const key = verdict === 'valid' ? keys.get(hook.id)! : wrongKey
    const { signature } = signDelivery({ body, url: hook.url, timestamp, key })
    const path = verdict === 'unknown-hook' ? `/webhooks/${hook.event}` : new URL(hook.url).pathname
    const headers = [
      ['Host', '127.0.0.1:4430'],
      ['Content-Type', 'application/json'],
      ['User-Agent', 'service-webhooks/3.1'],
      ...(verdict === 'unsigned'
        ? []
        : [
            ['X-Service-Signature', signature],
            ['X-Service-Timestamp', timestamp],
          ]),
      ['Content-Length', String(body.length)],
    ]
    const status = pickOf(STATUSES, 200)
    if ((status !== 200 && notification.attempt < 3) || chance(2))
      again.push({
        ...notification,
        attempt: notification.attempt + 1,
        dueAt: at + 60_000 * notification.attempt,
      })

    const hasHook = verdict !== 'unknown-hook'
    yield {
      row: {
        id: v7({ msecs: at, random: random.bytes(16), seq: made }),
        receivedAt: at,
        method: 'POST',
        path,
        malformed: null,
        httpVersion: '1.1',
        headers: JSON.stringify(headers),
        trailers: null,
        bodySize: body.length,
        bodySha256: hash('sha256', body, 'hex'),
        truncated: false,
        remote: `127.0.0.1:${random.integer(32_768, 60_999)}`,
        event: verdict === 'valid' ? hook.event : null,
        eventSource: verdict === 'valid' ? 'hook' : null,
        hookId: hasHook ? hook.id : null,
        environment: hasHook ? hook.environment : null,
        mode: hasHook ? hook.mode : null,
        verdict,
        freshness,
        notificationKey: hasHook ? notification.key : null,
        replayOf: null,
      },
      body,
      schema: notification.schema,
      answer: { status, ms: random.integer(8, 90) / 10 },
    }
  }
}

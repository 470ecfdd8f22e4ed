/** Generates a program with brands, locations, cards and an offer: the sandbox's test data, the same for the same seed. */
import type { Mode } from '../../shared/model/delivery.ts'
import {
  type Brand,
  type Location,
  type Card,
  type Scheme,
  type Program,
  brandSchema,
  locationSchema,
  cardSchema,
  programSchema,
  transactionSchema,
} from '../../shared/service/resources.ts'
import { places } from './places.ts'
import { createRandom } from './random.ts'
import { AppError } from '../../shared/contract/errors.ts'
import { z } from 'zod'
import { faultSchema, sendAttemptSchema } from '../../shared/model/sandbox.ts'
import { freeForm } from '../../shared/service/field.ts'
import type { Log } from '../base/deps.ts'

interface CatalogueBrand {
  readonly name: string
  readonly slug: string
  /** A typical amount there, in units similar to the euro. */
  readonly least: number
  readonly most: number
}

/** Brands and cards for the sandbox's objects: invented brands, and the card numbers that schemes publish for tests. */
export const catalogue: readonly CatalogueBrand[] = [
  { name: 'Harbour Coffee', slug: 'harbour-coffee', least: 2.8, most: 18 },
  { name: 'Fern & Field', slug: 'fern-and-field', least: 12, most: 95 },
  { name: 'Old Mill Bakery', slug: 'old-mill-bakery', least: 3, most: 32 },
  { name: 'Nordlys Books', slug: 'nordlys-books', least: 7, most: 80 },
  { name: 'Brightwater Grocers', slug: 'brightwater-grocers', least: 8, most: 160 },
  { name: 'Casa Lima', slug: 'casa-lima', least: 15, most: 120 },
  { name: 'Atelier Quatre', slug: 'atelier-quatre', least: 30, most: 320 },
  { name: 'Pedal & Spoke', slug: 'pedal-and-spoke', least: 10, most: 240 },
]

interface TestCard {
  readonly scheme: Scheme
  readonly firstNumbers: string
  readonly lastNumbers: string
}

export const testCards: readonly TestCard[] = [
  { scheme: 'visa', firstNumbers: '411111', lastNumbers: '1111' },
  { scheme: 'mastercard', firstNumbers: '555555', lastNumbers: '4444' },
  { scheme: 'visa', firstNumbers: '401288', lastNumbers: '1881' },
  { scheme: 'mastercard', firstNumbers: '510510', lastNumbers: '5100' },
  { scheme: 'visa', firstNumbers: '424242', lastNumbers: '4242' },
  { scheme: 'mastercard', firstNumbers: '222300', lastNumbers: '3222' },
]

/** Rough value of one euro in the currency, so that prices look realistic. */
const scales: Readonly<Record<string, number>> = { SEK: 11, JPY: 160, CAD: 1.5, AUD: 1.6 }

export function priceScale(currency: string): number {
  return scales[currency] ?? 1
}

/** The one account, in test and live (section 5.1: it has a pair of keys for each). */
export const ACCOUNT_ID = createRandom('account').uuid()

const DAY = 86_400_000
const BRANDS = 3
const LOCATIONS = 5
const CARDS = 4

/** An object's place in the seed's world. */
export interface Making {
  readonly seed: number | string
  readonly mode: Mode
  /** Milliseconds since the epoch. */
  readonly now: number
}

interface World {
  readonly program: Program
  readonly brands: readonly Brand[]
  readonly locations: readonly Location[]
  readonly cards: readonly Card[]
  readonly offers: readonly Offer[]
}

/** Generates a program and everything in it. `programId`: a program that a hook already names. */
export function makeWorld(making: Making, programId?: string): World {
  const program = makeProgram(making, programId)
  const first = createRandom(making.seed, 'brands').integer(0, catalogue.length - 1)
  const brands = Array.from({ length: BRANDS }, (_, index) =>
    makeBrand(making, `brand ${index}`, catalogueBrand(first + index)),
  )
  const locations = Array.from({ length: LOCATIONS }, (_, index) => {
    const brand = brands[index % BRANDS]
    return brand === undefined ? [] : [makeLocation(making, `location ${index}`, brand, program.id)]
  }).flat()
  const cards = Array.from({ length: CARDS }, (_, index) =>
    makeCard(making, `card ${index}`, program.id),
  )
  return { program, brands, locations, cards, offers: [makeOffer(making, 'offer', program.id)] }
}

function catalogueBrand(index: number): CatalogueBrand {
  return (
    catalogue[index % catalogue.length] ?? {
      name: 'Harbour Coffee',
      slug: 'harbour-coffee',
      least: 3,
      most: 18,
    }
  )
}

function makeProgram(making: Making, id?: string): Program {
  const random = createRandom(making.seed, 'program')
  const drawn = random.uuid()
  return {
    id: id ?? drawn,
    accountId: ACCOUNT_ID,
    active: true,
    activeDate: iso(making.now - 40 * DAY),
    created: iso(making.now - 42 * DAY),
    updated: iso(making.now - DAY),
    live: making.mode === 'live',
    name: random.pick([
      'Everyday Rewards',
      'City Perks',
      'Neighbourhood Club',
      'Round Trip Rewards',
    ]),
    syncStats: {
      created: iso(making.now - DAY),
      locations: LOCATIONS,
      estimatedEndDate: iso(making.now + DAY),
      status: 'syncing',
    },
  }
}

/** `name` distinguishes the object from others of the same seed. */
export function makeBrand(making: Making, name: string, from?: CatalogueBrand): Brand {
  const random = createRandom(making.seed, name)
  const id = random.uuid()
  const { name: brandName, slug } = from ?? random.pick(catalogue)
  return {
    id,
    accountId: ACCOUNT_ID,
    consent: true,
    created: iso(making.now),
    updated: iso(making.now),
    live: making.mode === 'live',
    name: brandName,
    logoURL: `https://images.example/${slug}.png`,
  }
}

export function makeLocation(
  making: Making,
  name: string,
  brand: Brand,
  programId: string,
): Location {
  const random = createRandom(making.seed, name)
  const id = random.uuid()
  const place = random.pick(places)
  const active = () => ({
    status: 'active',
    auth: true,
    clearing: true,
    authTransactionId: random.digits(12),
    clearingTransactionId: random.digits(12),
    estimatedActivationDate: null,
  })
  return {
    id,
    accountId: ACCOUNT_ID,
    brandId: brand.id,
    programId,
    address: `${random.integer(1, 180)} ${random.pick(place.streets)}`,
    city: place.city,
    postcode: place.postcode,
    countryCode: place.countryCode,
    currency: place.currency,
    timezone: place.timezone,
    geolocation: {
      latitude: near(place.latitude, random.fraction()),
      longitude: near(place.longitude, random.fraction()),
    },
    live: making.mode === 'live',
    preonboard: false,
    created: iso(making.now),
    updated: iso(making.now),
    activeDate: iso(making.now),
    searchBy: { merchantIds: { visa: [random.digits(15)], mastercard: [random.digits(15)] } },
    mastercard: active(),
    visa: active(),
    amex: active(),
  }
}

/** Within some 500 m. */
function near(degrees: number, fraction: number): number {
  return Number((degrees + (fraction - 0.5) * 0.01).toFixed(6))
}

export function makeCard(making: Making, name: string, programId: string): Card {
  const random = createRandom(making.seed, name)
  const id = random.uuid()
  const { scheme, firstNumbers, lastNumbers } = random.pick(testCards)
  const expMonth = random.integer(1, 12)
  const expYear = new Date(making.now).getUTCFullYear() + random.integer(1, 4)
  return {
    id,
    accountId: ACCOUNT_ID,
    programId,
    countryCode: random.pick(places).countryCode,
    created: iso(making.now),
    updated: iso(making.now),
    expDate: iso(Date.UTC(expYear, expMonth - 1, 1)),
    expMonth,
    expYear,
    firstNumbers,
    lastNumbers,
    live: making.mode === 'live',
    scheme,
    type: scheme,
  }
}

export function makeOffer(making: Making, name: string, programId: string, id?: string): Offer {
  const random = createRandom(making.seed, name)
  const drawn = random.uuid()
  const cashbackRate = random.pick([0.03, 0.05, 0.08, 0.1])
  return {
    id: id ?? drawn,
    programId,
    name: `${Math.round(cashbackRate * 100)}% back`,
    live: making.mode === 'live',
    cashbackRate,
    feeRate: 0.01,
    startsAt: iso(making.now - 30 * DAY),
    endsAt: null,
    minimumAmount: 0,
  }
}

export function iso(time: number): string {
  return new Date(time).toISOString()
}

// The sandbox's programs: one in each mode from the start, and one for each program that an imported hook names.

/**
 * The program with this id, or the mode's first; created with brands, locations, cards and an offer if missing. Its content depends
 * only on id or mode, so it is the same on every computer.
 */
export async function ensureProgram(
  objects: Objects,
  mode: Mode,
  now: number,
  id?: string,
): Promise<Program> {
  const known =
    id === undefined ? objects.all('program', mode)[0] : objects.find('program', id, mode)
  if (known !== undefined) return known
  if (id !== undefined && objects.modeOf('program', id) !== undefined) {
    throw new AppError(
      'NOT_FOUND',
      `Program ${id} not found in ${mode} mode. Test and live mode have separate objects (spec 1).`,
    )
  }
  const world = makeWorld({ seed: id ?? `the first program in ${mode}`, mode, now }, id)
  for (const brand of world.brands) await objects.put('brand', mode, brand)
  for (const location of world.locations) await objects.put('location', mode, location)
  for (const card of world.cards) await objects.put('card', mode, card)
  for (const offer of world.offers) await objects.put('offer', mode, offer)
  // Last, so that a program in storage is always complete.
  await objects.put('program', mode, world.program)
  return world.program
}

/**
 * The offer with this id. The spec has no way to create one, so an unknown id becomes an offer of that program and mode. Null if it
 * belongs to another mode or program.
 */
export async function ensureOffer(
  objects: Objects,
  mode: Mode,
  now: number,
  id: string,
  programId: string | null,
): Promise<Offer | null> {
  const known = objects.find('offer', id, mode)
  if (known !== undefined) return programId === null || known.programId === programId ? known : null
  if (objects.modeOf('offer', id) !== undefined) return null
  const program = await ensureProgram(objects, mode, now, programId ?? undefined)
  const offer = makeOffer({ seed: id, mode, now }, 'offer', program.id, id)
  await objects.put('offer', mode, offer)
  return offer
}

// The sandbox's kinds of record and their schemas: records read from storage are validated like any input.

const TIME = 'a UTC time such as 2026-12-31T23:59:59Z'

/** An offer: the spec defines only its id (sections 2.1 and 2.7), so the rest is the sandbox's choice. */
const offerSchema = z.object({
  id: z.string(),
  programId: z.string(),
  name: z.string({ error: 'a string' }),
  live: z.boolean({ error: 'a boolean' }),
  /** Share of the amount paid back to the card holder, and to the service. */
  cashbackRate: z.number({ error: 'a number' }),
  feeRate: z.number({ error: 'a number' }),
  /** The offer period; null: no end. */
  startsAt: z.iso.datetime({ error: TIME }),
  endsAt: z.iso.datetime({ error: `${TIME}, or null` }).nullable(),
  /** The offer's rule: the minimum amount, in units of the currency. */
  minimumAmount: z.number({ error: 'a number' }),
})
export type Offer = z.infer<typeof offerSchema>

/** Metadata that a client stores with an object: transactions include it (section 2.6), the object's own events don't. */
const metadata = { metadata: freeForm().optional() }

/** A payment in its current state, and the offer it qualified for. */
const paymentSchema = z.object({
  id: z.string(),
  transaction: transactionSchema,
  offerId: z.string().nullable(),
})
export type Payment = z.infer<typeof paymentSchema>

/** The webhook record that the API returns, without its secret. */
const hookRecordSchema = z.object({
  id: z.string(),
  accountId: z.string(),
  event: z.string(),
  url: z.string(),
  programId: z.string().nullable(),
  offerId: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  live: z.boolean(),
  created: z.string(),
  updated: z.string(),
})
export type HookRecord = z.infer<typeof hookRecordSchema>

const notificationRecordSchema = z.object({
  id: z.string(),
  event: z.string(),
  hookId: z.string(),
  url: z.string(),
  /** The payload as the JSON text that is signed and sent. */
  body: z.string(),
  headers: z.record(z.string(), z.string()),
  fault: faultSchema.nullable(),
  attempts: z.array(sendAttemptSchema),
  state: z.enum(['pending', 'acknowledged', 'failed']),
  dueAt: z.number().nullable(),
})
export type NotificationRecord = z.infer<typeof notificationRecordSchema>

/** The sandbox time at a wall-clock time (both in milliseconds), and its speed from there. */
const clockRecordSchema = z.object({
  id: z.string(),
  time: z.number(),
  wall: z.number(),
  speed: z.number().positive(),
  paused: z.boolean(),
})
export type ClockRecord = z.infer<typeof clockRecordSchema>

/** A purchase waiting for its clearing. `id` is the transaction's, `dueAt` in milliseconds of sandbox time. */
const settlementSchema = z.object({ id: z.string(), dueAt: z.number() })
export type Settlement = z.infer<typeof settlementSchema>

export const recordSchemas = {
  program: programSchema,
  brand: brandSchema.extend(metadata),
  location: locationSchema.extend(metadata),
  card: cardSchema.extend(metadata),
  offer: offerSchema,
  payment: paymentSchema,
  hook: hookRecordSchema,
  notification: notificationRecordSchema,
  clock: clockRecordSchema,
  settlement: settlementSchema,
} as const

export type RecordKind = keyof typeof recordSchemas
export type RecordOf<K extends RecordKind> = z.infer<(typeof recordSchemas)[K]>

// What the sandbox knows: held in memory, and stored when it changes.

export interface Objects {
  /** For one mode or both, in order of creation. */
  all<K extends RecordKind>(kind: K, mode?: Mode): RecordOf<K>[]
  /** Undefined also for an object of the other mode: test and live are separate (section 1). */
  find<K extends RecordKind>(kind: K, id: string, mode: Mode): RecordOf<K> | undefined
  modeOf(kind: RecordKind, id: string): Mode | undefined
  secretOf(kind: RecordKind, id: string): string | undefined
  put<K extends RecordKind>(kind: K, mode: Mode, data: RecordOf<K>, secret?: string): Promise<void>
  remove(kind: RecordKind, id: string): Promise<void>
}

interface Entry {
  readonly mode: Mode
  readonly data: unknown
  readonly secret: string | undefined
}

/** Reads all stored records. One that this version can't read stays in storage, is logged, and isn't used. */
export async function loadObjects(storage: SandboxStorage, log: Log): Promise<Objects> {
  const kinds = new Map<RecordKind, Map<string, Entry>>()
  const entries = (kind: RecordKind) => {
    const known = kinds.get(kind) ?? new Map<string, Entry>()
    kinds.set(kind, known)
    return known
  }
  for (const record of await storage.load()) {
    const parsed = isKind(record.kind) ? recordSchemas[record.kind].safeParse(record.data) : null
    if (parsed?.success === true && isKind(record.kind)) {
      entries(record.kind).set(record.id, {
        mode: record.mode,
        data: parsed.data,
        secret: record.secret,
      })
    } else {
      log.warn("A sandbox record can't be read and is skipped", {
        kind: record.kind,
        id: record.id,
      })
    }
  }
  // Values in the map were validated by their kind's schema on loading, or by the type of `put`.
  const data = <K extends RecordKind>(entry: Entry) => entry.data as RecordOf<K>
  return {
    all: <K extends RecordKind>(kind: K, mode?: Mode) =>
      [...entries(kind).values()]
        .filter((entry) => mode === undefined || entry.mode === mode)
        .map((entry) => data<K>(entry)),
    find<K extends RecordKind>(kind: K, id: string, mode: Mode) {
      const entry = entries(kind).get(id)
      return entry?.mode === mode ? data<K>(entry) : undefined
    },
    modeOf: (kind, id) => entries(kind).get(id)?.mode,
    secretOf: (kind, id) => entries(kind).get(id)?.secret,
    async put(kind, mode, record, secret) {
      const kept = secret ?? entries(kind).get(record.id)?.secret
      await storage.put({
        kind,
        id: record.id,
        mode,
        data: { ...record },
        ...(kept === undefined ? {} : { secret: kept }),
      })
      entries(kind).set(record.id, { mode, data: record, secret: kept })
    },
    async remove(kind, id) {
      await storage.delete(kind, id)
      entries(kind).delete(id)
    },
  }
}

function isKind(kind: string): kind is RecordKind {
  return Object.hasOwn(recordSchemas, kind)
}

// Stores the sandbox's objects, hooks and pending notifications across restarts.

/** JSON that a storage accepts. */
type JsonObject = { readonly [key: string]: unknown }

/** `kind` and `id` identify a record. `data` is JSON. `secret` is separate, so that it can be encrypted at rest. */
export interface SandboxRecord {
  readonly kind: string
  readonly id: string
  readonly mode: Mode
  readonly data: JsonObject
  readonly secret?: string
}

export type SandboxStorage = ReturnType<typeof memoryStorage>

/** A storage without persistence, for tests. */
export function memoryStorage(records: readonly SandboxRecord[] = []) {
  const kept = new Map(
    records.map((record) => [`${record.kind} ${record.id}`, structuredClone(record)]),
  )
  return {
    /** All records, in the order in which they were first stored. */
    load: (): Promise<readonly SandboxRecord[]> =>
      Promise.resolve([...kept.values()].map((record) => structuredClone(record))),
    /** Adds the record, or replaces an existing one of the same kind and id. */
    put(record: SandboxRecord) {
      kept.set(`${record.kind} ${record.id}`, structuredClone(record))
      return Promise.resolve()
    },
    /** Removes a record; a missing one is not an error. */
    delete(kind: string, id: string) {
      kept.delete(`${kind} ${id}`)
      return Promise.resolve()
    },
  }
}

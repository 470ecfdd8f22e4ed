/**
 * Test data: a program with brands, locations, cards and an offer, realistic and the same for the same seed on every computer. The
 * brands are invented, and the card numbers are those that schemes publish for tests.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import type { Brand, Card, Location, Program, Scheme } from '../../shared/service/resources.ts'
import { minorDigits } from '../../shared/text/amount.ts'
import { places } from './sample-cities.ts'
import type { Objects, Offer } from './records.ts'

interface CatalogueBrand {
  readonly name: string
  readonly slug: string
  /** A typical amount there, in units similar to the euro. */
  readonly least: number
  readonly most: number
}

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

const testCards: readonly TestCard[] = [
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
export interface ObjectSeed {
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
export function makeWorld(making: ObjectSeed, programId?: string): World {
  const program = makeProgram(making, programId)
  const first = createRandom(making.seed, 'brands').integer(0, catalogue.length - 1)
  const brands = Array.from({ length: BRANDS }, (_, index) =>
    makeBrand(making, `brand ${index}`, catalogue[(first + index) % catalogue.length]),
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

function makeProgram(making: ObjectSeed, id?: string): Program {
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
export function makeBrand(making: ObjectSeed, name: string, from?: CatalogueBrand): Brand {
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
  making: ObjectSeed,
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

export function makeCard(making: ObjectSeed, name: string, programId: string): Card {
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

export function makeOffer(making: ObjectSeed, name: string, programId: string, id?: string): Offer {
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
  if (id !== undefined && objects.has('program', id)) {
    throw new AppError(
      'NOT_FOUND',
      `Program ${id} not found in ${mode} mode. Test and live mode have separate objects (spec 1).`,
    )
  }
  const world = makeWorld({ seed: id ?? `the first program in ${mode}`, mode, now }, id)
  await storeWorld(objects, mode, world)
  return world.program
}

export async function storeWorld(objects: Objects, mode: Mode, world: World): Promise<void> {
  for (const brand of world.brands) await objects.put('brand', mode, brand)
  for (const location of world.locations) await objects.put('location', mode, location)
  for (const card of world.cards) await objects.put('card', mode, card)
  for (const offer of world.offers) await objects.put('offer', mode, offer)
  // Last, so that a program in storage is always complete.
  await objects.put('program', mode, world.program)
}

/**
 * Finds the offer of an imported hook; an unknown id becomes an offer of that program and mode. Null if it belongs to another mode or
 * program.
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
  if (objects.has('offer', id)) return null
  const program = await ensureProgram(objects, mode, now, programId ?? undefined)
  const offer = makeOffer({ seed: id, mode, now }, 'offer', program.id, id)
  await objects.put('offer', mode, offer)
  return offer
}

// Amounts and times as a place has them.

export function roundAmount(amount: number, currency: string): number {
  return Number(amount.toFixed(minorDigits(currency) ?? 2))
}

/** Wall clocks by time zone: making one takes a hundred times as long as using it. */
const wallClocks = new Map<string, Intl.DateTimeFormat>()

function wallClockOf(timezone: string): Intl.DateTimeFormat {
  const made = wallClocks.get(timezone)
  if (made !== undefined) return made
  const wallClock = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  })
  wallClocks.set(timezone, wallClock)
  return wallClock
}

/** A moment as a time zone's wall clock shows it: ISO 8601 without zone and milliseconds (`datetime` in section 2.6). */
export function localTimeAt(time: number, timezone: string): string {
  const parts = wallClockOf(timezone).formatToParts(time)
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    parts.find((each) => each.type === type)?.value ?? ''
  return `${part('year')}-${part('month')}-${part('day')}T${part('hour')}:${part('minute')}:${part('second')}`
}

// Random values that are the same for the same seed.

export type Random = ReturnType<typeof createRandom>

/** A separate stream for each path under a seed: a brand's values don't change if a card draws more. */
export function createRandom(seed: number | string, ...path: readonly string[]) {
  const fraction = sfc32(hash([String(seed), ...path].join('\u0000')))
  const integer = (least: number, most: number) =>
    least + Math.floor(fraction() * (most - least + 1))
  const characters = (count: number, alphabet: string) =>
    Array.from({ length: count }, () => alphabet.charAt(integer(0, alphabet.length - 1))).join('')
  return {
    /** From 0 to 1, excluding 1. */
    fraction,
    /** Both ends included. */
    integer,
    pick<T>(items: readonly T[]): T {
      const item = items[integer(0, items.length - 1)]
      if (item === undefined) throw new Error('The list is empty.')
      return item
    },
    digits: (count: number) => characters(count, '0123456789'),
    /** Uppercase letters and digits. */
    code: (length: number) => characters(length, 'ABCDEFGHJKLMNPQRSTUVWXYZ0123456789'),
    /** A version 4 UUID. */
    uuid() {
      const hex = characters(30, '0123456789abcdef')
      const variant = characters(1, '89ab')
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-${variant}${hex.slice(15, 18)}-${hex.slice(18, 30)}`
    },
  }
}

/** Four 32-bit words from a text (cyrb128, public domain): similar seeds give unrelated streams. */
function hash(text: string): [number, number, number, number] {
  let [a, b, c, d] = [1779033703, 3144134277, 1013904242, 2773480762]
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    a = b ^ Math.imul(a ^ code, 597399067)
    b = c ^ Math.imul(b ^ code, 2869860233)
    c = d ^ Math.imul(c ^ code, 951274213)
    d = a ^ Math.imul(d ^ code, 2716044179)
  }
  a = Math.imul(c ^ (a >>> 18), 597399067)
  b = Math.imul(d ^ (b >>> 22), 2869860233)
  c = Math.imul(a ^ (c >>> 17), 951274213)
  d = Math.imul(b ^ (d >>> 19), 2716044179)
  return [(a ^ b ^ c ^ d) >>> 0, b >>> 0, c >>> 0, d >>> 0]
}

/** The generator sfc32 of PractRand (public domain): small, and good enough for realistic data. Never for secrets. */
function sfc32([first, second, third, fourth]: [number, number, number, number]): () => number {
  let [a, b, c, d] = [first | 0, second | 0, third | 0, fourth | 0]
  const next = () => {
    const sum = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + sum) | 0
    return (sum >>> 0) / 4294967296
  }
  // The first outputs still resemble the seed.
  for (let count = 0; count < 12; count++) next()
  return next
}

/**
 * Makes a program with brands, locations, cards and an offer, the same for the same seed. Card
 * numbers are the schemes' test numbers.
 */
import type { Mode } from '../../shared/model/delivery.ts'
import type { Brand, Card, Location, Program, Scheme } from '../../shared/service/resources.ts'
import { sampleCities } from './sample-cities.ts'
import type { Offer } from './records.ts'
import { createRandom } from './random.ts'

interface CatalogueBrand {
  readonly name: string
  readonly slug: string
  /** Bounds of a typical amount, in units similar to the euro. */
  readonly minAmount: number
  readonly maxAmount: number
}

export const catalogue: readonly CatalogueBrand[] = [
  { name: 'Harbour Coffee', slug: 'harbour-coffee', minAmount: 2.8, maxAmount: 18 },
  { name: 'Fern & Field', slug: 'fern-and-field', minAmount: 12, maxAmount: 95 },
  { name: 'Old Mill Bakery', slug: 'old-mill-bakery', minAmount: 3, maxAmount: 32 },
  { name: 'Nordlys Books', slug: 'nordlys-books', minAmount: 7, maxAmount: 80 },
  { name: 'Brightwater Grocers', slug: 'brightwater-grocers', minAmount: 8, maxAmount: 160 },
  { name: 'Casa Lima', slug: 'casa-lima', minAmount: 15, maxAmount: 120 },
  { name: 'Atelier Quatre', slug: 'atelier-quatre', minAmount: 30, maxAmount: 320 },
  { name: 'Pedal & Spoke', slug: 'pedal-and-spoke', minAmount: 10, maxAmount: 240 },
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

/** Rough value of one euro in a currency, for realistic prices. */
const unitsPerEuro: Readonly<Record<string, number>> = { SEK: 11, JPY: 160, CAD: 1.5, AUD: 1.6 }

export function priceScale(currency: string): number {
  return unitsPerEuro[currency] ?? 1
}

/** Id of the one account, in test and live. */
export const ACCOUNT_ID = createRandom('account').uuid()

const DAY_MS = 86_400_000
const BRAND_COUNT = 3
const LOCATION_COUNT = 5
const CARD_COUNT = 4

/** Seed of an object, with its mode and time. */
export interface ObjectSeed {
  readonly seed: number | string
  readonly mode: Mode
  /** Time in milliseconds since the epoch. */
  readonly now: number
}

export interface World {
  readonly program: Program
  readonly brands: readonly Brand[]
  readonly locations: readonly Location[]
  readonly cards: readonly Card[]
  readonly offers: readonly Offer[]
}

export function makeWorld(seed: ObjectSeed, programId?: string): World {
  const program = makeProgram(seed, programId)
  const first = createRandom(seed.seed, 'brands').integer(0, catalogue.length - 1)
  const brands = Array.from({ length: BRAND_COUNT }, (_, index) =>
    makeBrand(seed, `brand ${index}`, catalogue[(first + index) % catalogue.length]),
  )
  const locations = Array.from({ length: LOCATION_COUNT }, (_, index) => {
    const brand = brands[index % BRAND_COUNT]
    return brand === undefined ? [] : [makeLocation(seed, `location ${index}`, brand, program.id)]
  }).flat()
  const cards = Array.from({ length: CARD_COUNT }, (_, index) =>
    makeCard(seed, `card ${index}`, program.id),
  )
  return { program, brands, locations, cards, offers: [makeOffer(seed, 'offer', program.id)] }
}

function makeProgram(seed: ObjectSeed, id?: string): Program {
  const random = createRandom(seed.seed, 'program')
  const randomId = random.uuid()
  return {
    id: id ?? randomId,
    accountId: ACCOUNT_ID,
    active: true,
    activeDate: iso(seed.now - 40 * DAY_MS),
    created: iso(seed.now - 42 * DAY_MS),
    updated: iso(seed.now - DAY_MS),
    live: seed.mode === 'live',
    name: random.pick([
      'Everyday Rewards',
      'City Perks',
      'Neighbourhood Club',
      'Round Trip Rewards',
    ]),
    syncStats: {
      created: iso(seed.now - DAY_MS),
      locations: LOCATION_COUNT,
      estimatedEndDate: iso(seed.now + DAY_MS),
      status: 'syncing',
    },
  }
}

/** Makes a brand; `name` distinguishes those of one seed. */
export function makeBrand(seed: ObjectSeed, name: string, from?: CatalogueBrand): Brand {
  const random = createRandom(seed.seed, name)
  const id = random.uuid()
  const { name: brandName, slug } = from ?? random.pick(catalogue)
  return {
    id,
    accountId: ACCOUNT_ID,
    consent: true,
    created: iso(seed.now),
    updated: iso(seed.now),
    live: seed.mode === 'live',
    name: brandName,
    logoURL: `https://images.example/${slug}.png`,
  }
}

export function makeLocation(
  seed: ObjectSeed,
  name: string,
  brand: Brand,
  programId: string,
): Location {
  const random = createRandom(seed.seed, name)
  const id = random.uuid()
  const sampleCity = random.pick(sampleCities)
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
    address: `${random.integer(1, 180)} ${random.pick(sampleCity.streets)}`,
    city: sampleCity.city,
    postcode: sampleCity.postcode,
    countryCode: sampleCity.countryCode,
    currency: sampleCity.currency,
    timezone: sampleCity.timezone,
    geolocation: {
      latitude: nearby(sampleCity.latitude, random.fraction()),
      longitude: nearby(sampleCity.longitude, random.fraction()),
    },
    live: seed.mode === 'live',
    preonboard: false,
    created: iso(seed.now),
    updated: iso(seed.now),
    activeDate: iso(seed.now),
    searchBy: { merchantIds: { visa: [random.digits(15)], mastercard: [random.digits(15)] } },
    mastercard: active(),
    visa: active(),
    amex: active(),
  }
}

/** Moves a coordinate by up to 0.005 degrees, some 500 m. */
function nearby(degrees: number, fraction: number): number {
  return Number((degrees + (fraction - 0.5) * 0.01).toFixed(6))
}

export function makeCard(seed: ObjectSeed, name: string, programId: string): Card {
  const random = createRandom(seed.seed, name)
  const id = random.uuid()
  const { scheme, firstNumbers, lastNumbers } = random.pick(testCards)
  const expMonth = random.integer(1, 12)
  const expYear = new Date(seed.now).getUTCFullYear() + random.integer(1, 4)
  return {
    id,
    accountId: ACCOUNT_ID,
    programId,
    countryCode: random.pick(sampleCities).countryCode,
    created: iso(seed.now),
    updated: iso(seed.now),
    expDate: iso(Date.UTC(expYear, expMonth - 1, 1)),
    expMonth,
    expYear,
    firstNumbers,
    lastNumbers,
    live: seed.mode === 'live',
    scheme,
    type: scheme,
  }
}

export function makeOffer(seed: ObjectSeed, name: string, programId: string, id?: string): Offer {
  const random = createRandom(seed.seed, name)
  const randomId = random.uuid()
  const cashbackRate = random.pick([0.03, 0.05, 0.08, 0.1])
  return {
    id: id ?? randomId,
    programId,
    name: `${Math.round(cashbackRate * 100)}% back`,
    live: seed.mode === 'live',
    cashbackRate,
    feeRate: 0.01,
    startsAt: iso(seed.now - 30 * DAY_MS),
    endsAt: null,
    minimumAmount: 0,
  }
}

export function iso(time: number): string {
  return new Date(time).toISOString()
}

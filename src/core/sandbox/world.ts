/** A program with its brands, locations, cards and an offer: what the sandbox has to tell stories about, the same for the same seed. */
import type { Mode } from '../../shared/model/delivery.ts'
import type { Brand } from '../../shared/service/brand.ts'
import type { Card } from '../../shared/service/card.ts'
import type { Location } from '../../shared/service/location.ts'
import type { Program } from '../../shared/service/program.ts'
import { brands as catalogue, testCards, type CatalogueBrand } from './catalogue.ts'
import { places } from './places.ts'
import { createRandom } from './random.ts'
import type { Offer } from './records.ts'

/** The one account, test and live alike (section 5.1: it has a pair of keys for each). */
export const ACCOUNT_ID = createRandom('account').uuid()

const DAY = 86_400_000
const BRANDS = 3
const LOCATIONS = 5
const CARDS = 4

/** Where in the world of a seed an object stands. */
export interface Making {
  readonly seed: number | string
  readonly mode: Mode
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface World {
  readonly program: Program
  readonly brands: readonly Brand[]
  readonly locations: readonly Location[]
  readonly cards: readonly Card[]
  readonly offers: readonly Offer[]
}

/** Makes a program and everything in it. `programId`: of a program that a hook already names. */
export function makeWorld(making: Making, programId?: string): World {
  const program = makeProgram(making, programId)
  const first = createRandom(making.seed, 'catalogue').integer(0, catalogue.length - 1)
  const brands = Array.from({ length: BRANDS }, (_, index) => makeBrand(making, `brand ${index}`, catalogueBrand(first + index)))
  const locations = Array.from({ length: LOCATIONS }, (_, index) => {
    const brand = brands[index % BRANDS]
    return brand === undefined ? [] : [makeLocation(making, `location ${index}`, brand, program.id)]
  }).flat()
  const cards = Array.from({ length: CARDS }, (_, index) => makeCard(making, `card ${index}`, program.id))
  return { program, brands, locations, cards, offers: [makeOffer(making, 'offer', program.id)] }
}

function catalogueBrand(index: number): CatalogueBrand {
  return catalogue[index % catalogue.length] ?? { name: 'Harbour Coffee', slug: 'harbour-coffee', least: 3, most: 18 }
}

export function makeProgram(making: Making, id?: string): Program {
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
    name: random.pick(['Everyday Rewards', 'City Perks', 'Neighbourhood Club', 'Round Trip Rewards']),
    syncStats: {
      created: iso(making.now - DAY),
      locations: LOCATIONS,
      estimatedEndDate: iso(making.now + DAY),
      status: 'syncing',
    },
  }
}

/** `name` tells the object from others of the same seed. */
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

export function makeLocation(making: Making, name: string, brand: Brand, programId: string): Location {
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
    name: `${Math.round(cashbackRate * 100)} % back`,
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

/** Creates a purchase: who paid how much, where, and what the card scheme knows about it (section 2.6). */
import { AppError } from '../../shared/contract/errors.ts'
import { schemes, type Scheme } from '../../shared/service/resources.ts'
import type { Transaction } from '../../shared/service/transaction.ts'
import { catalogue, priceScale, ACCOUNT_ID, iso } from './world.ts'
import { localTimeAt, roundAmount } from './places.ts'
import { createRandom, type Random } from './random.ts'
import type { Payment, RecordOf } from './records.ts'
import type { Scene } from './scene.ts'

/**
 * A purchase in the program, paid `before` milliseconds ago, at a location where the card's scheme has `needs` enabled. Offers are
 * decided elsewhere. Throws `INVALID_INPUT` if no card and location match.
 */
export function newPurchase(scene: Scene, before: number, needs: 'auth' | 'clearing'): Payment {
  const random = createRandom(scene.making.seed, 'transaction')
  const id = random.uuid()
  const { card, location, scheme } = pickPlace(scene, random, needs)
  const brand = scene.objects.find('brand', location.brandId, scene.mode)
  if (brand === undefined) throw new Error(`The location ${location.id} has no brand.`)
  const time = scene.making.now - before
  const code = random.code(6)
  const transaction: Transaction = {
    id,
    accountId: ACCOUNT_ID,
    programId: scene.program.id,
    datetime: localTimeAt(time, location.timezone),
    created: iso(time),
    updated: iso(time),
    offer: null,
    approvalCode: code,
    auth: true,
    authCode: code,
    cardPresent: random.fraction() < 0.8,
    cleared: false,
    amount: price(random, brand.name, location.currency),
    currency: location.currency,
    wallet: null,
    card: {
      id: card.id,
      firstNumbers: card.firstNumbers,
      lastNumbers: card.lastNumbers,
      scheme: card.scheme,
      ...(card.metadata === undefined ? {} : { metadata: card.metadata }),
    },
    brand: {
      id: brand.id,
      name: brand.name,
      logoURL: brand.logoURL,
      metadata: brand.metadata ?? null,
    },
    location: {
      id: location.id,
      address: location.address,
      city: location.city,
      postcode: location.postcode,
      countryCode: location.countryCode,
      timezone: location.timezone,
      geolocation: location.geolocation,
      metadata: location.metadata ?? null,
    },
    identifiers: identifiers(random, scheme, location, code),
  }
  return { id, transaction, offerId: null }
}

interface Payer {
  readonly card: RecordOf<'card'>
  readonly location: RecordOf<'location'>
  readonly scheme: Scheme
}

/**
 * A card and a location whose scheme reports payments: without `auth` no transaction.auth is sent (section 6.2). Events about a
 * card or location use that one.
 */
function pickPlace(scene: Scene, random: Random, needs: 'auth' | 'clearing'): Payer {
  const { objects, mode, program, of } = scene
  const own = <T extends { programId: string; id: string }>(all: readonly T[]) => {
    const named = all.filter(({ id }) => id === of)
    return named.length > 0 ? named : all.filter(({ programId }) => programId === program.id)
  }
  const locations = own(objects.all('location', mode))
  const at = (card: RecordOf<'card'>) =>
    locations.filter((location) => location[schemeOf(card.scheme)][needs])
  const cards = own(objects.all('card', mode)).filter((card) => at(card).length > 0)
  if (cards.length === 0) {
    throw new AppError(
      'INVALID_INPUT',
      `No linked card in ${scene.environment} has a location whose scheme has \`${needs}\` enabled, so transaction.${needs} isn't sent (spec 6.2). Change a location, or create one.`,
    )
  }
  const card = random.pick(cards)
  return { card, location: random.pick(at(card)), scheme: schemeOf(card.scheme) }
}

/** Only the identifiers of the card's own scheme are set. */
function identifiers(
  random: Random,
  scheme: Scheme,
  location: RecordOf<'location'>,
  code: string,
): Transaction['identifiers'] {
  const merchantIds =
    scheme === 'mastercard'
      ? location.searchBy.merchantIds.mastercard
      : location.searchBy.merchantIds.visa
  const [merchantId] = merchantIds
  return {
    MID: typeof merchantId === 'string' ? merchantId : random.digits(15),
    mastercardAuthCode: scheme === 'mastercard' ? code : null,
    mastercardTransactionSequenceNumber: scheme === 'mastercard' ? random.digits(23) : null,
    mastercardRefNumber: scheme === 'mastercard' ? random.code(9) : null,
    amexApprovalCode: scheme === 'amex' ? code : null,
    visaAuthCode: scheme === 'visa' ? code : null,
  }
}

function price(random: Random, brandName: string, currency: string): number {
  const { least, most } = catalogue.find((brand) => brand.name === brandName) ?? {
    least: 5,
    most: 60,
  }
  // Squaring makes small amounts more frequent than large ones, as in reality.
  const amount = (least + (most - least) * random.fraction() ** 2) * priceScale(currency)
  return roundAmount(amount, currency)
}

function schemeOf(name: string): Scheme {
  return schemes.find((scheme) => scheme === name) ?? 'visa'
}

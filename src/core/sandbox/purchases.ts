/** Makes a purchase (section 2.6). */
import { AppError } from '../../shared/contract/errors.ts'
import { schemes, type Scheme, type Transaction } from '../../shared/service/resources.ts'
import type { EventContext } from './event-context.ts'
import type { Payment, RecordOf } from './records.ts'
import { ACCOUNT_ID, iso, catalogue, priceScale } from './world.ts'
import { localTimeAt, roundAmount } from './local-values.ts'
import { createRandom, type Random } from './random.ts'

/**
 * Makes a purchase `ageMs` milliseconds old. Throws `SANDBOX_STATE` if no card and location
 * fit.
 */
export function newPurchase(
  context: EventContext,
  ageMs: number,
  needs: 'auth' | 'clearing',
): Payment {
  const random = createRandom(context.seed, 'transaction')
  const id = random.uuid()
  const { card, location, scheme } = pickPayer(context, random, needs)
  const brand = context.records.find('brand', location.brandId, context.mode)
  if (brand === undefined) throw new Error(`The location ${location.id} has no brand.`)
  const time = context.now - ageMs
  const code = random.code(6)
  const transaction: Transaction = {
    id,
    accountId: ACCOUNT_ID,
    programId: context.program.id,
    datetime: localTimeAt(time, location.timezone),
    created: iso(time),
    updated: iso(time),
    offer: null,
    approvalCode: code,
    auth: true,
    authCode: code,
    cardPresent: random.fraction() < 0.8,
    cleared: false,
    amount: randomPrice(random, brand.name, location.currency),
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
  return { id, transaction, offerId: null, clearsAt: null }
}

interface Payer {
  readonly card: RecordOf<'card'>
  readonly location: RecordOf<'location'>
  readonly scheme: Scheme
}

/** Picks a card and a location whose scheme reports payments (section 6.2). */
function pickPayer(context: EventContext, random: Random, needs: 'auth' | 'clearing'): Payer {
  const { records, mode, program, of: aboutId } = context
  const inProgram = <T extends { programId: string; id: string }>(all: readonly T[]) => {
    const namedObjects = all.filter(({ id }) => id === aboutId)
    return namedObjects.length > 0
      ? namedObjects
      : all.filter(({ programId }) => programId === program.id)
  }
  const locations = inProgram(records.all('location', mode))
  const locationsOf = (card: RecordOf<'card'>) =>
    locations.filter((location) => location[schemeOf(card.scheme)][needs])
  const cards = inProgram(records.all('card', mode)).filter((card) => locationsOf(card).length > 0)
  if (cards.length === 0) {
    throw new AppError(
      'SANDBOX_STATE',
      `No linked card in ${context.environment} has a location whose scheme has \`${needs}\` enabled, so transaction.${needs} isn't sent (spec 6.2). Change a location, or create one.`,
    )
  }
  const card = random.pick(cards)
  return { card, location: random.pick(locationsOf(card)), scheme: schemeOf(card.scheme) }
}

/** Returns identifiers, set only for the card's scheme. */
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

function randomPrice(random: Random, brandName: string, currency: string): number {
  const { minAmount, maxAmount } = catalogue.find((brand) => brand.name === brandName) ?? {
    minAmount: 5,
    maxAmount: 60,
  }
  // Squaring makes small amounts more frequent.
  const amount =
    (minAmount + (maxAmount - minAmount) * random.fraction() ** 2) * priceScale(currency)
  return roundAmount(amount, currency)
}

function schemeOf(name: string): Scheme {
  return schemes.find((scheme) => scheme === name) ?? 'visa'
}

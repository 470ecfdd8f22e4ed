/**
 * The events of the service, each with everything it triggers (sections 6.1 and 6.2): the objects it is about, the other events that
 * are sent, and the records that change.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { Fault } from '../../shared/model/sandbox.ts'
import {
  isQualifiedEvent,
  plainEventOf,
  type PlainEventType,
  type ShownEventType,
} from '../../shared/service/event-type.ts'
import {
  schemes,
  type OfferQualification,
  type Program,
  type Scheme,
  type Transaction,
} from '../../shared/service/resources.ts'
import type { Offer, Payment, RecordKind, RecordOf } from './records.ts'
import {
  setPathsWithin,
  type Emission,
  type EventContext,
  type SimulatedEvent,
} from './event-context.ts'
import {
  ACCOUNT_ID,
  catalogue,
  createRandom,
  iso,
  localTimeAt,
  makeBrand,
  makeCard,
  makeLocation,
  priceScale,
  roundAmount,
  type ObjectSeed,
  type Random,
} from './world.ts'

/** `required`: a transaction is rejected unless it qualifies for an offer. */
const stories: Readonly<
  Record<PlainEventType, (scene: EventContext, required: boolean) => SimulatedEvent>
> = {
  'brand.consent': brandConsentStory,
  'card.linked': cardLinkedStory,
  'card.failed': cardFailedStory,
  'program.status': programStatusStory,
  'location.status': locationStatusStory,
  'transaction.auth': authStory,
  'transaction.clearing': clearingStory,
  'transaction.refund': refundStory,
}

export function simulateEvent(
  event: ShownEventType,
  scene: EventContext,
  fault: Fault | null,
): SimulatedEvent {
  const plain = plainEventOf(event)
  const required = isQualifiedEvent(event)
  if (fault !== 'out-of-order') return stories[plain](scene, required)
  // The last event arrives first.
  if (plain === 'transaction.auth' || plain === 'transaction.clearing')
    return clearingFirstStory(scene, required)
  const story = stories[plain](scene, required)
  if (story.emissions.length < 2)
    throw new AppError(
      'INVALID_INPUT',
      `${event} is a single event, so it has no order. Use a transaction or location.status.`,
    )
  return { ...story, emissions: story.emissions.toReversed() }
}

// Brands, cards, programs and locations.

/** In test mode a brand consents as soon as it exists, in live mode when its user approves. The event is the same. */
function brandConsentStory(scene: EventContext): SimulatedEvent {
  const known =
    scene.of === undefined ? makeBrand(scene, 'new brand') : findNamed(scene, 'brand', scene.of)
  const brand = setPathsWithin({ ...known, consent: true, updated: iso(scene.now) }, scene.set)
  return {
    objects: { account: brand.accountId, brand: brand.id },
    emissions: [emission('brand.consent', withoutMetadata(brand), null)],
    changes: [{ kind: 'brand', data: brand }],
  }
}

function cardLinkedStory(scene: EventContext): SimulatedEvent {
  const known =
    scene.of === undefined
      ? makeCard(scene, 'new card', scene.program.id)
      : findNamed(scene, 'card', scene.of)
  const card = setPathsWithin(known, scene.set)
  return {
    objects: { account: card.accountId, program: card.programId, card: card.id },
    emissions: [emission('card.linked', withoutMetadata(card), card.programId)],
    changes: [{ kind: 'card', data: card }],
  }
}

const failureReasons = [
  "The card number isn't eligible for card linking.",
  'The card scheme declined the enrollment.',
  'The card has expired.',
  'The card is already linked in this program.',
]

/** A card that couldn't be linked is reported, but not stored. */
function cardFailedStory(scene: EventContext): SimulatedEvent {
  const card = makeCard(scene, 'new card', scene.program.id)
  const message = createRandom(scene.seed, 'reason').pick(failureReasons)
  const payload = setPathsWithin({ card, event: 'card.failed', message }, scene.set)
  return {
    objects: { account: card.accountId, program: card.programId, card: payload.card.id },
    emissions: [emission('card.failed', payload, card.programId)],
    changes: [],
  }
}

/** Live only: test mode has no location syncing. */
function programStatusStory(scene: EventContext): SimulatedEvent {
  if (scene.mode === 'test') {
    throw new AppError(
      'INVALID_INPUT',
      "program.status is sent in live mode only: test mode doesn't sync locations (spec 6.2). Trigger it in the environment sandbox-live.",
    )
  }
  const known = scene.of === undefined ? scene.program : findNamed(scene, 'program', scene.of)
  const program = setPathsWithin(syncing(scene, known), scene.set)
  return {
    objects: { account: program.accountId, program: program.id },
    emissions: [emission('program.status', program, program.id)],
    changes: [{ kind: 'program', data: program }],
  }
}

/**
 * One report per scheme. In test mode always all three, each `location.active`. In live mode whenever a scheme's sync ends: `--set
 * status=location.failed` fails it, `--set scheme=visa` reports Visa only. Fields set under `location` stay with the location.
 */
function locationStatusStory(scene: EventContext): SimulatedEvent {
  const { scheme: onlyScheme, status, ...rest } = scene.set
  if (scene.mode === 'test' && (onlyScheme !== undefined || status !== undefined)) {
    throw new AppError(
      'INVALID_INPUT',
      'In test mode each location is reported three times, once per scheme, always as location.active (spec 6.2). For single schemes and failures use the environment sandbox-live.',
    )
  }
  // A successful sync turns auths and clearings on for the scheme; a failed one turns both off (section 6.2).
  const result =
    status === 'location.failed'
      ? { status: 'inactive', auth: false, clearing: false }
      : { status: 'active', auth: true, clearing: true, estimatedActivationDate: null }
  const known =
    scene.of === undefined ? newLocation(scene).location : findNamed(scene, 'location', scene.of)
  const reported = schemes.filter((scheme) => onlyScheme === undefined || onlyScheme === scheme)
  if (reported.length === 0) {
    throw new AppError('INVALID_INPUT', `\`scheme\` must be one of ${schemes.join(', ')}.`)
  }
  const synced = reported.reduce(
    (at, scheme) => ({ ...at, [scheme]: { ...at[scheme], ...result } }),
    { ...known, updated: iso(scene.now) },
  )
  const { location } = setPathsWithin({ location: synced }, fieldsOf('location', scene))
  const emissions = reported.map((scheme) => {
    const payload = setPathsWithin(
      { location: withoutMetadata(location), scheme, status: status ?? 'location.active' },
      rest,
    )
    return emission('location.status', payload, location.programId)
  })
  // An updated location triggers its program's status, in live mode only (section 6.2).
  const program =
    scene.mode === 'live'
      ? scene.objects.find('program', location.programId, scene.mode)
      : undefined
  return {
    objects: {
      account: location.accountId,
      program: location.programId,
      brand: location.brandId,
      location: location.id,
    },
    emissions: [
      ...emissions,
      ...(program === undefined
        ? []
        : [emission('program.status', syncing(scene, program), program.id)]),
    ],
    changes: [{ kind: 'location', data: location }],
  }
}

function syncing(scene: EventContext, program: Program): Program {
  const now = iso(scene.now)
  const locations = scene.objects
    .all('location', scene.mode)
    .filter(({ programId }) => programId === program.id).length
  return { ...program, updated: now, syncStats: { ...program.syncStats, locations, created: now } }
}

/** A location in the program, with the brand of its others. */
export function newLocation(scene: ObjectSeed & Pick<EventContext, 'objects' | 'program'>) {
  const known = scene.objects
    .all('location', scene.mode)
    .filter(({ programId }) => programId === scene.program.id)
    .map(({ brandId }) => scene.objects.find('brand', brandId, scene.mode))
    .find((each) => each !== undefined)
  const brand = known ?? makeBrand(scene, 'new brand')
  return { brand, location: makeLocation(scene, 'new location', brand, scene.program.id) }
}

/** The set fields of an object and of everything in it; or all others. */
function fieldsOf(object: string, { set }: Pick<EventContext, 'set'>, isOwn = true) {
  const isUnder = (path: string) => path === object || path.startsWith(`${object}.`)
  return Object.fromEntries(Object.entries(set).filter(([path]) => isUnder(path) === isOwn))
}

/** The resource as its section lists it, without metadata that the client stores with it. */
function withoutMetadata<T extends object>(
  record: T & { metadata?: unknown },
): Omit<T, 'metadata'> {
  const { metadata: _, ...resource } = record
  return resource
}

function emission(event: ShownEventType, payload: object, programId: string | null): Emission {
  return { event, payload: { ...payload }, programId, offerId: null }
}

function findNamed<K extends RecordKind>(scene: EventContext, kind: K, id: string): RecordOf<K> {
  const found = scene.objects.find(kind, id, scene.mode)
  if (found !== undefined) return found
  throw new AppError(
    'NOT_FOUND',
    `${kind} ${id} not found in ${scene.environment}. Test and live mode have separate objects.`,
  )
}

// Payments: authorized in real time, cleared days later, refunded, and qualified for an offer (sections 2.6, 2.7, 6.2 and 6.3).

const HOUR = 3_600_000

/** A purchase at the time of payment, with the named card or location. `required`: rejected unless it qualifies. */
function authStory(scene: EventContext, required: boolean): SimulatedEvent {
  const { of, objects, mode } = scene
  if (
    of !== undefined &&
    (objects.find('card', of, mode) ?? objects.find('location', of, mode)) === undefined
  ) {
    throw new AppError('NOT_FOUND', `Card or location ${of} not found in ${scene.environment}.`)
  }
  const qualified = tellPurchase(scene, newPurchase(scene, 0, 'auth'), required)
  return storyOf(qualified, emissionsOf('transaction.auth', qualified))
}

/** The settlement of a purchase. It keeps the auth's id and is checked for offers again, because they may have changed. */
function clearingStory(scene: EventContext, required: boolean): SimulatedEvent {
  const qualified = tellPurchase(scene, settled(scene, purchaseToClear(scene)), required)
  return storyOf(qualified, emissionsOf('transaction.clearing', qualified))
}

/** The events that a purchase and its clearing trigger, the last one first. */
function clearingFirstStory(scene: EventContext, required: boolean): SimulatedEvent {
  const open = tellPurchase(scene, newPurchase(scene, 0, 'auth'), required)
  const cleared = { ...open, payment: settled(scene, open.payment) }
  const inOrder = [
    ...emissionsOf('transaction.auth', open),
    ...emissionsOf('transaction.clearing', cleared),
  ]
  return storyOf(cleared, inOrder.toReversed())
}

/** A purchase or its clearing qualifies by payment time and amount. The offer it qualified for before comes first. */
function tellPurchase(scene: EventContext, purchase: Payment, required: boolean): QualifiedPayment {
  const payment = edited(scene, purchase)
  const { created, amount } = payment.transaction
  const judgement = judge(scene, payment.offerId, Date.parse(created), amount)
  return withOffer(scene, payment, judgement, required)
}

function settled(scene: EventContext, payment: Payment): Payment {
  return {
    ...payment,
    transaction: { ...payment.transaction, cleared: true, updated: iso(scene.now) },
  }
}

/** A refund with its clearing, for the named purchase or an unknown one (section 6.3). */
function refundStory(scene: EventContext, required: boolean): SimulatedEvent {
  const random = createRandom(scene.seed, 'refund')
  const id = random.uuid()
  const named = scene.of === undefined ? null : namedPayment(scene, scene.of)
  if (named !== null && named.transaction.amount < 0) {
    throw new AppError(
      'SANDBOX_STATE',
      `${named.id} is itself a refund. Use the refunded purchase.`,
    )
  }
  const purchase = named ?? newPurchase(scene, random.integer(5 * 24, 20 * 24) * HOUR, 'clearing')
  const { originalTransactionId: _, ...source } = purchase.transaction
  const unmatched = edited(scene, {
    id,
    offerId: null,
    clearsAt: null,
    transaction: {
      ...source,
      id,
      datetime: localTimeAt(scene.now, source.location.timezone),
      created: iso(scene.now),
      updated: iso(scene.now),
      auth: false,
      cleared: true,
      amount: -source.amount,
    },
  })
  const original = originalOf(scene, unmatched, named)
  const payment: Payment =
    original === null
      ? unmatched
      : {
          ...unmatched,
          transaction: { ...unmatched.transaction, originalTransactionId: original.id },
        }
  const qualified = withOffer(scene, payment, judgeRefund(scene, payment, original), required)
  const [plain, ...twins] = emissionsOf('transaction.refund', qualified)
  const clearing = emissionsOf('transaction.clearing', { ...qualified, qualifies: false })
  const made = storyOf(qualified, [...(plain === undefined ? [] : [plain]), ...clearing, ...twins])
  return original === null
    ? made
    : { ...made, objects: { ...made.objects, originalTransaction: original.id } }
}

/**
 * The purchase that the service finds for a refund by card, location, merchant id, amount and time (section 6.3): the named one if
 * it matches, otherwise the latest match. A partial refund has another amount, so it matches none.
 */
function originalOf(
  { objects, mode }: EventContext,
  { transaction: refund }: Payment,
  named: Payment | null,
): Payment | null {
  const refundedAt = Date.parse(refund.created)
  const fitting = objects
    .all('payment', mode)
    .filter(
      ({ transaction }) =>
        transaction.amount > 0 &&
        transaction.amount === -refund.amount &&
        transaction.card.id === refund.card.id &&
        transaction.location.id === refund.location.id &&
        transaction.identifiers.MID === refund.identifiers.MID &&
        Date.parse(transaction.created) <= refundedAt,
    )
  const latest = fitting
    .toSorted((left, right) => left.transaction.created.localeCompare(right.transaction.created))
    .at(-1)
  return fitting.find(({ id }) => id === named?.id) ?? latest ?? null
}

/** A payment as its events report it, with the offer it qualifies for. */
interface QualifiedPayment {
  readonly payment: Payment
  readonly qualifies: boolean
}

/** The plain event with offer null and, for a qualifying transaction, its .qualified event with the offer. */
function emissionsOf(
  event: 'transaction.auth' | 'transaction.clearing' | 'transaction.refund',
  { payment: { transaction }, qualifies }: QualifiedPayment,
): Emission[] {
  const withOfferOf = (name: ShownEventType, offer: OfferQualification | null): Emission => ({
    event: name,
    payload: { ...transaction, offer },
    programId: transaction.programId,
    offerId: offer?.id ?? null,
  })
  const plain = withOfferOf(event, null)
  return qualifies ? [plain, withOfferOf(`${event}.qualified`, transaction.offer)] : [plain]
}

/** The purchase that a clearing settles: the named one, the seed's, the latest pending one, or one made days ago. */
function purchaseToClear(scene: EventContext): Payment {
  if (scene.of !== undefined) {
    const payment = namedPayment(scene, scene.of)
    if (payment.transaction.cleared) {
      throw new AppError(
        'SANDBOX_STATE',
        `Transaction ${payment.id} is already cleared. Use one that hasn't cleared yet.`,
      )
    }
    return payment
  }
  const wait = createRandom(scene.seed, 'clearing').integer(48, 72) * HOUR
  const fresh = newPurchase(scene, wait, 'clearing')
  const known = scene.objects.find('payment', fresh.id, scene.mode)
  if (known !== undefined) return known
  if (scene.seeded) return fresh
  const open = scene.objects
    .all('payment', scene.mode)
    .filter(
      ({ transaction }) =>
        transaction.auth && !transaction.cleared && transaction.programId === scene.program.id,
    )
    .sort((left, right) => left.transaction.created.localeCompare(right.transaction.created))
  return open.at(-1) ?? fresh
}

function namedPayment(scene: EventContext, id: string): Payment {
  const payment = scene.objects.find('payment', id, scene.mode)
  if (payment !== undefined) return payment
  throw new AppError(
    'NOT_FOUND',
    `Transaction ${id} not found in ${scene.environment}. Create one with \`countersign trigger transaction.auth --environment ${scene.environment}\`, which prints its id.`,
  )
}

/** The payment after `--set`: the caller's changes are stored, so that clearing and refund agree with it. */
function edited(scene: EventContext, payment: Payment): Payment {
  const transaction = setPathsWithin(payment.transaction, fieldsOf('offer', scene, false))
  return { ...payment, id: transaction.id, transaction }
}

/**
 * The payment with its offer: an offer it once qualified for stays, so that its refund qualifies too. Offer fields are set last,
 * because they depend on the changed amount.
 */
function withOffer(
  scene: EventContext,
  payment: Payment,
  judgement: Qualification,
  required: boolean,
): QualifiedPayment {
  if (judgement.offer === null && required) {
    throw new AppError(
      'SANDBOX_STATE',
      `The transaction doesn't qualify: ${judgement.reason} (spec 6.2).`,
    )
  }
  const { transaction } = payment
  const offer =
    judgement.offer === null ? null : qualificationFor(scene, judgement.offer, transaction)
  return {
    payment: {
      ...payment,
      offerId: judgement.offer?.id ?? payment.offerId,
      transaction: setPathsWithin({ ...transaction, offer }, fieldsOf('offer', scene)),
    },
    qualifies: offer !== null,
  }
}

function storyOf({ payment }: QualifiedPayment, emissions: readonly Emission[]): SimulatedEvent {
  const { transaction } = payment
  const { id, auth, cleared, card, created } = transaction
  return {
    objects: {
      account: transaction.accountId,
      program: transaction.programId,
      brand: transaction.brand.id,
      location: transaction.location.id,
      card: card.id,
      transaction: id,
      ...(payment.offerId === null ? {} : { offer: payment.offerId }),
    },
    emissions,
    changes: [
      {
        kind: 'payment',
        data: {
          ...payment,
          transaction: { ...transaction, offer: null },
          clearsAt: auth && !cleared ? settlementTime(id, card.scheme, Date.parse(created)) : null,
        },
      },
    ],
  }
}

const DAY = 24 * HOUR
/** The minimum time to clearing. */
const WAIT_MS = 2 * DAY
/** Visa and American Express clear at these intervals from midnight UTC; Mastercard once a day. */
const SLOT_MS = 4 * HOUR
const MASTERCARD_HOUR = 12 * HOUR

/** When a purchase paid at `paidAt` is cleared, in milliseconds: the same for the same transaction. */
export function settlementTime(transactionId: string, scheme: string, paidAt: number): number {
  const earliest = paidAt + WAIT_MS
  if (scheme === 'mastercard') {
    const noon = Math.floor(earliest / DAY) * DAY + MASTERCARD_HOUR
    return noon >= earliest ? noon : noon + DAY
  }
  const slots = createRandom(transactionId, 'clearing').integer(0, DAY / SLOT_MS - 1)
  return Math.ceil(earliest / SLOT_MS) * SLOT_MS + slots * SLOT_MS
}

// Whether a transaction qualifies for an offer of its program, and which (sections 2.7 and 6.2). A purchase qualifies within the
// offer's period and rules. A refund matched to its purchase qualifies if that did, even after the offer has ended.

/** The offer that a transaction qualifies for, or why it doesn't, as the end of a sentence. */
type Qualification = { readonly offer: Offer } | { readonly offer: null; readonly reason: string }

/** A refund qualifies like its matched purchase; without one, by its own time and amount. */
function judgeRefund(
  scene: EventContext,
  { transaction }: Payment,
  original: Payment | null,
): Qualification {
  if (original === null)
    return judge(scene, null, Date.parse(transaction.created), -transaction.amount)
  const offer =
    original.offerId === null
      ? undefined
      : scene.objects.find('offer', original.offerId, scene.mode)
  return offer === undefined
    ? { offer: null, reason: "the refunded purchase didn't qualify for an offer" }
    : { offer }
}

function judge(
  scene: EventContext,
  before: string | null,
  paidAt: number,
  amount: number,
): Qualification {
  const reasons: string[] = []
  for (const offer of offersOf(scene, before)) {
    const obstacle = obstacleTo(offer, paidAt, amount)
    if (obstacle === null) return { offer }
    reasons.push(`the offer ${offer.id} ${obstacle}`)
  }
  return { offer: null, reason: reasons[0] ?? 'its program has no offer' }
}

/** The program's offers: the one it qualified for before, those that hooks request, then the rest. */
function offersOf(
  { objects, mode, program, offerIds }: EventContext,
  before: string | null,
): Offer[] {
  const wanted = [...(before === null ? [] : [before]), ...offerIds]
  const rank = ({ id }: Offer) => (wanted.includes(id) ? wanted.indexOf(id) : wanted.length)
  return objects
    .all('offer', mode)
    .filter(({ programId }) => programId === program.id)
    .sort((left, right) => rank(left) - rank(right))
}

function obstacleTo(
  { startsAt, endsAt, minimumAmount }: Offer,
  paidAt: number,
  amount: number,
): string | null {
  if (paidAt < Date.parse(startsAt)) return `starts at ${startsAt}`
  if (endsAt !== null && paidAt > Date.parse(endsAt)) return `ended at ${endsAt}`
  if (amount < minimumAmount) return `requires an amount of at least ${minimumAmount}`
  return null
}

/** The payload's offer fields: cashback and fee as parts of the amount; negative for a refund. */
function qualificationFor(
  scene: EventContext,
  offer: Offer,
  { amount, currency }: Transaction,
): OfferQualification {
  const part = (rate: number) =>
    Number.isFinite(amount * rate) ? roundAmount(amount * rate, currency) : 0
  return {
    qualified: true,
    id: offer.id,
    message: [],
    qualificationDate: iso(scene.now),
    cashback: part(offer.cashbackRate),
    performanceFee: part(offer.feeRate),
  }
}

// Creates a purchase: who paid how much, where, and what the card scheme knows about it (section 2.6).

/**
 * A purchase in the program, paid `before` milliseconds ago, at a location where the card's scheme has `needs` enabled. Offers are
 * decided elsewhere. Throws `INVALID_INPUT` if no card and location match.
 */
function newPurchase(scene: EventContext, before: number, needs: 'auth' | 'clearing'): Payment {
  const random = createRandom(scene.seed, 'transaction')
  const id = random.uuid()
  const { card, location, scheme } = pickPlace(scene, random, needs)
  const brand = scene.objects.find('brand', location.brandId, scene.mode)
  if (brand === undefined) throw new Error(`The location ${location.id} has no brand.`)
  const time = scene.now - before
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
  return { id, transaction, offerId: null, clearsAt: null }
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
function pickPlace(scene: EventContext, random: Random, needs: 'auth' | 'clearing'): Payer {
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
      'SANDBOX_STATE',
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

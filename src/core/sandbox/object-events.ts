/** Simulates events of brands, cards, programs and locations. */
import { AppError } from '../../shared/contract/errors.ts'
import type { ShownEventType } from '../../shared/service/event-type.ts'
import { schemes, type Program } from '../../shared/service/resources.ts'
import type { EventContext, SimulatedEvent, Emission } from './event-context.ts'
import { setPathsKeepingObjects } from './payload-paths.ts'
import type { RecordKind, RecordOf } from './records.ts'
import { makeBrand, iso, makeCard, type ObjectSeed, makeLocation } from './world.ts'
import { createRandom } from './random.ts'

/** Simulates a consent, in live mode by the brand's user. */
export function simulateBrandConsent(context: EventContext): SimulatedEvent {
  const current =
    context.of === undefined
      ? makeBrand(context, 'new brand')
      : requireRecord(context, 'brand', context.of)
  const brand = setPathsKeepingObjects(
    { ...current, consent: true, updated: iso(context.now) },
    context.set,
  )
  return {
    objects: { account: brand.accountId, brand: brand.id },
    emissions: [emissionOf('brand.consent', withoutMetadata(brand), null)],
    changes: [{ kind: 'brand', data: brand }],
  }
}

export function simulateCardLinked(context: EventContext): SimulatedEvent {
  const current =
    context.of === undefined
      ? makeCard(context, 'new card', context.program.id)
      : requireRecord(context, 'card', context.of)
  const card = setPathsKeepingObjects(current, context.set)
  return {
    objects: { account: card.accountId, program: card.programId, card: card.id },
    emissions: [emissionOf('card.linked', withoutMetadata(card), card.programId)],
    changes: [{ kind: 'card', data: card }],
  }
}

const failureReasons = [
  "The card number isn't eligible for card linking.",
  'The card scheme declined the enrollment.',
  'The card has expired.',
  'The card is already linked in this program.',
]

/** Simulates a card that couldn't be linked and isn't stored. */
export function simulateCardFailed(context: EventContext): SimulatedEvent {
  const card = makeCard(context, 'new card', context.program.id)
  const message = createRandom(context.seed, 'reason').pick(failureReasons)
  const payload = setPathsKeepingObjects({ card, event: 'card.failed', message }, context.set)
  return {
    objects: { account: card.accountId, program: card.programId, card: payload.card.id },
    emissions: [emissionOf('card.failed', payload, card.programId)],
    changes: [],
  }
}

/** Simulates a location sync (live mode only). */
export function simulateProgramStatus(context: EventContext): SimulatedEvent {
  if (context.mode === 'test') {
    throw new AppError(
      'INVALID_INPUT',
      "program.status is sent in live mode only: test mode doesn't sync locations (spec 6.2). Trigger it in the environment sandbox-live.",
    )
  }
  const current =
    context.of === undefined ? context.program : requireRecord(context, 'program', context.of)
  const program = setPathsKeepingObjects(withSyncStats(context, current), context.set)
  return {
    objects: { account: program.accountId, program: program.id },
    emissions: [emissionOf('program.status', program, program.id)],
    changes: [{ kind: 'program', data: program }],
  }
}

/**
 * Simulates one report per scheme. Only live mode has failures (`status=location.failed`) and
 * single schemes (`scheme=visa`).
 */
export function simulateLocationStatus(context: EventContext): SimulatedEvent {
  const { scheme: onlyScheme, status, ...rest } = context.set
  if (context.mode === 'test' && (onlyScheme !== undefined || status !== undefined)) {
    throw new AppError(
      'INVALID_INPUT',
      'In test mode each location is reported three times, once per scheme, always as location.active (spec 6.2). For single schemes and failures use the environment sandbox-live.',
    )
  }
  // A failed sync turns auths and clearings off (section 6.2).
  const result =
    status === 'location.failed'
      ? { status: 'inactive', auth: false, clearing: false }
      : { status: 'active', auth: true, clearing: true, estimatedActivationDate: null }
  const current =
    context.of === undefined
      ? newLocation(context).location
      : requireRecord(context, 'location', context.of)
  const reported = schemes.filter((scheme) => onlyScheme === undefined || onlyScheme === scheme)
  if (reported.length === 0) {
    throw new AppError('INVALID_INPUT', `\`scheme\` must be one of ${schemes.join(', ')}.`)
  }
  const synced = reported.reduce(
    (at, scheme) => ({ ...at, [scheme]: { ...at[scheme], ...result } }),
    { ...current, updated: iso(context.now) },
  )
  const { location } = setPathsKeepingObjects(
    { location: synced },
    setFieldsOf('location', context),
  )
  const emissions = reported.map((scheme) => {
    const payload = setPathsKeepingObjects(
      { location: withoutMetadata(location), scheme, status: status ?? 'location.active' },
      rest,
    )
    return emissionOf('location.status', payload, location.programId)
  })
  // An updated location triggers its program's status in live mode (section 6.2).
  const program =
    context.mode === 'live'
      ? context.records.find('program', location.programId, context.mode)
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
        : [emissionOf('program.status', withSyncStats(context, program), program.id)]),
    ],
    changes: [{ kind: 'location', data: location }],
  }
}

function withSyncStats(context: EventContext, program: Program): Program {
  const now = iso(context.now)
  const locations = context.records
    .all('location', context.mode)
    .filter(({ programId }) => programId === program.id).length
  return { ...program, updated: now, syncStats: { ...program.syncStats, locations, created: now } }
}

/** Makes a location with the brand of the program's other locations, or a new one. */
export function newLocation(context: ObjectSeed & Pick<EventContext, 'records' | 'program'>) {
  const brandOfOthers = context.records
    .all('location', context.mode)
    .filter(({ programId }) => programId === context.program.id)
    .map(({ brandId }) => context.records.find('brand', brandId, context.mode))
    .find((each) => each !== undefined)
  const brand = brandOfOthers ?? makeBrand(context, 'new brand')
  return { brand, location: makeLocation(context, 'new location', brand, context.program.id) }
}

const isWithin = (object: string, path: string) => path === object || path.startsWith(`${object}.`)

/** Returns the entries of `set` for an object and its fields. */
export function setFieldsOf(object: string, { set }: Pick<EventContext, 'set'>) {
  return Object.fromEntries(Object.entries(set).filter(([path]) => isWithin(object, path)))
}

/** Returns the entries of `set` except those for an object and its fields. */
export function setFieldsBeyond(object: string, { set }: Pick<EventContext, 'set'>) {
  return Object.fromEntries(Object.entries(set).filter(([path]) => !isWithin(object, path)))
}

function withoutMetadata<T extends object>(
  record: T & { metadata?: unknown },
): Omit<T, 'metadata'> {
  const { metadata: _, ...resource } = record
  return resource
}

function emissionOf(event: ShownEventType, payload: object, programId: string | null): Emission {
  return { event, payload: { ...payload }, programId, offerId: null }
}

function requireRecord<K extends RecordKind>(
  context: EventContext,
  kind: K,
  id: string,
): RecordOf<K> {
  const record = context.records.find(kind, id, context.mode)
  if (record !== undefined) return record
  throw new AppError(
    'NOT_FOUND',
    `${kind} ${id} not found in ${context.environment}. Test and live mode have separate objects.`,
  )
}

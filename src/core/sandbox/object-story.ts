/** The events of brands, cards, locations and programs (sections 6.1 and 6.2). */
import { AppError } from '../../shared/contract/errors.ts'
import type { ShownEventType } from '../../shared/service/event-type.ts'
import {
  type Location,
  schemes,
  type Scheme,
  type Program,
} from '../../shared/service/resources.ts'
import { setPathsWithin } from './payload-edit.ts'
import { createRandom } from './random.ts'
import type { Emission, Scene, Story } from './scene.ts'
import { iso, makeBrand, makeCard, makeLocation, type RecordKind, type RecordOf } from './world.ts'
import type { Fault } from '../../shared/model/sandbox.ts'
import { authStory, clearingFirstStory, clearingStory, refundStory } from './transaction-story.ts'

/** In test mode a brand consents as soon as it exists, in live mode when its user approves. The event is the same. */
function brandConsentStory(scene: Scene): Story {
  const known =
    scene.of === undefined ? makeBrand(scene.making, 'new brand') : named(scene, 'brand', scene.of)
  const brand = setPathsWithin(
    { ...known, consent: true, updated: iso(scene.making.now) },
    scene.set,
  )
  return {
    objects: { account: brand.accountId, brand: brand.id },
    emissions: [emission('brand.consent', withoutMetadata(brand), null)],
    changes: [{ kind: 'brand', data: brand }],
  }
}

function cardLinkedStory(scene: Scene): Story {
  const known =
    scene.of === undefined
      ? makeCard(scene.making, 'new card', scene.program.id)
      : named(scene, 'card', scene.of)
  const card = setPathsWithin(known, scene.set)
  return {
    objects: { account: card.accountId, program: card.programId, card: card.id },
    emissions: [emission('card.linked', withoutMetadata(card), card.programId)],
    changes: [{ kind: 'card', data: card }],
  }
}

const reasons = [
  "The card number isn't eligible for card linking.",
  'The card scheme declined the enrollment.',
  'The card has expired.',
  'The card is already linked in this program.',
]

/** A card that couldn't be linked is reported, but not stored. */
function cardFailedStory(scene: Scene): Story {
  const card = makeCard(scene.making, 'new card', scene.program.id)
  const message = createRandom(scene.making.seed, 'reason').pick(reasons)
  const payload = setPathsWithin({ card, event: 'card.failed', message }, scene.set)
  return {
    objects: { account: card.accountId, program: card.programId, card: payload.card.id },
    emissions: [emission('card.failed', payload, card.programId)],
    changes: [],
  }
}

/** Live only: test mode has no location syncing. */
function programStatusStory(scene: Scene): Story {
  if (scene.mode === 'test') {
    throw new AppError(
      'INVALID_INPUT',
      "program.status is sent in live mode only: test mode doesn't sync locations (spec 6.2). Trigger it in the environment sandbox-live.",
    )
  }
  const known = scene.of === undefined ? scene.program : named(scene, 'program', scene.of)
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
function locationStatusStory(scene: Scene): Story {
  const { scheme: onlyScheme, status, ...rest } = scene.set
  if (scene.mode === 'test' && (onlyScheme !== undefined || status !== undefined)) {
    throw new AppError(
      'INVALID_INPUT',
      'In test mode each location is reported three times, once per scheme, always as location.active (spec 6.2). For single schemes and failures use the environment sandbox-live.',
    )
  }
  const failed = status === 'location.failed'
  const known = scene.of === undefined ? newLocation(scene) : named(scene, 'location', scene.of)
  const reported = schemes.filter((scheme) => onlyScheme === undefined || onlyScheme === scheme)
  if (reported.length === 0) {
    throw new AppError('INVALID_INPUT', `\`scheme\` must be one of ${schemes.join(', ')}.`)
  }
  const updated = { ...known, updated: iso(scene.making.now) }
  const synced = reported.reduce((at, scheme) => withSyncResult(at, scheme, !failed), updated)
  const { location } = setPathsWithin({ location: synced }, fieldsUnder('location', rest))
  const emissions = reported.map((scheme) => {
    const payload = setPathsWithin(
      { location: withoutMetadata(location), scheme, status: status ?? 'location.active' },
      rest,
    )
    return emission('location.status', payload, location.programId)
  })
  return {
    objects: {
      account: location.accountId,
      program: location.programId,
      brand: location.brandId,
      location: location.id,
    },
    emissions: [...emissions, ...programUpdate(scene, location.programId)],
    changes: [{ kind: 'location', data: location }],
  }
}

/** An updated location triggers its program's status, in live mode only (section 6.2). */
function programUpdate(scene: Scene, programId: string): Emission[] {
  const program =
    scene.mode === 'live' ? scene.objects.find('program', programId, scene.mode) : undefined
  return program === undefined
    ? []
    : [emission('program.status', syncing(scene, program), program.id)]
}

/** The program as its sync progresses. */
function syncing(scene: Scene, program: Program): Program {
  const now = iso(scene.making.now)
  const locations = scene.objects
    .all('location', scene.mode)
    .filter(({ programId }) => programId === program.id).length
  return { ...program, updated: now, syncStats: { ...program.syncStats, locations, created: now } }
}

function newLocation(scene: Scene): Location {
  const known = scene.objects
    .all('location', scene.mode)
    .filter(({ programId }) => programId === scene.program.id)
  const brand = known
    .map(({ brandId }) => scene.objects.find('brand', brandId, scene.mode))
    .find((each) => each !== undefined)
  return makeLocation(
    scene.making,
    'new location',
    brand ?? makeBrand(scene.making, 'new brand'),
    scene.program.id,
  )
}

/** A successful sync turns auths and clearings on for the scheme; a failed one turns both off (section 6.2). */
function withSyncResult<T extends Location>(location: T, scheme: Scheme, succeeded: boolean): T {
  const result = succeeded
    ? { status: 'active', auth: true, clearing: true, estimatedActivationDate: null }
    : { status: 'inactive', auth: false, clearing: false }
  return { ...location, [scheme]: { ...location[scheme], ...result } }
}

/** The paths and values of a field and everything in it. */
function fieldsUnder(
  field: string,
  set: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(set).filter(([path]) => path === field || path.startsWith(`${field}.`)),
  )
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

function named<K extends RecordKind>(scene: Scene, kind: K, id: string): RecordOf<K> {
  const found = scene.objects.find(kind, id, scene.mode)
  if (found !== undefined) return found
  throw new AppError(
    'NOT_FOUND',
    `${kind} ${id} not found in ${scene.environment}. Test and live mode have separate objects.`,
  )
}

// Maps an event's name to everything it triggers (section 6.2): the objects it is about and the other events the service sends.

export function tellStory(event: ShownEventType, scene: Scene, fault: Fault | null): Story {
  if (fault === 'out-of-order') return outOfOrder(event, scene)
  switch (event) {
    case 'brand.consent':
      return brandConsentStory(scene)
    case 'card.linked':
      return cardLinkedStory(scene)
    case 'card.failed':
      return cardFailedStory(scene)
    case 'program.status':
      return programStatusStory(scene)
    case 'location.status':
      return locationStatusStory(scene)
    case 'transaction.auth':
    case 'transaction.auth.qualified':
      return authStory(scene, event.endsWith('.qualified'))
    case 'transaction.clearing':
    case 'transaction.clearing.qualified':
      return clearingStory(scene, event.endsWith('.qualified'))
    case 'transaction.refund':
    case 'transaction.refund.qualified':
      return refundStory(scene, event.endsWith('.qualified'))
  }
}

/** The events of one story in the wrong order: the last one arrives first. */
function outOfOrder(event: ShownEventType, scene: Scene): Story {
  if (event.startsWith('transaction.auth') || event.startsWith('transaction.clearing')) {
    return clearingFirstStory(scene, event.endsWith('.qualified'))
  }
  const story = tellStory(event, scene, null)
  if (story.emissions.length < 2) {
    throw new AppError(
      'INVALID_INPUT',
      `${event} is a single event, so it has no order. Use a transaction or location.status.`,
    )
  }
  return { ...story, emissions: story.emissions.toReversed() }
}

/**
 * Payloads of the handler check: realistic events from the sandbox's stories, the same for the same seed. All ids share an
 * eight-character prefix, so you can find and delete the objects your handler stored.
 */
import type { Mode } from '../../shared/model/delivery.ts'
import { isTransactionEvent, type ShownEventType } from '../../shared/service/event-type.ts'
import { ensureProgram, type Making, loadObjects, memoryStorage } from '../sandbox/world.ts'
import type { Emission } from '../sandbox/scene.ts'
import { tellStory } from '../sandbox/object-story.ts'

/** Prefix of every object id in a check. */
export const MARKED_ID = 'c4ec0000'

type Payload = Readonly<Record<string, unknown>>

export type Payloads = Awaited<ReturnType<typeof makePayloads>>

export interface PayloadsInput {
  readonly seed: number
  /** Milliseconds since the epoch. */
  readonly now: number
  /** Events the endpoint receives; at least one. */
  readonly events: readonly ShownEventType[]
}

const UUID = /"[0-9a-f]{8}(-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")/g

/**
 * The payload in ASCII. Only the cases for other letters contain them, so a handler that can't read them fails only those cases,
 * whatever the seed.
 */
function inPlainLetters(payload: Payload): Payload {
  const text = JSON.stringify(payload).replaceAll('ß', 'ss').replaceAll('\u2019', "'")
  return JSON.parse(text.normalize('NFD').replace(/\p{M}/gu, '')) as Payload
}

/** The payload's JSON text with marked ids. */
function write(payload: Payload): string {
  return JSON.stringify(payload).replace(UUID, `"${MARKED_ID}$1`)
}

/** The objects a story needs, created once per mode. */
async function prepareMode(seed: number, now: number, mode: Mode) {
  const silent = { info: () => undefined, warn: () => undefined, bug: () => '' }
  const objects = await loadObjects(memoryStorage(), silent)
  const program = await ensureProgram(objects, mode, now)
  const scene = (more: string, of?: string) => {
    const making: Making = { seed: `${seed} ${more}`, mode, now }
    return {
      mode,
      environment: `sandbox-${mode}`,
      objects,
      program,
      making,
      seeded: true,
      of,
      offerIds: [],
      set: {},
    }
  }
  // The purchase of the matched refund, cleared some days ago.
  const { changes } = tellStory('transaction.clearing', scene('purchase'), null)
  for (const change of changes) await objects.put(change.kind, mode, change.data)
  const purchase = objects.all('payment', mode)[0]?.id
  return (event: ShownEventType, more: string): readonly Emission[] =>
    tellStory(
      event,
      event.startsWith('transaction.refund') ? scene(more, purchase) : scene(more),
      null,
    ).emissions
}

/** The event to send if any will do: a transaction if possible, and a live-only event only as a last resort. */
function baseOf(events: readonly ShownEventType[]): ShownEventType {
  const inTest = events.filter((event) => event !== 'program.status')
  return inTest.find(isTransactionEvent) ?? inTest[0] ?? events[0] ?? 'transaction.auth'
}

export async function makePayloads({ seed, now, events }: PayloadsInput) {
  const tell = {
    test: await prepareMode(seed, now, 'test'),
    live: await prepareMode(seed, now, 'live'),
  }
  const payloadsOf = (event: ShownEventType, more: string) =>
    // program.status is never sent in test mode (section 6.2).
    tell[event === 'program.status' ? 'live' : 'test'](event, more)
      .filter((emission) => emission.event === event)
      .map(({ payload }) => inPlainLetters(payload))
  const one = (event: ShownEventType, more: string): Payload => {
    const [payload] = payloadsOf(event, more)
    if (payload === undefined) throw new Error(`No sandbox story sends ${event}.`)
    return payload
  }
  const base = baseOf(events)
  return {
    /** The event to send if any will do: a transaction if the endpoint receives them. */
    base,
    /** The transaction to send if any will do. */
    transaction: base,
    /**
     * A valid event as the JSON text the service would send. Each `more` gives it other ids: a handler may reject an id that it has
     * seen, so requests share one only where repeating is the case.
     */
    of: (event: ShownEventType, more = '') => write(one(event, `${event} ${more}`)),
    /** The same, changed before it is serialized. */
    changed: (event: ShownEventType, more: string, change: (payload: Payload) => Payload) =>
      write(change(one(event, `${event} ${more}`))),
    /** All events of this kind from one story, such as three for a location. */
    all: (event: ShownEventType): readonly string[] => payloadsOf(event, event).map(write),
  }
}

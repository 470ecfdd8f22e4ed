/**
 * The payloads that the handler check sends: believable events of the sandbox's stories, the same for the same seed. Every id
 * begins with the same eight characters, so that what an endpoint keeps of them can be found and removed.
 */
import type { Mode } from '../../shared/model/delivery.ts'
import { isTransactionEvent, type ShownEventType } from '../../shared/service/event-type.ts'
import { loadObjects, memoryStorage } from '../sandbox/objects.ts'
import { ensureProgram, type Making } from '../sandbox/world.ts'
import type { Emission } from '../sandbox/scene.ts'
import { tellStory } from '../sandbox/story-of-event.ts'

/** What the ids of all objects of a check begin with. */
export const MARKED_ID = 'c4ec0000'

type Payload = Readonly<Record<string, unknown>>

export interface Payloads {
  /** A genuine event of that kind, as the JSON text that the service would send; `more` tells events of one kind apart. */
  of(event: ShownEventType, more?: string): string
  /** The same, changed before it is written. */
  changed(event: ShownEventType, change: (payload: Payload) => Payload): string
  /** All events of a kind that one story makes the service send (three of a location, a refund with its clearing). */
  all(event: ShownEventType): readonly string[]
  /** The event that is sent where any will do: one that the endpoint is for, a transaction where it is for some. */
  readonly base: ShownEventType
}

export interface PayloadsInput {
  readonly seed: number
  /** Milliseconds since the epoch. */
  readonly now: number
  /** What the endpoint is for; at least one. */
  readonly events: readonly ShownEventType[]
}

const UUID = /"[0-9a-f]{8}(-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")/g

/**
 * The payload in letters of ASCII. Only the cases that are about other letters have them, so that a handler that stumbles over
 * these fails those cases and no others, whatever the seed.
 */
function inPlainLetters(payload: Payload): Payload {
  const text = JSON.stringify(payload).replaceAll('ß', 'ss').replaceAll('\u2019', "'")
  return JSON.parse(text.normalize('NFD').replace(/\p{M}/gu, '')) as Payload
}

/** The JSON text of a payload, its ids marked. */
function write(payload: Payload): string {
  return JSON.stringify(payload).replace(UUID, `"${MARKED_ID}$1`)
}

/** What a story needs of the world, made for each mode once. */
async function prepareMode(seed: number, now: number, mode: Mode) {
  const silent = { info: () => undefined, warn: () => undefined, bug: () => '' }
  const objects = await loadObjects(memoryStorage(), silent)
  const program = await ensureProgram(objects, mode, now)
  const scene = (more: string, of?: string) => {
    const making: Making = { seed: `${seed} ${more}`, mode, now }
    return { mode, environment: `sandbox-${mode}`, objects, program, making, seeded: true, of, offerIds: [], set: {} }
  }
  // The purchase that the matched refund belongs to: cleared, some days ago.
  const { changes } = tellStory('transaction.clearing', scene('purchase'), null)
  for (const change of changes) await objects.put(change.kind, mode, change.data)
  const purchase = objects.all('payment', mode)[0]?.id
  return (event: ShownEventType, more: string): readonly Emission[] =>
    tellStory(event, event.startsWith('transaction.refund') ? scene(more, purchase) : scene(more), null).emissions
}

/** What is sent where any event will do: a transaction where the endpoint is for some, and what is live only where nothing else is left. */
function baseOf(events: readonly ShownEventType[]): ShownEventType {
  const inTest = events.filter((event) => event !== 'program.status')
  return inTest.find(isTransactionEvent) ?? inTest[0] ?? events[0] ?? 'transaction.auth'
}

export async function makePayloads({ seed, now, events }: PayloadsInput): Promise<Payloads> {
  const tell = { test: await prepareMode(seed, now, 'test'), live: await prepareMode(seed, now, 'live') }
  const payloadsOf = (event: ShownEventType, more: string) =>
    // program.status is never sent in test (section 6.2).
    tell[event === 'program.status' ? 'live' : 'test'](event, more)
      .filter((emission) => emission.event === event)
      .map(({ payload }) => inPlainLetters(payload))
  const one = (event: ShownEventType, more: string): Payload => {
    const [payload] = payloadsOf(event, more)
    if (payload === undefined) throw new Error(`No sandbox story sends ${event}.`)
    return payload
  }
  return {
    base: baseOf(events),
    of: (event, more = '') => write(one(event, `${event} ${more}`)),
    changed: (event, change) => write(change(one(event, `${event} changed`))),
    all: (event) => payloadsOf(event, event).map(write),
  }
}

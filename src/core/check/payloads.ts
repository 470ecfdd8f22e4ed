/**
 * The payloads of the handler check: realistic events from the sandbox's stories, the same for the
 * same seed. All ids share an eight-character prefix, so you can find and delete the objects your
 * handler stored.
 */
import { AppError } from '../../shared/contract/errors.ts'
import { missingLiteral, withLiteral, type Literals } from '../../shared/body/json-literals.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import { isTransactionEvent, type ShownEventType } from '../../shared/service/event-type.ts'
import { checkPayload } from '../../shared/service/payload.ts'
import { simulateEvent } from '../sandbox/events.ts'
import { loadObjects, memoryStorage } from '../sandbox/records.ts'
import type { Emission } from '../sandbox/event-context.ts'
import { createRandom, ensureProgram } from '../sandbox/world.ts'

/** Prefix of every object id in a check. */
export const MARKED_ID = 'c4ec0000'

export type CheckPayload = Readonly<Record<string, unknown>>

const UUID = /"[0-9a-f]{8}(-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")/g

/**
 * The payload in ASCII. Only the cases for other letters contain them, so a handler that can't read
 * them fails only those cases, whatever the seed.
 */
function inPlainLetters(payload: CheckPayload): CheckPayload {
  const text = JSON.stringify(payload).replaceAll('ß', 'ss').replaceAll('\u2019', "'")
  return JSON.parse(text.normalize('NFD').replace(/\p{M}/gu, '')) as CheckPayload
}

const marked = (id: string): string => `${MARKED_ID}${id.slice(MARKED_ID.length)}`

/** The payload's JSON text with marked ids. */
function write(payload: CheckPayload): string {
  return JSON.stringify(payload).replace(UUID, `"${MARKED_ID}$1`)
}

/** The message id, which attempts with the same body share. */
export const messageIdOf = (body: string) => /"id":"([^"]+)"/.exec(body)?.[1] ?? MARKED_ID

/** The objects a story needs, created once per mode. */
async function prepareMode(seed: number, now: number, mode: Mode) {
  const objects = await loadObjects(memoryStorage(), { warn: () => undefined })
  const program = await ensureProgram(objects, mode, now)
  const scene = (more: string, of?: string) => ({
    seed: `${seed} ${more}`,
    mode,
    now,
    environment: `sandbox-${mode}`,
    objects,
    program,
    seeded: true,
    of,
    offerIds: [],
    set: {},
  })
  // The purchase of the matched refund, cleared some days ago.
  const { changes } = simulateEvent('transaction.clearing', scene('purchase'), null)
  for (const change of changes) await objects.put(change.kind, mode, change.data)
  const purchase = objects.all('payment', mode)[0]?.id
  return (event: ShownEventType, more: string): readonly Emission[] =>
    simulateEvent(
      event,
      scene(more, event.startsWith('transaction.refund') ? purchase : undefined),
      null,
    ).emissions
}

/**
 * The event to send if any will do: a transaction if possible, and a live-only event only as a last
 * resort.
 */
function baseOf(events: readonly ShownEventType[]): ShownEventType {
  const inTest = events.filter((event) => event !== 'program.status')
  return inTest.find(isTransactionEvent) ?? inTest[0] ?? events[0] ?? 'transaction.auth'
}

/** Sets those fields that the payload has. */
export const withLiterals = (text: string, literals: Literals): string =>
  Object.entries(literals).reduce(
    (made, [path, literal]) =>
      missingLiteral(made, path) === null ? (withLiteral(made, path, literal) ?? made) : made,
    text,
  )

interface PayloadOptions {
  readonly seed: number
  /** In milliseconds since the epoch. */
  readonly now: number
  /** Events that the endpoint receives, at least one. */
  readonly events: readonly ShownEventType[]
  /** Values for the fields that an event has, by path. */
  readonly literals?: Literals
}

export type Payloads = Awaited<ReturnType<typeof makePayloads>>

/** Prepares the payloads of a check, the same for the same seed and time. */
export async function makePayloads({ seed, now, events, literals = {} }: PayloadOptions) {
  const tell = {
    test: await prepareMode(seed, now, 'test'),
    live: await prepareMode(seed, now, 'live'),
  }
  const payloadsOf = (event: ShownEventType, more: string) =>
    // program.status is never sent in test mode (section 6.2).
    tell[event === 'program.status' ? 'live' : 'test'](event, more)
      .filter((emission) => emission.event === event)
      .map(({ payload }) => inPlainLetters(payload))
  const base = baseOf(events)
  /** The event of each payload made so far, by its id. */
  const eventsById = new Map<string, ShownEventType>()
  function finish(event: ShownEventType, id: string, text: string): string {
    eventsById.set(id, event)
    return withLiterals(text, literals)
  }
  /**
   * The payload of each event. All requests have the same one, so that a rejection tells what
   * differs.
   */
  const contents = new Map<ShownEventType, CheckPayload>()
  const of = (
    event: ShownEventType,
    more: string,
    change = (payload: CheckPayload) => payload,
  ): string => {
    const content = contents.get(event) ?? payloadsOf(event, event)[0]
    if (content === undefined) throw new Error(`No sandbox story sends ${event}.`)
    contents.set(event, content)
    const id = createRandom(`${seed} ${event} ${more}`).uuid()
    const own = JSON.stringify(content).replace(/"id":"[^"]*"/, `"id":"${id}"`)
    return finish(event, marked(id), write(change(JSON.parse(own) as CheckPayload)))
  }
  return {
    /** The event to send if any will do: a transaction if the endpoint receives them. */
    base,
    /** The transaction to send if any will do. */
    transaction: base,
    /**
     * A valid event as the JSON text the service would send, changed before it is serialized. Each
     * `more` gives it another id: a handler may reject one that it has seen, so requests share one
     * only where repeating is the case.
     */
    of,
    /** All events of this kind from one story, such as three for a location. */
    all: (event: ShownEventType): readonly string[] =>
      payloadsOf(event, event).map((payload) => {
        const text = write(payload)
        return finish(event, messageIdOf(text), text)
      }),
    /** Makes payloads of the same event: enough that no value of a list is in all of them. */
    samples: (event: ShownEventType): readonly CheckPayload[] =>
      Array.from({ length: 12 }, (_, place) =>
        payloadsOf(event, `${event} sample ${place + 1}`),
      ).flat(),
    /** The event of a payload made here, also a changed one that has its id still. */
    eventOf: (body: string): ShownEventType =>
      [...body.matchAll(/"id":\s*"([^"]+)"/g)]
        .map(([, id = '']) => eventsById.get(id))
        .find((event) => event !== undefined) ?? base,
    /**
     * Throws `INVALID_INPUT` for a path that no event's payload has, and for values that break a
     * payload.
     */
    checkLiterals(): void {
      for (const path of Object.keys(literals)) {
        const problems = [base, ...events].map((event) => missingLiteral(of(event, 'paths'), path))
        if (!problems.includes(null))
          throw new AppError('INVALID_INPUT', problems[0] ?? `No event has the field ${path}.`)
      }
      for (const event of Object.keys(literals).length > 0 ? events : []) {
        const { outcome, failures } = checkPayload(event, of(event, 'schema'))
        if (outcome === 'issues')
          throw new AppError(
            'INVALID_INPUT',
            `These values make ${event} invalid: ${failures[0]?.message ?? ''} Change --set.`,
          )
      }
    },
  }
}

/**
 * Makes the payloads of the handler check, the same for the same seed. All ids share a prefix, for
 * cleaning up after a check.
 */
import { AppError } from '../../shared/contract/errors.ts'
import { missingLiteral, withLiteral, type Literals } from '../../shared/body/json-literals.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import { isTransactionEvent, type ShownEventType } from '../../shared/service/event-type.ts'
import { checkPayload } from '../../shared/service/payload.ts'
import { simulateEvent } from '../sandbox/events.ts'
import { loadRecords, memoryStorage } from '../sandbox/records.ts'
import type { Emission } from '../sandbox/event-context.ts'
import { ensureProgram } from '../sandbox/programs.ts'
import { createRandom } from '../sandbox/random.ts'

const MARKED_ID = 'c4ec0000'

export type CheckPayload = Readonly<Record<string, unknown>>

const UUID = /"[0-9a-f]{8}(-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")/g

/** Returns a payload in ASCII; other letters are the subject of separate cases. */
function inAscii(payload: CheckPayload): CheckPayload {
  const text = JSON.stringify(payload).replaceAll('ß', 'ss').replaceAll('\u2019', "'")
  return JSON.parse(text.normalize('NFD').replace(/\p{M}/gu, '')) as CheckPayload
}

const withMarkedPrefix = (id: string): string => `${MARKED_ID}${id.slice(MARKED_ID.length)}`

function writeWithMarkedIds(payload: CheckPayload): string {
  return JSON.stringify(payload).replace(UUID, `"${MARKED_ID}$1`)
}

/** Returns the payload's id as the message id, so that all attempts of one body share it. */
export const messageIdOf = (body: string) => /"id":"([^"]+)"/.exec(body)?.[1] ?? MARKED_ID

/** Creates the objects that events need, once per mode. */
async function prepareMode(seed: number, now: number, mode: Mode) {
  const records = await loadRecords(memoryStorage(), { warn: () => undefined })
  const program = await ensureProgram(records, mode, now)
  const contextOf = (purpose: string, about?: string) => ({
    seed: `${seed} ${purpose}`,
    mode,
    now,
    environment: `sandbox-${mode}`,
    records,
    program,
    seeded: true,
    of: about,
    offerIds: [],
    set: {},
  })
  // Creates the purchase that the refund events refer to.
  const { changes } = simulateEvent('transaction.clearing', contextOf('purchase'), null)
  for (const change of changes) await records.put(change.kind, mode, change.data)
  const purchase = records.all('payment', mode)[0]?.id
  return (event: ShownEventType, purpose: string): readonly Emission[] =>
    simulateEvent(
      event,
      contextOf(purpose, event.startsWith('transaction.refund') ? purchase : undefined),
      null,
    ).emissions
}

/** Returns the event to send if any will do, if possible a transaction. */
function baseOf(events: readonly ShownEventType[]): ShownEventType {
  const inTest = events.filter((event) => event !== 'program.status')
  return inTest.find(isTransactionEvent) ?? inTest[0] ?? events[0] ?? 'transaction.auth'
}

/** Sets the fields that the payload has. */
export const withLiterals = (text: string, literals: Literals): string =>
  Object.entries(literals).reduce(
    (body, [path, literal]) =>
      missingLiteral(body, path) === null ? (withLiteral(body, path, literal) ?? body) : body,
    text,
  )

interface PayloadOptions {
  readonly seed: number
  /** In milliseconds since the epoch. */
  readonly now: number
  readonly events: readonly ShownEventType[]
  /** Values of fields by path, if an event has them. */
  readonly literals?: Literals
}

export type Payloads = Awaited<ReturnType<typeof makePayloads>>

export async function makePayloads({ seed, now, events, literals = {} }: PayloadOptions) {
  const simulate = {
    test: await prepareMode(seed, now, 'test'),
    live: await prepareMode(seed, now, 'live'),
  }
  const payloadsOf = (event: ShownEventType, purpose: string) =>
    // program.status is never sent in test mode (section 6.2).
    simulate[event === 'program.status' ? 'live' : 'test'](event, purpose)
      .filter((emission) => emission.event === event)
      .map(({ payload }) => inAscii(payload))
  const base = baseOf(events)
  /** Events of the payloads made so far, by payload id. */
  const eventsById = new Map<string, ShownEventType>()
  function finish(event: ShownEventType, id: string, text: string): string {
    eventsById.set(id, event)
    return withLiterals(text, literals)
  }
  /** Content by event: payloads of one event differ only in what a case changes. */
  const contents = new Map<ShownEventType, CheckPayload>()
  const of = (
    event: ShownEventType,
    purpose: string,
    change = (payload: CheckPayload) => payload,
  ): string => {
    const content = contents.get(event) ?? payloadsOf(event, event)[0]
    if (content === undefined) throw new Error(`The sandbox sends no ${event}.`)
    contents.set(event, content)
    const id = createRandom(`${seed} ${event} ${purpose}`).uuid()
    const body = JSON.stringify(content).replace(/"id":"[^"]*"/, `"id":"${id}"`)
    return finish(
      event,
      withMarkedPrefix(id),
      writeWithMarkedIds(change(JSON.parse(body) as CheckPayload)),
    )
  }
  return {
    base,
    /** Transaction to send if any will do. */
    transaction: base,
    /**
     * Returns a valid event as JSON. Each `purpose` has its own id, because handlers may reject a
     * repeated one.
     */
    of,
    /** Returns all events of one simulation, such as three for a location. */
    all: (event: ShownEventType): readonly string[] =>
      payloadsOf(event, event).map((payload) => {
        const text = writeWithMarkedIds(payload)
        return finish(event, messageIdOf(text), text)
      }),
    /** Returns payloads that differ in all listed values. */
    samples: (event: ShownEventType): readonly CheckPayload[] =>
      Array.from({ length: 12 }, (_, index) =>
        payloadsOf(event, `${event} sample ${index + 1}`),
      ).flat(),
    /** Returns the event of a payload made here, by its id. */
    eventOf: (body: string): ShownEventType =>
      [...body.matchAll(/"id":\s*"([^"]+)"/g)]
        .map(([, id = '']) => eventsById.get(id))
        .find((event) => event !== undefined) ?? base,
    /** Throws `INVALID_INPUT` for an unknown path or an invalid value. */
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

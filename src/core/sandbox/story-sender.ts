/** Sends the events of one story to the matching hooks, in order, and returns the results of the first attempts. */
import { writeWithLiterals } from '../../shared/body/json-literals.ts'
import type { Mode } from '../../shared/model/delivery.ts'
import type { Fault, Notification } from '../../shared/model/sending.ts'
import type { Ids } from '../base/deps.ts'
import { withTimeLimit } from '../base/time-limit.ts'
import { toNotification, type Deliveries } from './deliveries.ts'
import type { Objects } from './objects.ts'
import type { HookRecord, NotificationRecord } from './records.ts'
import type { Emission } from './scene.ts'

/** How long an event's first attempt delays the next event of the same story, in milliseconds of real time, so that they arrive in order. */
const ORDER_WAIT_MS = 1_000

/** One delivery to send: an event and its hook. */
export interface Match {
  readonly emission: Emission
  readonly hook: HookRecord
}

export async function sendStory(
  context: { readonly objects: Objects; readonly deliveries: Deliveries; readonly ids: Ids },
  matches: readonly Match[],
  mode: Mode,
  fault: Fault | null,
): Promise<Notification[]> {
  const { objects, deliveries, ids } = context
  const records = matches.map(({ emission, hook }) =>
    newNotification(ids.next(), emission, hook, fault),
  )
  for (const record of records) await objects.put('notification', mode, record)
  const made: string[] = []

  async function sendOne(record: NotificationRecord): Promise<void> {
    made.push(record.id)
    const started = deliveries.start(record, mode)
    await started.firstAttempt
    if (fault !== 'duplicate') return
    // A duplicate repeats an acknowledged delivery: it follows immediately, or when a later attempt succeeded.
    if (objects.find('notification', record.id, mode)?.state === 'acknowledged')
      await repeat(record)
    else void started.ended.then((state) => (state === 'acknowledged' ? repeat(record) : undefined))
  }

  async function repeat(record: NotificationRecord): Promise<void> {
    const copy = { ...record, id: ids.next() }
    await objects.put('notification', mode, copy)
    made.push(copy.id)
    await deliveries.start(copy, mode).firstAttempt
  }

  const firstAttempts: Promise<unknown>[] = []
  for (const emission of new Set(matches.map((match) => match.emission))) {
    const first = Promise.all(
      records.filter((_, index) => matches[index]?.emission === emission).map(sendOne),
    )
    firstAttempts.push(first)
    await withTimeLimit<unknown>(ORDER_WAIT_MS, first, () => undefined)
  }
  await Promise.all(firstAttempts)
  return made
    .flatMap((id) => objects.find('notification', id, mode) ?? [])
    .map((record) => toNotification(record, mode))
}

/** The payload as sent. */
export function bodyOf({ payload, literals = {} }: Emission): string {
  return writeWithLiterals(payload, literals)
}

function newNotification(
  id: string,
  emission: Emission,
  hook: HookRecord,
  fault: Fault | null,
): NotificationRecord {
  return {
    id,
    event: emission.event,
    hookId: hook.id,
    url: hook.url,
    body: bodyOf(emission),
    headers: { ...hook.headers },
    fault,
    attempts: [],
    state: 'pending',
    dueAt: null,
  }
}

/** The tour's calls to the core: real sandbox commands on the tour's own program, so that no other hook receives its events. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { FirstWalk } from '../../../shared/model/first-walk.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import type { Client } from '../../../shared/rpc/client.ts'

export const WALK_ENVIRONMENT = 'sandbox-test'
const PROGRAM_NAME = 'Quick tour'
const ROWS_READ = 100

/** The tour's hooks, in the order they are created. */
export const tourEvents = ['transaction.auth', 'transaction.clearing'] as const
type TourEvent = (typeof tourEvents)[number]

/** `https://127.0.0.1:4783/h/first-walk/auth`: named after the tour, so that its rows are recognizable. */
export function tourUrl(receiver: string, event: TourEvent): string {
  return `${receiver}/h/first-walk/${event.replace('transaction.', '')}`
}

/** The tour's hook for an event, if it is still registered. */
export function tourHook(
  walk: Pick<FirstWalk, 'hookIds'>,
  hooks: readonly Hook[],
  event: TourEvent,
): Hook | null {
  return (
    hooks.find(
      (hook) => walk.hookIds.includes(hook.id) && hook.event === event && hook.status === 'active',
    ) ?? null
  )
}

async function ensureProgram(client: Client, known: string | null): Promise<string> {
  const { objects } = await client.call('sandbox.objects', {
    environment: WALK_ENVIRONMENT,
    kind: 'program',
  })
  const own =
    objects.find(({ id }) => id === known) ?? objects.find(({ title }) => title === PROGRAM_NAME)
  if (own !== undefined) return own.id
  const made = await client.call('sandbox.create', {
    kind: 'program',
    environment: WALK_ENVIRONMENT,
    set: { name: PROGRAM_NAME },
  })
  return made.object.id
}

/**
 * Registers the missing hooks of the two, and updates those that point to another port. `onMade` is called for each immediately, so
 * that an error with the second doesn't repeat the first. Rejects like `hooks.add`.
 */
export async function ensureHooks(
  client: Client,
  walk: FirstWalk,
  hooks: readonly Hook[],
  receiver: string,
  onMade: (programId: string, hooks: readonly Hook[]) => Promise<void>,
): Promise<void> {
  const programId = await ensureProgram(client, walk.programId)
  const made: Hook[] = []
  for (const event of tourEvents) {
    const url = tourUrl(receiver, event)
    const known = tourHook(walk, hooks, event)
    if (known === null || known.programId !== programId) {
      made.push(
        (await client.call('hooks.add', { event, url, programId, environment: WALK_ENVIRONMENT }))
          .hook,
      )
    } else if (known.url === url) made.push(known)
    else made.push((await client.call('hooks.update', { id: known.id, url })).hook)
    await onMade(programId, made)
  }
}

/** Deliveries of the tour's hooks since it began, oldest first. */
export async function readTourRows(
  client: Client,
  { hookIds, after }: FirstWalk,
): Promise<readonly DeliveryRow[]> {
  if (hookIds.length === 0) return []
  const query = `hook:${hookIds.join(',')}`
  const { rows } = await client.call('deliveries.page', { query, to: after + 1, limit: ROWS_READ })
  return rows.toReversed()
}

/** Resolves with the problem, or with null if the receiver acknowledged. */
export async function letCardPay(client: Client, programId: string): Promise<string | null> {
  const { deliveries } = await client.call('sandbox.trigger', {
    event: 'transaction.auth',
    environment: WALK_ENVIRONMENT,
    programId,
  })
  const failed = deliveries
    .flatMap(({ attempts }) => attempts)
    .find(({ acknowledged }) => !acknowledged)
  if (failed === undefined) return null
  const reason =
    failed.error ??
    (failed.status === null ? 'No response.' : `The receiver returned ${failed.status}.`)
  return `The payment wasn't acknowledged. ${reason} The sandbox retries in a minute.`
}

/**
 * Replays the delivery with one character of its body changed after signing. Resolves after the response: with the problem, or with
 * null if it was stored.
 */
export async function sendAltered(client: Client, id: string): Promise<string | null> {
  const { job } = await client.call('replay.start', { ids: [id], tamper: 'body' })
  await untilEnded(client, job.id)
  const { sends } = await client.call('replay.sends', { jobId: job.id })
  const status = sends[0]?.status ?? null
  if (status !== null && status !== UNAVAILABLE) return null
  return `The delivery wasn't stored: ${status === null ? 'no response' : `the receiver returned ${status}`}. Try again.`
}

/** Resolves when the replay has ended. Also polls, so that a lost connection rejects it. */
async function untilEnded(client: Client, jobId: string): Promise<void> {
  let wake: () => void = () => undefined
  const stop = client.on('replay.changed', ({ job }) => {
    if (job.id === jobId) wake()
  })
  try {
    while ((await client.call('replay.get', { jobId })).job.state === 'running')
      await new Promise<void>((resolve) => {
        wake = resolve
        setTimeout(resolve, LOOK_MS)
      })
  } finally {
    stop()
  }
}

/** Polling interval for a replay without events, in milliseconds. */
const LOOK_MS = 500

/** The receiver's response to deliveries it doesn't store. */
const UNAVAILABLE = 503

/** Items that depend on the sandbox clock: the clearing of the tour's payment, and the number of others. */
interface TourWaiting {
  readonly own: { readonly transactionId: string; readonly at: string } | null
  /** The tour's latest payment, whether or not its clearing is pending. */
  readonly payment: string | null
  readonly others: number
}

export async function readWaiting(client: Client, programId: string | null): Promise<TourWaiting> {
  const [{ clearings }, { notifications }, { objects }] = await Promise.all([
    client.call('sandbox.clearings', {}),
    client.call('sandbox.notifications', { limit: 500 }),
    client.call('sandbox.objects', { environment: WALK_ENVIRONMENT, kind: 'transaction' }),
  ])
  const payments = objects.filter(({ data }) => data['programId'] === programId).map(({ id }) => id)
  const own = clearings.filter(({ transactionId }) => payments.includes(transactionId))
  const attempts = notifications.filter(({ nextAt }) => nextAt !== null).length
  return {
    own: own.at(-1) ?? null,
    payment: payments.at(-1) ?? null,
    others: clearings.length - own.length + attempts,
  }
}

/**
 * Triggers the clearing: by advancing the clock if nothing else depends on it, otherwise directly. Resolves with the milliseconds
 * advanced; null if the clock wasn't moved, or didn't show real time before.
 */
export async function leapToClearing(client: Client, programId: string): Promise<number | null> {
  const { own, payment, others } = await readWaiting(client, programId)
  if (own !== null && others === 0) {
    const before = await client.call('sandbox.clock', {})
    await client.call('sandbox.setClock', { action: 'set', time: own.at })
    const inStep =
      before.speed === 1 &&
      !before.paused &&
      Math.abs(Date.parse(before.now) - Date.now()) < IN_STEP_MS
    return inStep ? Date.parse(own.at) - Date.parse(before.now) : null
  }
  if (payment === null)
    throw new AppError(
      'NOT_FOUND',
      'The payment is no longer in the sandbox. Go back and make another.',
    )
  await client.call('sandbox.trigger', {
    event: 'transaction.clearing',
    environment: WALK_ENVIRONMENT,
    programId,
    of: payment,
  })
  return null
}

/** Clocks that differ by less than this, in milliseconds, count as equal. */
const IN_STEP_MS = 2_000

export interface Removed {
  /** Identifies the deleted deliveries for `deliveries.restore`; null if there were none. */
  readonly deletion: string | null
  readonly undoMs: number
  readonly clockReset: boolean
}

/**
 * Returns the sandbox clock that the tour advanced to real time. Resolves with false if the tour didn't advance it, or if pending
 * clearings or attempts depend on it by now.
 */
export async function setClockBack(client: Client, walk: FirstWalk): Promise<boolean> {
  if (walk.leapMs === null) return false
  const { own, others } = await readWaiting(client, walk.programId)
  if (own !== null || others > 0) return false
  await client.call('sandbox.setClock', { action: 'reset' })
  return true
}

/** Removes the tour's deliveries and hooks, and returns the sandbox clock to real time. */
export async function removeMade(
  client: Client,
  walk: FirstWalk,
  hooks: readonly Hook[],
): Promise<Removed> {
  const rows = await readTourRows(client, walk)
  const ids = rows.map(({ id }) => id)
  const { deletion, undoMs } =
    ids.length === 0
      ? { deletion: null, undoMs: UNDO_MS }
      : await client.call('deliveries.delete', { ids, pinned: true })
  for (const hook of hooks) await client.call('hooks.remove', { id: hook.id })
  return { deletion, undoMs, clockReset: await setClockBack(client, walk) }
}

/** How long removing only hooks can be undone. */
const UNDO_MS = 10_000

/** Restores what `removeMade` removed. A deleted hook stays deleted at the service, so an identical one is registered. */
export async function bringBack(
  client: Client,
  walk: FirstWalk,
  hooks: readonly Hook[],
  removed: Removed,
): Promise<readonly Hook[]> {
  if (removed.deletion !== null)
    await client.call('deliveries.restore', { deletion: removed.deletion })
  const made: Hook[] = []
  for (const { event, url, programId } of hooks) {
    const program = programId === null ? {} : { programId }
    made.push(
      (await client.call('hooks.add', { event, url, ...program, environment: WALK_ENVIRONMENT }))
        .hook,
    )
  }
  if (removed.clockReset && walk.leapMs !== null)
    await client.call('sandbox.setClock', { action: 'jump', ms: walk.leapMs })
  return made
}

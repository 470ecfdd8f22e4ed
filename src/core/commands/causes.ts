/**
 * Stores why signatures are invalid, so that lists show it: invalid deliveries are diagnosed in the
 * background, newest first, and again if hooks or secrets change. Stored keys tell which are
 * done, so that stopping loses nothing.
 */
import { hash } from 'node:crypto'
import { AppError } from '../../shared/contract/errors.ts'
import type { SignatureReport } from '../../shared/model/signature.ts'
import { createCatchUp } from '../base/async.ts'
import type { Log } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import { systemClock } from '../base/system-clock.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import { belongingTo, type RegisteredHook } from '../hooks/registry.ts'
import type { Undiagnosed } from '../store/causes.ts'
import { explainSignature } from './explain-signature.ts'
import { type SignatureServices } from './services.ts'

/** Deliveries read at once. */
const PIECE = 10
/**
 * Rest after each diagnosis, in multiples of its time, so that a flood doesn't occupy the computer.
 */
const REST = { newest: 1, older: 9 }
/** Above every seq. */
const TOP = Number.MAX_SAFE_INTEGER
const RETRY_MS = 5_000
/** Failures after which a delivery counts as unexplained, so that it doesn't block the others. */
const MOST_FAILURES = 3

/**
 * Progress of a pass from the newest to the oldest: with these keys, all up to `after`, and from
 * `before` to `newest`, are diagnosed.
 */
interface PassProgress {
  readonly keys: number
  readonly after: number
  readonly before: number
  readonly newest: number
}

interface Explained {
  readonly seq: number
  readonly cause: string | null
  /** Likeliest of several hooks; null if the delivery's hook is certain. */
  readonly hook: RegisteredHook | null
}

const startPass = (keys: number, after = 0): PassProgress => ({ keys, after, before: TOP, newest: 0 })

export function createCauses(services: SignatureServices, log: Log, hub: Pick<EventHub, 'emit'>) {
  const { store, hooks, environments, registry } = services
  let place = startPass(0)
  /** Failed diagnoses by the delivery's ID. */
  const failures = new Map<string, number>()

  /** Hashes what a diagnosis depends on; secrets are only ever added, so their number suffices. */
  function currentKeys(): number {
    const hookKeys = hooks
      .list()
      .map(({ id, url, status }) => [id, url, status, hooks.secretsOf(id).length])
    const text = JSON.stringify([
      hookKeys,
      environments.all().map(({ name }) => name),
      knownPrefixes(environments),
    ])
    return Number.parseInt(hash('sha256', text, 'hex').slice(0, 12), 16)
  }

  function explainedBy({ diagnosis, hookId, hookInferred }: SignatureReport) {
    const hook = hookInferred && hookId !== null ? registry.byId(hookId) : undefined
    return { cause: diagnosis?.cause ?? null, hook: hook ?? null }
  }

  /** Finds the cause and the likeliest hook. Rejects if it failed for a reason that may pass. */
  async function diagnose(id: string): Promise<Pick<Explained, 'cause' | 'hook'>> {
    try {
      const report = await explainSignature(services, id, work.closing)
      failures.delete(id)
      return explainedBy(report)
    } catch (error) {
      const isDeleted = error instanceof AppError && error.code === 'NOT_FOUND'
      const count = (failures.get(id) ?? 0) + 1
      if (!isDeleted && count < MOST_FAILURES) {
        failures.set(id, count)
        throw error
      }
      failures.delete(id)
      if (!isDeleted) log.bug(error, 'diagnosing a delivery')
      return { cause: null, hook: null }
    }
  }

  async function storeCause({ seq, cause, hook }: Explained, keys: number): Promise<void> {
    await store.write('putCauses', [{ seq, cause, keys, ...belongingTo(hook) }])
    store.search.changed()
    hub.emit('deliveries.updated', [seq])
  }

  /** Resolves with false if this was closed meanwhile. */
  async function diagnoseAll(
    { left }: Undiagnosed,
    present: number,
    rest: number,
  ): Promise<boolean> {
    for (const { seq, id } of left) {
      await store.pace.rest()
      if (work.closing.aborted) return false
      const startedAt = systemClock.monotonic()
      const explained = await diagnose(id)
      const took = systemClock.monotonic() - startedAt
      // A cause computed while this closed may lack its search.
      if (work.closing.aborted) return false
      await storeCause({ seq, ...explained }, present)
      await systemClock.sleep(rest * took, work.closing)
    }
    return true
  }

  /**
   * Diagnoses the newest first, also between pieces of older ones. Resolves with whether there may
   * be more.
   */
  async function diagnosePiece(): Promise<boolean> {
    const present = currentKeys()
    if (place.keys !== present) place = startPass(present)
    const { after } = place
    const undiagnosed = (before: number) =>
      store.read('undiagnosed', { keys: present, after, before, limit: PIECE })
    const first = await undiagnosed(TOP)
    if (first.left.length > 0) return diagnoseAll(first, present, REST.newest)
    const older = await undiagnosed(place.before)
    if (!(await diagnoseAll(older, present, REST.older))) return false
    const newest = Math.max(place.newest, older.newest)
    place =
      older.before === null
        ? startPass(present, Math.max(after, newest))
        : { ...place, before: older.before, newest }
    return older.before !== null
  }

  const work = createCatchUp(
    async () => {
      while (await diagnosePiece());
    },
    {
      log,
      warning: "Couldn't store causes of invalid signatures. Trying again later.",
      afterMs: RETRY_MS,
    },
  )

  return {
    /** Stores the cause found while a delivery was verified. */
    found: (seq: number, report: SignatureReport) =>
      storeCause({ seq, ...explainedBy(report) }, currentKeys()),
    wake: () => void work.request(),
    close: work.close,
  }
}

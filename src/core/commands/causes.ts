/**
 * Stores why signatures are invalid, so that lists show it: invalid deliveries are diagnosed in the
 * background, newest first, and again if hooks or secrets change. Stored keys tell which are
 * done, so that stopping loses nothing.
 */
import { hash } from 'node:crypto'
import { AppError } from '../../shared/contract/errors.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import type { SignatureReport } from '../../shared/model/signature.ts'
import { createCatchUp } from '../base/async.ts'
import type { Log } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import { systemClock } from '../base/system-clock.ts'
import { knownPrefixes } from '../hooks/environments.ts'
import { hookColumns, type RegisteredHook } from '../hooks/registry.ts'
import type { Undiagnosed } from '../store/causes.ts'
import { explainSignature } from './explain-signature.ts'
import { type SignatureServices } from './services.ts'

/** Maximum number of deliveries to read and diagnose before looking for newer ones. */
const DIAGNOSED_AT_ONCE = 10
/**
 * Rest after each diagnosis, in multiples of its time, so that a flood doesn't occupy the computer.
 */
const REST = { newest: 1, older: 9 }
const ABOVE_ALL_SEQS = Number.MAX_SAFE_INTEGER
const RETRY_MS = 5_000
/** Failures after which a delivery counts as unexplained, so that it doesn't block the others. */
const MAX_FAILURES = 3

/** Progress of a pass with these keys, from the newest to the oldest. */
interface PassProgress {
  readonly keysHash: number
  /** Seq up to which earlier passes diagnosed all. */
  readonly doneUpTo: number
  /** Seqs that this pass has diagnosed, so that it continues before `from`. */
  readonly from: number
  readonly to: number
}

interface ExplainedDelivery {
  readonly seq: number
  readonly cause: string | null
  /** Likeliest of several hooks; null if the delivery's hook is certain. */
  readonly hook: RegisteredHook | null
}

const startPass = (keysHash: number, doneUpTo = 0): PassProgress => ({
  keysHash,
  doneUpTo,
  from: ABOVE_ALL_SEQS,
  to: 0,
})

function explainedBy(
  { registry }: Pick<SignatureServices, 'registry'>,
  { diagnosis, hookId, hookInferred }: SignatureReport,
): Omit<ExplainedDelivery, 'seq'> {
  const hook = hookInferred && hookId !== null ? registry.byId(hookId) : undefined
  return { cause: diagnosis?.cause ?? null, hook: hook ?? null }
}

export class Causes {
  readonly #services: SignatureServices
  readonly #log: Log
  readonly #hub: Pick<EventHub, 'emit'>
  readonly #work: ReturnType<typeof createCatchUp>
  #progress = startPass(0)
  /** Failed diagnoses by the delivery's ID. */
  readonly #failures = new Map<string, number>()

  constructor(services: SignatureServices, log: Log, hub: Pick<EventHub, 'emit'>) {
    this.#services = services
    this.#log = log
    this.#hub = hub
    this.#work = createCatchUp(
      async () => {
        while (await this.#diagnoseNext());
      },
      {
        log,
        warning: "Couldn't store causes of invalid signatures. Trying again later.",
        afterMs: RETRY_MS,
      },
    )
  }

  /** Stores the cause found while a delivery was verified. */
  found(seq: number, report: SignatureReport): Promise<void> {
    return this.#storeCause(
      { seq, ...explainedBy(this.#services, report) },
      this.#currentKeysHash(),
    )
  }

  /** Resolves with whether these keys explain nothing, as far as stored. */
  isUnexplained = async ({ seq, verdict, cause }: Delivery): Promise<boolean> => {
    if (verdict !== 'invalid' || cause !== null) return false
    const keysHash = this.#currentKeysHash()
    const range = { keysHash, after: seq - 1, before: seq + 1, limit: 1 }
    const { left, newest } = await this.#services.store.read('undiagnosed', range)
    if (newest !== seq || left.length > 0) return false
    // Read again, because it may have been diagnosed meanwhile.
    const [row] = await this.#services.store.read('rowsBySeq', [seq])
    return row?.cause === null
  }

  readonly wake = (): void => void this.#work.request()

  readonly close = (): Promise<void> => this.#work.close()

  /**
   * Diagnoses the newest first, also between pieces of older ones. Resolves with whether there may
   * be more.
   */
  async #diagnoseNext(): Promise<boolean> {
    const keysHash = this.#currentKeysHash()
    if (this.#progress.keysHash !== keysHash) this.#progress = startPass(keysHash)
    const { doneUpTo } = this.#progress
    const undiagnosed = (before: number) =>
      this.#services.store.read('undiagnosed', {
        keysHash,
        after: doneUpTo,
        before,
        limit: DIAGNOSED_AT_ONCE,
      })
    const latest = await undiagnosed(ABOVE_ALL_SEQS)
    if (latest.left.length > 0) return this.#diagnoseAll(latest, keysHash, REST.newest)
    const older = await undiagnosed(this.#progress.from)
    if (!(await this.#diagnoseAll(older, keysHash, REST.older))) return false
    const to = Math.max(this.#progress.to, older.newest)
    this.#progress =
      older.before === null
        ? startPass(keysHash, Math.max(doneUpTo, to))
        : { ...this.#progress, from: older.before, to }
    return older.before !== null
  }

  /**
   * Diagnoses deliveries; rests after each, `rest` times as long as it took. Resolves with false if
   * this was closed meanwhile.
   */
  async #diagnoseAll({ left }: Undiagnosed, keysHash: number, rest: number): Promise<boolean> {
    const { closing } = this.#work
    for (const { seq, id } of left) {
      await this.#services.store.pace.rest()
      if (closing.aborted) return false
      const startedAt = systemClock.monotonic()
      const explained = await this.#diagnose(id)
      const took = systemClock.monotonic() - startedAt
      // A cause computed while this closed may lack its search.
      if (closing.aborted) return false
      await this.#storeCause({ seq, ...explained }, keysHash)
      await systemClock.sleep(rest * took, closing)
    }
    return true
  }

  /** Finds the cause and the likeliest hook. Rejects if it failed for a reason that may pass. */
  async #diagnose(id: string): Promise<Omit<ExplainedDelivery, 'seq'>> {
    try {
      const report = await explainSignature(this.#services, id, this.#work.closing)
      this.#failures.delete(id)
      return explainedBy(this.#services, report)
    } catch (error) {
      const isDeleted = error instanceof AppError && error.code === 'NOT_FOUND'
      const count = (this.#failures.get(id) ?? 0) + 1
      if (!isDeleted && count < MAX_FAILURES) {
        this.#failures.set(id, count)
        throw error
      }
      this.#failures.delete(id)
      if (!isDeleted) this.#log.bug(error, 'diagnosing a delivery')
      return { cause: null, hook: null }
    }
  }

  async #storeCause({ seq, cause, hook }: ExplainedDelivery, keysHash: number): Promise<void> {
    const { store } = this.#services
    await store.write('putCauses', [{ seq, cause, keysHash, ...hookColumns(hook) }])
    store.search.changed()
    this.#hub.emit('deliveries.updated', [seq])
  }

  /** Hashes what a diagnosis depends on; secrets are only ever added, so their number suffices. */
  #currentKeysHash(): number {
    const { environments, hooks } = this.#services
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
}

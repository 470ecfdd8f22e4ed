/** Judges stored deliveries again after a new hook, secret or header prefix. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkPayload } from '../../shared/service/payload.ts'
import { createCatchUp } from '../base/async.ts'
import type { Clock, Log } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import { type Environments, knownPrefixes } from '../hooks/environments.ts'
import { hookColumns, type Registry } from '../hooks/registry.ts'
import type { UnprovedDelivery, UnprovedInput, NewVerdict } from '../store/late-verdicts.ts'
import type { Store } from '../store/store.ts'

interface LateVerdictsDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'search' | 'pace'>
  readonly environments: Pick<Environments, 'all'>
  readonly registry: Pick<Registry, 'judge'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly hub: Pick<EventHub, 'emit'>
}

export class LateVerdicts {
  readonly #deps: LateVerdictsDeps
  #prefixes: string
  readonly #work = createCatchUp(() =>
    this.#judgeAll().catch((error: unknown) => {
      const reason = (error as Error).message
      this.#deps.log.warn('Stored deliveries could not be judged again.', { reason })
    }),
  )

  constructor(deps: LateVerdictsDeps) {
    this.#deps = deps
    this.#prefixes = knownPrefixes(deps.environments).join(' ')
  }

  judgeAll = () => void this.#work.request()

  /** Starts to judge all if a header prefix changed. */
  environmentsChanged = () => {
    const now = knownPrefixes(this.#deps.environments).join(' ')
    if (now === this.#prefixes) return
    this.#prefixes = now
    this.judgeAll()
  }

  /** Judges a delivery again if a file claims its verdict. Rejects with `NOT_FOUND`. */
  judge = async (ref: string): Promise<void> => {
    const { seq, verifiedHere } = await this.#deps.store.read('get', ref)
    if (!verifiedHere) await this.#judgePage({ which: 'claims', after: seq - 1, upTo: seq })
  }

  settled = () => this.#work.settled()

  close = () => this.#work.close()

  /** Resolves with a new verdict; empty if nothing new is proved. */
  async #judgedAgain({ seq, isClaim, body, ...delivery }: UnprovedDelivery): Promise<NewVerdict[]> {
    const { path, headers, receivedAt } = delivery
    const judged = await this.#deps.registry.judge(path ?? '/', headers, body, receivedAt)
    const { verdict, hook } = judged
    if (isClaim ? verdict !== 'valid' : verdict === 'unsigned') return []
    const event = verdict === 'valid' ? (hook?.event ?? null) : null
    const schema = event === null ? null : checkPayload(event, body).outcome
    const [freshness, at] = isClaim ? [null, null] : [judged.freshness, this.#deps.clock.now()]
    return [{ seq, verdict, freshness, ...hookColumns(hook), event, schema, at }]
  }

  /** Judges a page; resolves with the seq to continue after, or null. */
  async #judgePage(input: UnprovedInput): Promise<number | null> {
    const { deliveries, next } = await this.#deps.store.read('unproved', input)
    const rows: NewVerdict[] = []
    for (const delivery of deliveries) {
      await this.#deps.store.pace.rest()
      await nextTurn()
      rows.push(...(await this.#judgedAgain(delivery)))
    }
    if (rows.length === 0) return next
    await this.#deps.store.write('putVerdicts', rows)
    this.#deps.store.search.changed()
    this.#deps.hub.emit(
      'deliveries.updated',
      rows.map(({ seq }) => seq),
    )
    return next
  }

  async #judgeAll(): Promise<void> {
    for (const which of ['claims', knownPrefixes(this.#deps.environments)] as const)
      for (let after: number | null = 0; after !== null && !this.#work.closing.aborted;)
        after = await this.#judgePage({ which, after })
  }
}

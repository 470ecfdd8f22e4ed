/**
 * Judges stored deliveries again with what became known after them: imported ones with a new hook
 * or secret, unsigned ones with the prefix of their headers.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { checkPayload } from '../../shared/service/payload.ts'
import { createCatchUp } from '../base/async.ts'
import type { Clock, Log } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import { type Environments, knownPrefixes } from '../hooks/environments.ts'
import { belongingTo, type Registry } from '../hooks/registry.ts'
import type { Doubtful, DoubtfulInput, JudgedAgain } from '../store/late-verdicts.ts'
import type { Store } from '../store/store.ts'

interface LateVerdictsDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'search' | 'pace'>
  readonly environments: Pick<Environments, 'all'>
  readonly registry: Pick<Registry, 'judge'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly hub: Pick<EventHub, 'emit'>
}

export type LateVerdicts = ReturnType<typeof createLateVerdicts>

export function createLateVerdicts({
  store,
  registry,
  clock,
  log,
  hub,
  environments,
}: LateVerdictsDeps) {
  let prefixes = knownPrefixes(environments).join(' ')

  /**
   * Resolves with the verdict under today's hooks and prefixes; with nothing if it proves nothing
   * new.
   */
  async function judgedAgain({
    seq,
    isClaim,
    body,
    ...delivery
  }: Doubtful): Promise<JudgedAgain[]> {
    const { path, headers, receivedAt } = delivery
    const judged = await registry.judge(path ?? '/', headers, body, receivedAt)
    const { verdict, hook } = judged
    if (isClaim ? verdict !== 'valid' : verdict === 'unsigned') return []
    const event = verdict === 'valid' ? (hook?.event ?? null) : null
    const schema = event === null ? null : checkPayload(event, body).outcome
    const [freshness, at] = isClaim ? [null, null] : [judged.freshness, clock.now()]
    return [{ seq, verdict, freshness, ...belongingTo(hook), event, schema, at }]
  }

  /** Resolves with the seq to continue after; null at the end. */
  async function judgePage(input: DoubtfulInput): Promise<number | null> {
    const { deliveries, next } = await store.read('doubtful', input)
    const rows: JudgedAgain[] = []
    for (const delivery of deliveries) {
      await store.pace.rest()
      await nextTurn()
      rows.push(...(await judgedAgain(delivery)))
    }
    if (rows.length === 0) return next
    await store.write('putJudged', rows)
    store.search.changed()
    hub.emit(
      'deliveries.updated',
      rows.map(({ seq }) => seq),
    )
    return next
  }

  async function judgeAll(): Promise<void> {
    for (const which of ['claims', knownPrefixes(environments)] as const)
      for (let after: number | null = 0; after !== null && !work.closing.aborted;)
        after = await judgePage({ which, after })
  }

  const work = createCatchUp(() =>
    judgeAll().catch((error: unknown) => {
      const reason = (error as Error).message
      log.warn('Stored deliveries could not be judged again.', { reason })
    }),
  )

  return {
    /** Starts to judge all. Call when a hook gets a URL or secret. */
    judgeAll: () => void work.request(),
    /** Starts to judge all if a header prefix changed. Call when environments change. */
    environmentsChanged() {
      const now = knownPrefixes(environments).join(' ')
      if (now === prefixes) return
      prefixes = now
      void work.request()
    },
    /**
     * Judges a delivery again if its verdict is only what a file claims. Rejects with `NOT_FOUND`.
     */
    async judge(ref: string): Promise<void> {
      const { seq, verifiedHere } = await store.read('get', ref)
      if (!verifiedHere) await judgePage({ which: 'claims', after: seq - 1, upTo: seq })
    },
    /** Resolves when all is judged. */
    settled: work.settled,
    /** Stops early. "Verify again" judges the rest. */
    close: work.close,
  }
}

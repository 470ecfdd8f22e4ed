/** Times in which the computer slept, stored so that a list can still show them after a restart. */
import { z } from 'zod'
import { type Gap, gapSchema } from '../../shared/model/status.ts'
import type { Clock, Log } from '../base/deps.ts'
import { createMutex } from '../base/mutex.ts'
import { readJsonSetting } from '../store/json-setting.ts'
import type { Store } from '../store/store.ts'

interface GapsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  onChanged(gaps: readonly Gap[]): void
}

export interface Gaps {
  /** Newest first. */
  list(): readonly Gap[]
  /** The computer goes to sleep. */
  suspended(): void
  /** It has woken up: stores the gap. Never rejects. */
  resumed(): Promise<void>
}

/** Name of the row that holds them all. */
const GAPS = 'gaps'
const MOST_GAPS = 100

export async function openGaps({ store, clock, log, onChanged }: GapsDeps): Promise<Gaps> {
  const stored = await readJsonSetting(store, GAPS, z.array(gapSchema), (reason) => {
    log.warn("The times of sleep can't be read, so the list doesn't show them.", { reason })
  })
  let gaps: readonly Gap[] = stored ?? []
  let from: number | null = null
  const exclusive = createMutex()
  return {
    list: () => gaps,
    suspended() {
      // Some systems announce the sleep twice.
      from ??= clock.now()
    },
    async resumed() {
      const began = from
      from = null
      if (began === null) return
      const to = clock.now()
      try {
        await exclusive(async () => {
          const iso = (at: number) => new Date(at).toISOString()
          const gap = { from: iso(began), to: iso(to), afterSeq: await store.read('newestSeq', null) }
          // Announced before it is stored: the computer slept even if the disk is full.
          gaps = [gap, ...gaps].slice(0, MOST_GAPS)
          onChanged(gaps)
          await store.write('writeSetting', { name: GAPS, value: JSON.stringify(gaps) })
        })
      } catch (error) {
        log.warn("The time of sleep couldn't be stored.", { error })
      }
    },
  }
}

/** Times in which the computer slept or the process was stopped, stored so that a list can still show them after a restart. */
import { z } from 'zod'
import { type Gap, gapSchema } from '../../shared/model/status.ts'
import type { Clock, Log } from '../base/deps.ts'
import { createMutex } from '../base/mutex.ts'
import { readJsonSetting } from '../store/json-setting.ts'
import type { Store } from '../store/store.ts'

interface GapsDeps {
  readonly store: Pick<Store, 'read' | 'write'>
  readonly clock: Pick<Clock, 'now' | 'monotonic' | 'uptime'>
  readonly log: Log
  onChanged(gaps: readonly Gap[]): void
}

export interface Gaps {
  /** Newest first. */
  list(): readonly Gap[]
  /** The system says that the computer goes to sleep. */
  suspended(): void
  /** The system says that it has woken up: stores the gap. Never rejects. */
  resumed(): Promise<void>
  /** Call for each delivery received. */
  received(): void
  /**
   * Notices that the process didn't run for a time, on hosts and systems that say nothing: stores the gap, then calls `onWoke`. Returns
   * the function that ends it.
   */
  watch(onWoke: () => void): () => void
}

/** How often `watch` looks, in milliseconds. */
const LOOK_MS = 5_000
/** A look that is late by this time wasn't delayed by a busy computer. */
const LATE_MS = 60_000

/** Name of the row that holds them all. */
const GAPS = 'gaps'
const MOST_GAPS = 100

export async function openGaps({ store, clock, log, onChanged }: GapsDeps): Promise<Gaps> {
  const stored = await readJsonSetting(store, GAPS, z.array(gapSchema), (reason) => {
    log.warn("The times of sleep can't be read, so the list doesn't show them.", { reason })
  })
  let gaps: readonly Gap[] = stored ?? []
  const exclusive = createMutex()
  let received = 0
  // Not the wall clock, which the user may change.
  const uptime = () => clock.uptime?.() ?? clock.monotonic()
  const moment = () => ({ wall: clock.now(), uptime: uptime(), received })
  /** The latest moment in which the process is known to have run. */
  let ran = moment()
  let isAnnounced = false
  const isLate = () => uptime() - ran.uptime > LATE_MS

  const wake = async () => {
    const [before, now, announced] = [ran, moment(), isAnnounced]
    ran = now
    isAnnounced = false
    const iso = (at: number) => new Date(at).toISOString()
    try {
      await exclusive(async () => {
        const gap = {
          from: iso(Math.min(before.wall, now.wall)),
          to: iso(now.wall),
          afterSeq: await store.read('newestSeq', null),
          received: now.received - before.received,
          announced,
        }
        // Announced before it is stored: the computer slept even if the disk is full.
        gaps = [gap, ...gaps].slice(0, MOST_GAPS)
        onChanged(gaps)
        await store.write('writeSetting', { name: GAPS, value: JSON.stringify(gaps) })
      })
    } catch (error) {
      log.warn("The time of sleep couldn't be stored.", { error })
    }
  }

  return {
    list: () => gaps,
    suspended() {
      // Some systems announce the sleep twice.
      if (isAnnounced) return
      isAnnounced = true
      ran = moment()
    },
    async resumed() {
      if (isAnnounced || isLate()) await wake()
    },
    received() {
      received += 1
    },
    watch(onWoke) {
      if (clock.uptime === undefined) return () => undefined
      const timer = setInterval(() => {
        if (isLate()) void wake().then(onWoke)
        else ran = moment()
      }, LOOK_MS).unref()
      return () => {
        clearInterval(timer)
      }
    },
  }
}

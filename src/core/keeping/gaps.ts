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

export type Gaps = Awaited<ReturnType<typeof openGaps>>

/** How often `watch` looks, in milliseconds. */
const LOOK_MS = 5_000
/** A look that is late by this time wasn't delayed by a busy computer. */
const LATE_MS = 60_000
/** Within this time of the last look, a delivery needs no other: reading the uptime takes a system call or a file. */
const FRESH_MS = 1_000

/** Name of the row that holds them all. */
const GAPS = 'gaps'
const MOST_GAPS = 100

export async function openGaps({ store, clock, log, onChanged }: GapsDeps) {
  const stored = await readJsonSetting(store, GAPS, z.array(gapSchema), (reason) => {
    log.warn("The times of sleep can't be read, so the list doesn't show them.", { reason })
  })
  let gaps: readonly Gap[] = stored ?? []
  const exclusive = createMutex()
  // Not the wall clock, which the user may change.
  const uptime = () => clock.uptime?.() ?? clock.monotonic()
  const moment = () => ({ wall: clock.now(), uptime: uptime() })
  /** The latest moment in which the process is known to have run. */
  let ran = moment()
  /** Whether the system said that the computer sleeps, and whether the process has run afterwards. */
  let announced: 'asleep' | 'ran' | null = null
  let onWoke: () => void = () => undefined
  const isLate = () => uptime() - ran.uptime > LATE_MS

  /** `afterSeq`: the newest delivery before the end; by default the newest one. */
  const wake = async (afterSeq?: number) => {
    const [before, now, isAnnounced] = [ran, moment(), announced !== null]
    ran = now
    const iso = (at: number) => new Date(at).toISOString()
    try {
      await exclusive(async () => {
        const gap = {
          from: iso(Math.min(before.wall, now.wall)),
          to: iso(now.wall),
          afterSeq: afterSeq ?? (await store.read('newestSeq', null)),
          announced: isAnnounced,
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
  const look = (afterSeq?: number) => {
    if (!isLate()) {
      ran = moment()
      return
    }
    void wake(afterSeq).then(onWoke)
    if (announced !== null) announced = 'ran'
  }

  return {
    /** Newest first. */
    list: (): readonly Gap[] => gaps,
    /** The system says that the computer goes to sleep. */
    suspended() {
      // Some systems announce the sleep twice.
      if (announced !== null) return
      announced = 'asleep'
      ran = moment()
    },
    /** The system says that it has woken up: stores the gap. Never rejects. */
    async resumed() {
      const ended = announced === 'asleep' || isLate() ? wake() : null
      announced = null
      await ended
    },
    /** Call for each delivery received, so that a gap contains none. */
    received(seq: number) {
      const now = clock.now()
      const since = now - ran.wall
      if (since >= 0 && since <= FRESH_MS) ran = { wall: now, uptime: ran.uptime + since }
      // If there was a gap, this is the first delivery after it.
      else look(seq - 1)
    },
    /**
     * Notices that the process didn't run for a time, on hosts and systems that say nothing: stores the gap and calls `onWoke`. Returns
     * the function that ends it.
     */
    watch(listener: () => void): () => void {
      if (clock.uptime === undefined) return () => undefined
      onWoke = listener
      const timer = setInterval(look, LOOK_MS).unref()
      return () => {
        clearInterval(timer)
      }
    },
  }
}

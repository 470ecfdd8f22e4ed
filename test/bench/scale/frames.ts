/** Frames and tasks of a page during an action, as the page itself observes them. */
import type { Page } from '@playwright/test'

export const FRAME_BAR_MS = 50

export interface Held {
  /**
   * Longest time between two frames; longest task (0 if all took less than 50 ms); milliseconds.
   */
  readonly frame: number
  readonly task: number
  /** Number of frames, and how many of them took longer than the limit. */
  readonly frames: number
  readonly slow: number
}

/** Runs in the page: records frames and tasks until stopped. */
const WATCH = `{
  const watch = { frame: 0, slow: 0, frames: 0, task: 0, stopped: false }
  let last = performance.now()
  const onFrame = () => {
    const now = performance.now()
    watch.frame = Math.max(watch.frame, now - last)
    watch.frames++
    if (now - last > ${FRAME_BAR_MS}) watch.slow++
    last = now
    if (!watch.stopped) requestAnimationFrame(onFrame)
  }
  requestAnimationFrame(onFrame)
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watch.task = Math.max(watch.task, duration)
  }).observe({ entryTypes: ['longtask'] })
  globalThis.watch = watch
}`

export async function whileWatched(page: Page, work: () => Promise<void>): Promise<Held> {
  await page.evaluate(WATCH)
  await work()
  return page.evaluate<Held>('globalThis.watch.stopped = true, globalThis.watch')
}

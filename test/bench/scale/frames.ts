/**
 * Frames and tasks of a page during an action: the page's own observations, and the processor time of each thread from Chromium's
 * trace. This shows whether a long frame was caused by the page or by a busy computer.
 */
import type { Page } from '@playwright/test'

export const FRAME_BAR_MS = 50

interface Watched {
  /** Longest time between two frames, and its start, since the mark; longest task (0 if all took less than 50 ms); milliseconds. */
  readonly frame: number
  readonly frameFrom: number
  readonly task: number
  /** Number of frames, and how many of them took longer than the limit. */
  readonly frames: number
  readonly slow: number
}

export interface Held extends Watched {
  /** Processor time of the longest task, without waiting for a busy processor. */
  readonly work: number
  /** The thread that ran longest during the longest frame, in milliseconds. */
  readonly busiest: { readonly thread: string; readonly ms: number }
}

interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** Microseconds: start, duration, and the time that its thread ran. */
  readonly ts: number
  readonly dur?: number
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

const MARK = 'watch frames'
const threadWords: Readonly<Record<string, string>> = {
  CrRendererMain: 'page',
  Compositor: 'compositor',
  VizCompositorThread: 'display',
  CrBrowserMain: 'browser',
}

/** Runs in the page: records frames and tasks until stopped. */
const WATCH = `{
  const watch = { frame: 0, frameFrom: 0, slow: 0, frames: 0, task: 0, stopped: false }
  const begin = performance.mark('${MARK}').startTime
  let last = begin
  const onFrame = () => {
    const now = performance.now()
    if (now - last > watch.frame) Object.assign(watch, { frame: now - last, frameFrom: last - begin })
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
  const browser = page.context().browser()
  if (browser === null) throw new Error('The page has no browser of its own to trace.')
  await browser.startTracing(page, { categories: ['toplevel', 'blink.user_timing'] })
  await page.evaluate(WATCH)
  await work()
  const watched = await page.evaluate<Watched>('globalThis.watch.stopped = true, globalThis.watch')
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: readonly TraceEvent[]
  }
  return {
    ...watched,
    work: longestWork(traceEvents),
    busiest: busiestThread(traceEvents, watched),
  }
}

const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`

function namesOfThreads(events: readonly TraceEvent[]): ReadonlyMap<string, string> {
  const naming = events.filter(({ ph, name }) => ph === 'M' && name === 'thread_name')
  return new Map(naming.map((event) => [threadOf(event), event.args?.name ?? '']))
}

const tasksOf = (events: readonly TraceEvent[]) =>
  events.filter(({ name }) => name.endsWith('RunTask'))

/** The longest task on a renderer's main thread, in milliseconds of that thread. */
function longestWork(events: readonly TraceEvent[]): number {
  const names = namesOfThreads(events)
  const tasks = tasksOf(events).filter((event) => names.get(threadOf(event)) === 'CrRendererMain')
  return tasks.reduce((most, { tdur = 0 }) => Math.max(most, tdur / 1_000), 0)
}

/** The browser thread that ran longest during the longest frame; for a task that extends beyond the frame, its share. */
function busiestThread(
  events: readonly TraceEvent[],
  { frame, frameFrom }: Watched,
): Held['busiest'] {
  const mark = events.find(({ name }) => name === MARK)
  if (mark === undefined)
    throw new Error('The trace does not have the mark that its frames are told from.')
  const from = mark.ts + frameFrom * 1_000
  const to = from + frame * 1_000
  const ran = new Map<string, number>()
  for (const event of tasksOf(events)) {
    const { ts, dur = 0, tdur = 0 } = event
    const shared = Math.min(to, ts + dur) - Math.max(from, ts)
    if (shared > 0)
      ran.set(threadOf(event), (ran.get(threadOf(event)) ?? 0) + (tdur * shared) / dur / 1_000)
  }
  const [thread, ms] = [...ran].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0] as [
    string,
    number,
  ])
  const name = namesOfThreads(events).get(thread) ?? ''
  return { thread: threadWords[name] ?? (name.startsWith('ThreadPool') ? 'drawing' : name), ms }
}

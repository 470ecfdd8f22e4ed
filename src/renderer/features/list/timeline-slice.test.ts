/** The timeline: its bars, the span in the query, and what ends a count. */
import { expect, onTestFinished, test, vi } from 'vitest'
import { createStore } from 'zustand/vanilla'
import { EMPTY_BIN, NO_STATISTICS, type Bin } from '../../../shared/model/statistics.ts'
import { createTimelineSlice, type TimelineSlice } from './timeline-slice.ts'
import {
  axisTop,
  barsInSpan,
  frameOf,
  labelStep,
  spanOfBars,
  splitQuery,
  stackOf,
  totalParts,
  withSpan,
} from './timeline-facts.ts'

const MINUTE = 60_000
const NOW = new Date(2026, 10, 20, 14, 32, 20).getTime()
const at = (hour: number, minute: number) => new Date(2026, 10, 20, hour, minute).getTime()

test('the last hour has one bar per minute; all time has bars of full hours or days', () => {
  expect(frameOf('hour', NOW, null)).toEqual({ start: at(13, 33), width: MINUTE, bins: 60 })
  const { start, width, bins } = frameOf('all', NOW, NOW - 30 * 24 * 60 * MINUTE)
  expect(width).toBe(12 * 60 * MINUTE)
  expect(start + bins * width).toBeGreaterThan(NOW)
  expect(start).toBeLessThanOrEqual(NOW - 30 * 24 * 60 * MINUTE)
  expect(new Date(start).getHours() % 12).toBe(0)
  expect(frameOf('all', NOW, 0).bins).toBeLessThanOrEqual(97)
})

test('a span of bars becomes after: and before:, and only after: if it ends now', () => {
  const frame = frameOf('hour', NOW, null)
  const span = spanOfBars(frame, 45, 39)
  expect(withSpan('is:invalid', span, NOW)).toBe('is:invalid after:14:12 before:14:19')
  expect(withSpan('after:13:00 is:invalid', spanOfBars(frame, 39, 59), NOW)).toBe(
    'is:invalid after:14:12',
  )
  expect(withSpan('a OR b', span, NOW)).toBe('(a OR b) after:14:12 before:14:19')
  expect(withSpan('', { from: at(14, 12) - 24 * 60 * MINUTE, to: null }, NOW)).toBe(
    'after:2026-11-19T14:12',
  )
  const split = splitQuery('after:14:12 before:14:19 is:invalid', NOW)
  expect(split).toEqual({ rest: 'is:invalid', span: { from: at(14, 12), to: at(14, 19) } })
  expect(barsInSpan(frame, split.span)).toEqual({ first: 39, last: 45 })
})

test.each(['a OR after:14:12', '-after:14:12', 'after:yesterdayish', '"'])(
  '%s has no span',
  (query) => {
    expect(splitQuery(query, NOW)).toEqual({ rest: query, span: null })
  },
)

test('every part of a bar that is not empty has at least two pixels', () => {
  expect(stackOf([980, 0, 1, 0, 1], 1_000, 44)).toEqual([
    { y: 0, height: 43.12 },
    { y: 43.12, height: 0 },
    { y: 43.12, height: 2 },
    { y: 45.12, height: 0 },
    { y: 45.12, height: 2 },
  ])
  expect([0, 1, 3, 36, 41, 950].map(axisTop)).toEqual([2, 2, 4, 40, 60, 1_000])
})

test('labels are at round times', () => {
  const frame = frameOf('hour', NOW, null)
  const { step, first } = labelStep(frame, 6)
  expect([step, new Date(frame.start + first * frame.width).getMinutes()]).toEqual([10, 40])
})

const bin = (index: number, valid: number): Bin => ({
  ...EMPTY_BIN,
  index,
  verdicts: [valid, 0, 0, 0, 0],
  responses: [1, 0, 0, 0],
})

test('counts follow the span, and deliveries without a response are counted too', () => {
  const bins = [bin(1, 5), bin(2, 7), bin(9, 4)]
  expect(totalParts(bins, { first: 2, last: 9 }, 'verdict')).toEqual([11, 0, 0, 0, 0])
  expect(totalParts(bins, { first: 1, last: 1 }, 'response')).toEqual([1, 0, 0, 0, 4])
})

/** Stops the clock at `NOW` until the test ends. */
function stopTheClock(): void {
  vi.useFakeTimers({ now: NOW })
  onTestFinished(() => {
    vi.useRealTimers()
  })
}

interface Call {
  readonly name: string
  readonly input: { readonly query?: string }
  readonly signal: AbortSignal
  answer(value: object): void
  refuse(error: Error): void
}

/** A timeline whose calls are answered by hand, beside a list that loads. */
function openTimeline() {
  const calls: Call[] = []
  const call = (name: string, input: Call['input'], { signal }: Pick<Call, 'signal'>) =>
    new Promise((answer, refuse) => calls.push({ name, input, signal, answer, refuse }))
  let timeline = { range: 'hour', view: 'verdict' }
  const set = (_name: string, value: typeof timeline) => {
    timeline = value
  }
  const preferences = {
    get timeline() {
      return timeline
    },
    set,
  }
  let around = {
    list: { awaitsFirstPage: true },
    preferences,
    filter: { applied: '', setDraft: () => undefined, apply: () => undefined },
  }
  const listeners: ((now: typeof around, before: typeof around) => void)[] = []
  const store = createStore<TimelineSlice>()((set, get) =>
    createTimelineSlice({
      client: { call },
      set,
      get,
      app: () => around,
      subscribe: (listener: (typeof listeners)[number]) => listeners.push(listener),
    } as never),
  )
  const change = (next: Partial<typeof around>) => {
    const before = around
    around = { ...around, ...next }
    for (const listener of listeners) listener(around, before)
  }
  return {
    calls,
    state: store.getState,
    /** Applies a filter: the list asks for its first page. */
    search: (applied: string) => {
      change({ list: { awaitsFirstPage: true } })
      change({ filter: { ...around.filter, applied } })
    },
    /** The list shows its first page, or why it couldn't. */
    showPage: () => {
      change({ list: { awaitsFirstPage: false } })
    },
  }
}

/** Answers the oldest call of a command. */
async function answerNext(
  calls: Call[],
  name: string,
  value: object | Error,
): Promise<Call | undefined> {
  await vi.advanceTimersByTimeAsync(0)
  const call = calls.splice(
    calls.findIndex((one) => one.name === name),
    1,
  )[0]
  if (value instanceof Error) call?.refuse(value)
  else call?.answer(value)
  await vi.advanceTimersByTimeAsync(0)
  return call
}

test('bars are counted once the list has its first page, and another query cancels the count', async () => {
  const { calls, state, search, showPage } = openTimeline()
  search('is:invalid after:1h')
  expect(calls).toEqual([])
  showPage()
  await expect.poll(() => calls.map(({ input }) => input.query)).toEqual(['is:invalid'])
  search('is:stale')
  expect(calls[0]?.signal.aborted).toBe(true)
  calls[0]?.answer({ bins: [bin(2, 1)] })
  showPage()
  await expect.poll(() => calls).toHaveLength(2)
  expect(state()).toMatchObject({ bins: [], filling: true })
  calls[1]?.answer({ bins: [bin(3, 1)] })
  await expect.poll(state).toMatchObject({ bins: [bin(3, 1)], filling: false })
})

test('while deliveries stream in, bars and statistics are counted again, with ten times as long in between', async () => {
  stopTheClock()
  const { calls, state, showPage } = openTimeline()
  const names = () => calls.map(({ name }) => name)
  showPage()
  state().toggleStatistics()
  await vi.advanceTimersByTimeAsync(100)
  await answerNext(calls, 'timeline.read', { bins: [bin(3, 100)] })
  await vi.advanceTimersByTimeAsync(0)
  await answerNext(calls, 'statistics.read', NO_STATISTICS)
  state().changed()
  await vi.advanceTimersByTimeAsync(999)
  expect(names()).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(names()).toEqual(['timeline.read', 'statistics.read'])
  // What changes during a count is in the next one.
  state().changed()
  expect(state()).toMatchObject({ bins: [bin(3, 100)], filling: false })
  await answerNext(calls, 'timeline.read', { bins: [bin(3, 102)] })
  await answerNext(calls, 'statistics.read', NO_STATISTICS)
  expect(state().bins).toEqual([bin(3, 102)])
  await vi.advanceTimersByTimeAsync(400)
  expect(names()).toEqual(['timeline.read', 'statistics.read'])
})

test('typing ends both counts, and nothing is counted until the list has its first page', async () => {
  stopTheClock()
  const { calls, state, search, showPage } = openTimeline()
  showPage()
  await vi.advanceTimersByTimeAsync(0)
  calls.shift()?.answer({ bins: [] })
  state().toggleStatistics()
  // A delivery arrives: its count is scheduled.
  state().changed()
  await vi.advanceTimersByTimeAsync(399)
  expect(calls.map(({ name }) => name)).toEqual(['statistics.read'])
  search('is:invalid')
  expect(calls.map(({ signal }) => signal.aborted)).toEqual([true])
  state().changed()
  state().setRange('day')
  state().toggleStatistics()
  state().toggleStatistics()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(calls).toHaveLength(1)
  showPage()
  await vi.advanceTimersByTimeAsync(0)
  expect(calls.slice(1).map(({ name }) => name)).toEqual(['timeline.read', 'statistics.read'])
})

test('statistics cover the selected span, or the range of the bars', async () => {
  stopTheClock()
  const { calls, state, search, showPage } = openTimeline()
  showPage()
  await vi.advanceTimersByTimeAsync(0)
  calls.shift()?.answer({ bins: [] })
  await vi.advanceTimersByTimeAsync(0)
  state().toggleStatistics()
  const counted = () =>
    calls.splice(0).flatMap(({ name, input }) => (name === 'statistics.read' ? [input.query] : []))
  expect(counted()).toEqual(['after:13:33'])
  state().setRange('week')
  expect(counted()).toEqual(['after:2026-11-13T16:00'])
  search('is:invalid after:14:12 before:14:19')
  showPage()
  expect(counted()).toEqual(['is:invalid after:14:12 before:14:19'])
})

test('after a change, earlier counts stay and are busy until the next count; a failure removes them', async () => {
  stopTheClock()
  const { calls, state, search, showPage } = openTimeline()
  showPage()
  state().toggleStatistics()
  expect(state().statistics).toEqual({ sum: null, filling: true, problem: null })
  const sum = { ...NO_STATISTICS, all: { ...NO_STATISTICS.all, verdicts: [5, 0, 0, 0, 0] } }
  const count = async (bars: object | Error, statistics: object | Error) => {
    await answerNext(calls, 'timeline.read', bars)
    await answerNext(calls, 'statistics.read', statistics)
  }
  const counted = { bins: [bin(3, 5)] }
  await count(counted, sum)
  search('is:invalid')
  expect(state()).toMatchObject({
    bins: counted.bins,
    filling: true,
    statistics: { sum, filling: true },
  })
  showPage()
  expect(state()).toMatchObject({
    bins: counted.bins,
    filling: true,
    statistics: { sum, filling: true },
  })
  await count(new Error('Broken.'), new Error('Broken too.'))
  expect(state()).toMatchObject({ frame: null, bins: [], filling: false, problem: 'Broken.' })
  expect(state().statistics).toEqual({ sum: null, filling: false, problem: 'Broken too.' })
  state().reload()
  expect(state()).toMatchObject({
    filling: true,
    problem: null,
    statistics: { sum: null, filling: true, problem: null },
  })
  await count(counted, sum)
  expect(state()).toMatchObject({
    bins: counted.bins,
    filling: false,
    statistics: { sum, filling: false },
  })
  state().changed()
  await vi.advanceTimersByTimeAsync(60_000)
  await count(new Error('Broken.'), new Error('Broken too.'))
  expect(state()).toMatchObject({
    frame: null,
    problem: 'Broken.',
    statistics: { sum: null, problem: 'Broken too.' },
  })
  state().changed()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(calls.map(({ name }) => name)).toEqual(['timeline.read', 'statistics.read'])
})

import { createElement } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { markupOf, openAskedWindow, textOf } from '../../../../test/browser/open-window.ts'
import { EMPTY_BIN, NO_STATISTICS, type Bin } from '../../../shared/model/statistics.ts'
import { StatisticsSection } from '../../connected/statistics-table.tsx'
import { Timeline } from './timeline.tsx'
import {
  axisTop,
  barsInSpan,
  frameOf,
  labelStep,
  spanOfBars,
  stackOf,
  totalParts,
} from './timeline-facts.ts'
import { splitQuery, withSpan } from './timeline-span.ts'

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

function openTimeline() {
  vi.useFakeTimers({ now: NOW, toFake: ['Date'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const window = openAskedWindow()
  window.store.setState(({ list }) => ({ list: { ...list, awaitsFirstPage: false } }))
  window.state().filter.toggleStatistics()
  return {
    ...window,
    markup: () => markupOf(window, createElement(Timeline)),
    text: () => textOf(markupOf(window, createElement(Timeline))),
  }
}
const frame = frameOf('hour', NOW, null)

test('before they are counted, neither bars nor statistics claim that nothing was received', () => {
  const { text, markup } = openTimeline()
  expect(text()).toContain('Verdict Response Valid Stale Unverified Invalid Malformed')
  expect(text()).toContain('Counting…')
  expect(markup()).toContain('skeleton')
})

test('the legend and the statistics have the sums of the range', () => {
  const { know, text } = openTimeline()
  know('timeline.read', { query: '', ...frame }, { bins: [bin(1, 5), bin(2, 7)] })
  const all = { ...NO_STATISTICS.all, verdicts: [12, 0, 0, 0, 0] }
  know('statistics.read', { query: 'after:13:33' }, { ...NO_STATISTICS, all })
  expect(text()).toContain('Valid 12 Stale 0')
  expect(text()).toContain('Statistics, last hour')
  expect(text()).toContain('Retried Median 95% within 99% within')
  expect(text()).toContain('All 12')
  expect(text()).not.toContain('Counting…')
})

test('statistics that fail say why, and offer another try', () => {
  const failed = createElement(StatisticsSection, {
    of: 'deliveries',
    output: undefined,
    isEarlier: false,
    problem: 'Took too long.',
    readAgain: () => undefined,
    className: '',
  })
  expect(textOf(markupOf(openTimeline(), failed))).toContain(
    "Couldn't count deliveries: Took too long. Try again",
  )
})

/**
 * The timeline above the list, and the statistics of what it shows: the matches of the filter. A new read cancels the previous one.
 */
import type { Bin, Statistics } from '../../../shared/model/statistics.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import type { PreferencesSlice } from '../../state/preferences-slice.ts'
import { isQuiet, sentenceOf } from '../../data/act.ts'
import {
  frameOf,
  splitQuery,
  withSpan,
  type TimelineFrame,
  type TimelineRange,
  type TimelineSpan,
  type TimelineView,
} from './timeline-facts.ts'

export interface TimelineSlice {
  /** Null until counted, and after a failure. */
  readonly frame: TimelineFrame | null
  readonly bins: readonly Bin[]
  /** Whether bars of the current filter and range are still being counted. */
  readonly filling: boolean
  readonly problem: string | null
  /** Null while the panel is closed. */
  readonly statistics: ShownStatistics | null

  setRange(range: TimelineRange): void
  setView(view: TimelineView): void
  /** Writes a span into the query; null removes it. */
  selectSpan(span: TimelineSpan | null): void
  toggleStatistics(): void
  /** Deliveries arrived, changed or were deleted, or time has passed. */
  changed(): void
  reload(): void
}

interface ShownStatistics {
  /** Null until counted, and after a failure. */
  readonly sum: Statistics | null
  readonly filling: boolean
  readonly problem: string | null
}

interface AroundTimeline {
  readonly list: { readonly awaitsFirstPage: boolean }
  readonly filter: { readonly applied: string; setDraft(draft: string): void; apply(): void }
  readonly preferences: Pick<PreferencesSlice, 'timeline' | 'set'>
}

/** How often live arrivals change the bars. */
const LIVE_MS = 400
/** A count takes at most one part in so many of the time: the rest is for others. */
const REST = 10

/** A count that is read again when deliveries change, and at once when the filter or the range does. */
function createCount(
  read: (signal: AbortSignal) => Promise<void>,
  onProblem: (problem: string | null) => void,
) {
  let reading: AbortController | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStale = false
  let tookMs = 0

  const stop = () => {
    clearTimeout(timer)
    timer = undefined
    reading?.abort()
    reading = null
  }
  const now = async (): Promise<void> => {
    stop()
    const mine = (reading = new AbortController())
    const startedAt = performance.now()
    isStale = false
    try {
      await read(mine.signal)
    } catch (error) {
      if (!mine.signal.aborted) onProblem(isQuiet(error) ? null : sentenceOf(error))
    }
    if (reading !== mine) return
    reading = null
    tookMs = performance.now() - startedAt
    if (isStale) later()
  }
  const later = () => {
    if (reading !== null) isStale = true
    else timer ??= setTimeout(() => void now(), Math.max(LIVE_MS, REST * tookMs))
  }
  return { now, later, stop }
}

export function createTimelineSlice({
  client,
  set,
  get,
  app,
  subscribe,
}: FeatureTools<TimelineSlice, AroundTimeline>): TimelineSlice {
  const rangeOf = () => app().preferences.timeline.range

  /** The filter in the range of the bars, unless it has its own span. */
  const shownQuery = (now: number): string => {
    const { applied: query } = app().filter
    const range = rangeOf()
    if (splitQuery(query, now).span !== null || range === 'all') return query
    return withSpan(query, { from: frameOf(range, now, null).start, to: null }, now)
  }

  const bars = createCount(
    async (signal) => {
      const range = rangeOf()
      const { at } =
        range === 'all' ? await client.call('timeline.start', {}, { signal }) : { at: null }
      const now = Date.now()
      const frame = frameOf(range, now, at)
      const { rest: query } = splitQuery(app().filter.applied, now)
      const { bins } = await client.call('timeline.read', { query, ...frame }, { signal })
      if (!signal.aborted) set({ frame, bins, filling: false, problem: null })
    },
    (problem) => {
      if (problem !== null) set({ frame: null, bins: [], filling: false, problem })
    },
  )
  const sums = createCount(
    async (signal) => {
      const query = shownQuery(Date.now())
      const sum = await client.call('statistics.read', { query }, { signal })
      if (!signal.aborted) set({ statistics: { sum, filling: false, problem: null } })
    },
    (problem) => {
      if (problem !== null) set({ statistics: { sum: null, filling: false, problem } })
    },
  )
  /** The list's first page comes before any count, which starts after it. */
  const mayCount = () => !app().list.awaitsFirstPage

  /** Ends every count and starts again, now or once the list has its first page. Until then, earlier counts stay. */
  const restart = () => {
    bars.stop()
    sums.stop()
    set(({ statistics }) => ({
      filling: true,
      problem: null,
      statistics: statistics && { ...statistics, filling: true, problem: null },
    }))
    if (!mayCount()) return
    void bars.now()
    if (get().statistics !== null) void sums.now()
  }

  subscribe((state, before) => {
    const { list, filter } = state
    if (
      list.awaitsFirstPage !== before.list.awaitsFirstPage ||
      filter.applied !== before.filter.applied
    )
      restart()
  })

  const choose = (choice: Partial<PreferencesSlice['timeline']>) => {
    const { preferences } = app()
    preferences.set('timeline', { ...preferences.timeline, ...choice })
  }

  return {
    frame: null,
    bins: [],
    filling: true,
    problem: null,
    statistics: null,

    setRange(range) {
      choose({ range })
      restart()
    },
    setView(view) {
      choose({ view })
    },
    selectSpan(span) {
      const { filter } = app()
      const now = Date.now()
      filter.setDraft(
        span === null ? splitQuery(filter.applied, now).rest : withSpan(filter.applied, span, now),
      )
      filter.apply()
    },
    toggleStatistics() {
      sums.stop()
      if (get().statistics !== null) set({ statistics: null })
      else {
        set({ statistics: { sum: null, filling: true, problem: null } })
        if (mayCount()) void sums.now()
      }
    },
    changed() {
      if (!mayCount()) return
      bars.later()
      if (get().statistics !== null) sums.later()
    },
    reload: restart,
  }
}

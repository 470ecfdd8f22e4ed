/** The timeline above the list, and the statistics of what it shows: both are read in pieces, and a newer question ends an older one. */
import { addBins, addStatistics, NO_STATISTICS, type Bin, type Statistics } from '../../../shared/model/statistics.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { isQuiet, sentenceOf } from '../../state/slice-context.ts'
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
  readonly range: TimelineRange
  readonly view: TimelineView
  /** Null until the first piece arrived. */
  readonly frame: TimelineFrame | null
  readonly bins: readonly Bin[]
  /** Whether bars are still filling in. */
  readonly filling: boolean
  readonly problem: string | null
  /** Null while the panel is closed. */
  readonly statistics: { readonly sum: Statistics; readonly filling: boolean; readonly problem: string | null } | null

  setRange(range: TimelineRange): void
  setView(view: TimelineView): void
  /** Writes a span into the query; null removes it. */
  selectSpan(span: TimelineSpan | null): void
  toggleStatistics(): void
  /** Deliveries arrived, changed or were deleted, or a minute has passed. */
  changed(): void
  reload(): void
}

interface AroundTimeline {
  readonly list: { readonly query: string; readonly generation: number }
  readonly filter: { readonly applied: string; setDraft(draft: string): void; apply(): void }
}

/** How often live arrivals change the bars. */
const LIVE_MS = 400
/** A filtered timeline is counted again after this multiple of the time that it took. */
const REST = 4

export function createTimelineSlice({
  client,
  set,
  get,
  app,
  subscribe,
}: FeatureTools<TimelineSlice, AroundTimeline>): TimelineSlice {
  let asking = new AbortController()
  let summing = new AbortController()
  let isReading = false
  let isStale = false
  let tookMs = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  /** The query in the range that is shown, unless it has its own span. */
  const shownQuery = (now: number): string => {
    const { query } = app().list
    const { frame, range } = get()
    if (splitQuery(query, now).span !== null || frame === null || range === 'all') return query
    return withSpan(query, { from: frame.start, to: null }, now)
  }

  async function readBars(showsAtOnce: boolean): Promise<void> {
    asking.abort()
    asking = new AbortController()
    const { signal } = asking
    const startedAt = performance.now()
    isReading = true
    isStale = false
    try {
      const { range } = get()
      const { at } = range === 'all' ? await client.call('timeline.start', {}, { signal }) : { at: null }
      const now = Date.now()
      const frame = frameOf(range, now, at)
      const { rest: query } = splitQuery(app().list.query, now)
      let bins: Bin[] = []
      for (let place = {}; ;) {
        const piece = await client.call('timeline.read', { query, ...frame, ...place }, { signal })
        if (signal.aborted) return
        bins = addBins(bins, piece.bins)
        // Known bars stay until all are counted again.
        if (showsAtOnce || piece.rest === null) set({ frame, bins, filling: piece.rest !== null, problem: null })
        if (piece.rest === null) break
        place = { rest: piece.rest }
      }
      tookMs = performance.now() - startedAt
    } catch (error) {
      if (!signal.aborted && !isQuiet(error)) set({ problem: sentenceOf(error), filling: false })
    } finally {
      if (asking.signal === signal) {
        isReading = false
        if (isStale && !signal.aborted) schedule()
      }
    }
  }

  async function readStatistics(): Promise<void> {
    if (get().statistics === null) return
    summing.abort()
    summing = new AbortController()
    const { signal } = summing
    try {
      const query = shownQuery(Date.now())
      let sum: Statistics = NO_STATISTICS
      for (let place = {}; ;) {
        const { next, ...piece } = await client.call('statistics.read', { query, ...place }, { signal })
        if (signal.aborted || get().statistics === null) return
        sum = addStatistics(sum, piece)
        set({ statistics: { sum, filling: next !== null, problem: null } })
        if (next === null) return
        place = { from: next }
      }
    } catch (error) {
      const known = get().statistics
      if (!signal.aborted && !isQuiet(error) && known !== null)
        set({ statistics: { ...known, filling: false, problem: sentenceOf(error) } })
    }
  }

  function schedule(): void {
    timer ??= setTimeout(
      () => {
        timer = undefined
        void readBars(false)
        if (get().statistics?.filling === false) void readStatistics()
      },
      Math.max(LIVE_MS, REST * tookMs),
    )
  }

  const restart = () => {
    clearTimeout(timer)
    timer = undefined
    void readBars(true)
    void readStatistics()
  }

  subscribe((state, before) => {
    if (state.list.query !== before.list.query) asking.abort()
    // The list's first page comes first.
    if (state.list.generation !== before.list.generation) restart()
  })

  return {
    range: 'hour',
    view: 'verdict',
    frame: null,
    bins: [],
    filling: true,
    problem: null,
    statistics: null,

    setRange(range) {
      set({ range })
      restart()
    },
    setView(view) {
      set({ view })
    },
    selectSpan(span) {
      const { filter } = app()
      const now = Date.now()
      filter.setDraft(span === null ? splitQuery(filter.applied, now).rest : withSpan(filter.applied, span, now))
      filter.apply()
    },
    toggleStatistics() {
      summing.abort()
      if (get().statistics !== null) set({ statistics: null })
      else {
        set({ statistics: { sum: NO_STATISTICS, filling: true, problem: null } })
        void readStatistics()
      }
    },
    changed() {
      if (isReading) isStale = true
      else schedule()
    },
    reload: restart,
  }
}

/**
 * The timeline above the list, and the statistics of what it shows: the matches of the filter. Both are read in pieces, a new read
 * cancels the previous one, and what arrives is added to known counts.
 */
import {
  addBins,
  addStatistics,
  type Bin,
  type Statistics,
} from '../../../shared/model/statistics.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import type { PreferencesSlice } from '../../state/preferences-slice.ts'
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
  /** Null until the first piece arrived, and after a failure. */
  readonly frame: TimelineFrame | null
  readonly bins: readonly Bin[]
  /** Whether bars of the current filter and range are still filling in. */
  readonly filling: boolean
  readonly problem: string | null
  /** Null while the panel is closed. */
  readonly statistics: ShownStatistics | null

  setRange(range: TimelineRange): void
  setView(view: TimelineView): void
  /** Writes a span into the query; null removes it. */
  selectSpan(span: TimelineSpan | null): void
  toggleStatistics(): void
  /** Deliveries arrived or changed; without them, some were deleted, or time has passed. */
  changed(change?: { readonly updated: readonly Pick<DeliveryRow, 'seq'>[] }): void
  reload(): void
}

interface ShownStatistics {
  /** Null until the first piece arrived, and after a failure. */
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
const REST = 4
/** The same for counting everything again. */
const WHOLE_REST = 20
/** Statistics of a moving range are counted as a whole this often. */
const WHOLE_MS = 60_000
/** Until a delivery is this old, its event, schema errors and handler response may still be missing: it is counted again. */
const SETTLED_MS = 5_000

interface Rest {
  readonly from: number
  readonly to: number
}

interface CountPiece<Sum> {
  readonly sum: Sum
  readonly rest: Rest | null
  readonly newest: number
}

type ReadPiece<Sum> = (rest: Rest | undefined) => Promise<CountPiece<Sum>>

/** Reads all pieces of a count and adds them. */
async function readPieces<Sum>(
  read: ReadPiece<Sum>,
  add: (a: Sum, b: Sum) => Sum,
  { from, onSum }: { readonly from?: Rest; readonly onSum?: (sum: Sum, isWhole: boolean) => void },
): Promise<{ readonly sum: Sum; readonly newest: number }> {
  const first = await read(from)
  let { sum, rest } = first
  for (;;) {
    onSum?.(sum, rest === null)
    if (rest === null) return { sum, newest: first.newest }
    const more = await read(rest)
    sum = add(sum, more.sum)
    rest = more.rest
  }
}

/** A sum of all deliveries up to a seq. What arrives later is added to it. */
interface Kept<Sum> {
  /** What it counts: another question needs another count. */
  readonly of: string
  readonly sum: Sum
  readonly upTo: number
  readonly wholeAt: number
  /** Deliveries up to this seq are settled at `at` + `SETTLED_MS`. */
  readonly mark: { readonly seq: number; readonly at: number }
}

/** Adds the deliveries that arrived since. Returns the sum to show, and the one to keep for the next time. */
async function readArrivals<Sum>(
  kept: Kept<Sum>,
  read: ReadPiece<Sum>,
  add: (a: Sum, b: Sum) => Sum,
  now: number,
): Promise<{ readonly shown: Sum; readonly kept: Kept<Sum> }> {
  let { sum, upTo, mark } = kept
  const isSettled = now - mark.at >= SETTLED_MS
  if (isSettled && mark.seq > upTo) {
    sum = add(sum, (await readPieces(read, add, { from: { from: mark.seq, to: upTo + 1 } })).sum)
    upTo = mark.seq
  }
  const fresh = await readPieces(read, add, {
    from: { from: Number.MAX_SAFE_INTEGER, to: upTo + 1 },
  })
  if (isSettled) mark = { seq: Math.max(upTo, fresh.newest), at: now }
  return { shown: add(sum, fresh.sum), kept: { ...kept, sum, upTo, mark } }
}

/** The same bars in a frame that starts later or earlier by whole bars. */
function movedBins(bins: readonly Bin[], from: TimelineFrame, to: TimelineFrame): Bin[] {
  const by = (to.start - from.start) / to.width
  return bins
    .map((bin) => ({ ...bin, index: bin.index - by }))
    .filter(({ index }) => index >= 0 && index < to.bins)
}

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
  let isSumming = false
  let isStale = false
  /** A counted delivery changed or was deleted. */
  let isWrong = false
  let isSumWrong = false
  let tookMs = 0
  let wholeMs = 0
  let wholeSumMs = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  let keptBins: (Kept<Bin[]> & { readonly frame: TimelineFrame }) | null = null
  let keptSum: Kept<Statistics> | null = null

  const rangeOf = () => app().preferences.timeline.range

  /** The filter in the range of the bars, unless it has its own span. */
  const shownQuery = (now: number): string => {
    const { applied: query } = app().filter
    const range = rangeOf()
    if (splitQuery(query, now).span !== null || range === 'all') return query
    return withSpan(query, { from: frameOf(range, now, null).start, to: null }, now)
  }

  const isDue = (kept: Kept<unknown>, took: number, least: number) =>
    performance.now() - kept.wholeAt >= Math.max(least, WHOLE_REST * took)

  async function readBars(showsAtOnce: boolean): Promise<void> {
    // The list's first page comes before any count, which starts after it.
    if (app().list.awaitsFirstPage) return
    asking.abort()
    asking = new AbortController()
    const { signal } = asking
    const startedAt = performance.now()
    isReading = true
    isStale = false
    try {
      const range = rangeOf()
      const { at } =
        range === 'all' ? await client.call('timeline.start', {}, { signal }) : { at: null }
      const now = Date.now()
      const frame = frameOf(range, now, at)
      const { rest: query } = splitQuery(app().filter.applied, now)
      const of = JSON.stringify([query, frame.width, frame.start % frame.width])
      const read: ReadPiece<Bin[]> = async (rest) => {
        const { bins, ...piece } = await client.call(
          'timeline.read',
          { query, ...frame, ...(rest && { rest }) },
          { signal },
        )
        signal.throwIfAborted()
        return { sum: bins, ...piece }
      }
      const known = keptBins
      // The totals of all deliveries are read at once.
      if (
        showsAtOnce ||
        query === '' ||
        known?.of !== of ||
        (isWrong && isDue(known, wholeMs, 0))
      ) {
        isWrong = false
        const { sum, newest } = await readPieces(read, addBins, {
          // Known bars stay until all are counted again.
          onSum(bins, isWhole) {
            if (showsAtOnce || isWhole) set({ frame, bins, filling: !isWhole, problem: null })
          },
        })
        wholeMs = performance.now() - startedAt
        keptBins = {
          of,
          sum,
          upTo: newest,
          frame,
          wholeAt: performance.now(),
          mark: { seq: newest, at: startedAt },
        }
      } else {
        const moved = { ...known, sum: movedBins(known.sum, known.frame, frame) }
        const { shown, kept } = await readArrivals(moved, read, addBins, performance.now())
        keptBins = { ...kept, frame }
        set({ frame, bins: shown, filling: false, problem: null })
      }
      tookMs = performance.now() - startedAt
    } catch (error) {
      if (signal.aborted) return
      keptBins = null
      if (!isQuiet(error))
        set({ frame: null, bins: [], filling: false, problem: sentenceOf(error) })
    } finally {
      if (asking.signal === signal) {
        isReading = false
        if ((isStale || isWrong) && !signal.aborted) schedule()
      }
    }
  }

  async function readStatistics(isNew: boolean): Promise<void> {
    if (get().statistics === null || app().list.awaitsFirstPage) return
    summing.abort()
    summing = new AbortController()
    const { signal } = summing
    const startedAt = performance.now()
    isSumming = true
    try {
      const of = rangeOf() + app().filter.applied
      const known = keptSum
      const isMoving = rangeOf() !== 'all'
      const isWhole =
        isNew ||
        known?.of !== of ||
        (isSumWrong && isDue(known, wholeSumMs, 0)) ||
        (isMoving && isDue(known, wholeSumMs, WHOLE_MS))
      const query = shownQuery(Date.now())
      const read: ReadPiece<Statistics> = async (rest) => {
        const { next, newest, ...sum } = await client.call(
          'statistics.read',
          { query, ...rest },
          { signal },
        )
        signal.throwIfAborted()
        return { sum, newest, rest: next === null ? null : { from: next, to: rest?.to ?? 0 } }
      }
      if (isWhole) {
        isSumWrong = false
        const { sum, newest } = await readPieces(read, addStatistics, {
          onSum(partial, isDone) {
            if (isNew || isDone)
              set({ statistics: { sum: partial, filling: !isDone, problem: null } })
          },
        })
        wholeSumMs = performance.now() - startedAt
        keptSum = {
          of,
          sum,
          upTo: newest,
          wholeAt: performance.now(),
          mark: { seq: newest, at: startedAt },
        }
      } else {
        const { shown, kept } = await readArrivals(known, read, addStatistics, performance.now())
        keptSum = kept
        set({ statistics: { sum: shown, filling: false, problem: null } })
      }
    } catch (error) {
      if (signal.aborted) return
      keptSum = null
      if (!isQuiet(error))
        set({ statistics: { sum: null, filling: false, problem: sentenceOf(error) } })
    } finally {
      if (summing.signal === signal) {
        isSumming = false
        if (isSumWrong && get().statistics !== null) schedule()
      }
    }
  }

  function schedule(): void {
    timer ??= setTimeout(
      () => {
        timer = undefined
        void readBars(false)
        if (!isSumming) void readStatistics(false)
      },
      Math.max(LIVE_MS, REST * tookMs),
    )
  }

  /** Ends every count and starts again, now or once the list has its first page. Until the first piece, earlier counts stay. */
  const restart = () => {
    clearTimeout(timer)
    timer = undefined
    asking.abort()
    summing.abort()
    set(({ statistics }) => ({
      filling: true,
      problem: null,
      statistics: statistics && { ...statistics, filling: true, problem: null },
    }))
    void readBars(true)
    void readStatistics(true)
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
      summing.abort()
      if (get().statistics !== null) set({ statistics: null })
      else {
        set({ statistics: { sum: null, filling: true, problem: null } })
        void readStatistics(true)
      }
    },
    changed(change) {
      const isBefore = (upTo = 0) =>
        change === undefined || change.updated.some(({ seq }) => seq <= upTo)
      isWrong ||= isBefore(keptBins?.upTo)
      isSumWrong ||= isBefore(keptSum?.upTo)
      if (isReading) isStale = true
      else schedule()
    },
    reload: restart,
  }
}

/**
 * The timeline above the list, and the statistics of what it shows. Both are read in pieces, a newer question ends an older one, and
 * what arrives is added to known counts.
 */
import { addBins, addStatistics, NO_STATISTICS, type Bin, type Statistics } from '../../../shared/model/statistics.ts'
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
  /** Deliveries arrived or changed; without them, some were deleted, or time has passed. */
  changed(change?: { readonly updated: readonly Pick<DeliveryRow, 'seq'>[] }): void
  reload(): void
}

interface AroundTimeline {
  readonly list: { readonly query: string; readonly generation: number }
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
  const fresh = await readPieces(read, add, { from: { from: Number.MAX_SAFE_INTEGER, to: upTo + 1 } })
  if (isSettled) mark = { seq: Math.max(upTo, fresh.newest), at: now }
  return { shown: add(sum, fresh.sum), kept: { ...kept, sum, upTo, mark } }
}

/** The same bars in a frame that starts later or earlier by whole bars. */
function movedBins(bins: readonly Bin[], from: TimelineFrame, to: TimelineFrame): Bin[] {
  const by = (to.start - from.start) / to.width
  return bins.map((bin) => ({ ...bin, index: bin.index - by })).filter(({ index }) => index >= 0 && index < to.bins)
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
  /** The list loads its first page, which comes before any count. */
  let isWaiting = false
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

  /** The query in the range that is shown, unless it has its own span. */
  const shownQuery = (now: number): string => {
    const { query } = app().list
    const { frame } = get()
    if (splitQuery(query, now).span !== null || frame === null || rangeOf() === 'all') return query
    return withSpan(query, { from: frame.start, to: null }, now)
  }

  const isDue = (kept: Kept<unknown>, took: number, least: number) =>
    performance.now() - kept.wholeAt >= Math.max(least, WHOLE_REST * took)

  async function readBars(showsAtOnce: boolean): Promise<void> {
    asking.abort()
    asking = new AbortController()
    const { signal } = asking
    const startedAt = performance.now()
    isReading = true
    isStale = false
    try {
      const range = rangeOf()
      const { at } = range === 'all' ? await client.call('timeline.start', {}, { signal }) : { at: null }
      const now = Date.now()
      const frame = frameOf(range, now, at)
      const { rest: query } = splitQuery(app().list.query, now)
      const of = JSON.stringify([query, frame.width, frame.start % frame.width])
      const read: ReadPiece<Bin[]> = async (rest) => {
        const { bins, ...piece } = await client.call('timeline.read', { query, ...frame, ...(rest && { rest }) }, { signal })
        signal.throwIfAborted()
        return { sum: bins, ...piece }
      }
      const known = keptBins
      // The totals of all deliveries are read at once.
      if (showsAtOnce || query === '' || known?.of !== of || (isWrong && isDue(known, wholeMs, 0))) {
        isWrong = false
        const { sum, newest } = await readPieces(read, addBins, {
          // Known bars stay until all are counted again.
          onSum(bins, isWhole) {
            if (showsAtOnce || isWhole) set({ frame, bins, filling: !isWhole, problem: null })
          },
        })
        wholeMs = performance.now() - startedAt
        keptBins = { of, sum, upTo: newest, frame, wholeAt: performance.now(), mark: { seq: newest, at: startedAt } }
      } else {
        const moved = { ...known, sum: movedBins(known.sum, known.frame, frame) }
        const { shown, kept } = await readArrivals(moved, read, addBins, performance.now())
        keptBins = { ...kept, frame }
        set({ frame, bins: shown, filling: false, problem: null })
      }
      tookMs = performance.now() - startedAt
    } catch (error) {
      if (!signal.aborted && !isQuiet(error)) set({ problem: sentenceOf(error), filling: false })
    } finally {
      if (asking.signal === signal) {
        isReading = false
        if ((isStale || isWrong) && !signal.aborted) schedule()
      }
    }
  }

  async function readStatistics(isNew: boolean): Promise<void> {
    if (get().statistics === null) return
    summing.abort()
    summing = new AbortController()
    const { signal } = summing
    const startedAt = performance.now()
    isSumming = true
    try {
      const of = rangeOf() + app().list.query
      const known = keptSum
      const isMoving = rangeOf() !== 'all'
      const isWhole =
        isNew ||
        known?.of !== of ||
        (isSumWrong && isDue(known, wholeSumMs, 0)) ||
        (isMoving && isDue(known, wholeSumMs, WHOLE_MS))
      const query = shownQuery(Date.now())
      const read: ReadPiece<Statistics> = async (rest) => {
        const { next, newest, ...sum } = await client.call('statistics.read', { query, ...rest }, { signal })
        signal.throwIfAborted()
        return { sum, newest, rest: next === null ? null : { from: next, to: rest?.to ?? 0 } }
      }
      const show = (sum: Statistics, isDone: boolean) => {
        if (get().statistics !== null) set({ statistics: { sum, filling: !isDone, problem: null } })
      }
      if (isWhole) {
        isSumWrong = false
        const { sum, newest } = await readPieces(read, addStatistics, {
          onSum(partial, isDone) {
            if (isNew || isDone) show(partial, isDone)
          },
        })
        wholeSumMs = performance.now() - startedAt
        keptSum = { of, sum, upTo: newest, wholeAt: performance.now(), mark: { seq: newest, at: startedAt } }
      } else {
        const { shown, kept } = await readArrivals(known, read, addStatistics, performance.now())
        keptSum = kept
        show(shown, true)
      }
    } catch (error) {
      const shown = get().statistics
      if (!signal.aborted && !isQuiet(error) && shown !== null)
        set({ statistics: { ...shown, filling: false, problem: sentenceOf(error) } })
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
        if (isWaiting) return
        void readBars(false)
        if (!isSumming) void readStatistics(false)
      },
      Math.max(LIVE_MS, REST * tookMs),
    )
  }

  const restart = () => {
    clearTimeout(timer)
    timer = undefined
    void readBars(true)
    void readStatistics(true)
  }

  subscribe((state, before) => {
    if (state.list.query !== before.list.query) {
      isWaiting = true
      asking.abort()
      summing.abort()
    }
    if (state.list.generation !== before.list.generation) {
      isWaiting = false
      restart()
    }
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
      filter.setDraft(span === null ? splitQuery(filter.applied, now).rest : withSpan(filter.applied, span, now))
      filter.apply()
    },
    toggleStatistics() {
      summing.abort()
      if (get().statistics !== null) set({ statistics: null })
      else {
        set({ statistics: { sum: NO_STATISTICS, filling: true, problem: null } })
        void readStatistics(true)
      }
    },
    changed(change) {
      const isBefore = (upTo = 0) => change === undefined || change.updated.some(({ seq }) => seq <= upTo)
      isWrong ||= isBefore(keptBins?.upTo)
      isSumWrong ||= isBefore(keptSum?.upTo)
      if (isReading) isStale = true
      else schedule()
    },
    reload: restart,
  }
}

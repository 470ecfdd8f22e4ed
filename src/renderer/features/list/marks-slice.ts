/** The selected deliveries, and their actions: pins, notes, deleting and restoring. */
import { MOST_NAMED } from '../../../shared/contract/nouns/command.ts'
import type { PayloadOf } from '../../../shared/contract/contract.ts'
import { deliveryCount, possibleMatches } from '../../../shared/text/counted.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { MarksChange } from '../../../shared/model/retention.ts'
import { readColumn } from '../../../shared/rpc/seqs.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'
import { outcomeOf, type CallResult } from '../../ui/call-problem.ts'
import type { FilterSlice } from './filter-slice.ts'
import type { ListSlice } from './list-slice.ts'
import { indexOfSeq } from './list-column.ts'

interface Marks {
  /** The deliveries concerned by the open dialog: for a note, or to confirm deleting pinned ones. */
  readonly concerned: readonly DeliveryRow[]
  /** Typed notes that aren't saved, by the deliveries concerned: Escape discards nothing. */
  readonly typed: ReadonlyMap<string, string>
}

interface MarksBefore {
  readonly id: string
  readonly had: MarksChange
}

/** What the slice needs from other features. */
interface MarksContext {
  readonly list: ListSlice
  readonly filter: FilterSlice
  readonly selection: SelectionSlice
  readonly navigation: NavigationSlice
  readonly detail: { close(): void }
}

export interface UndoStep {
  undo(): void
  /** Until when it can be undone, by the history's clock. */
  readonly until: number
}

const MOST_STEPS = 100

/** What can be undone, newest first: marks, and deletions for a limited time. */
export function createUndoHistory(now: () => number) {
  let done: readonly UndoStep[] = []
  return {
    did(step: UndoStep) {
      done = [...done, step].slice(-MOST_STEPS)
    },
    /** Removes a step that was undone another way or never happened. */
    forget(step: UndoStep) {
      done = done.filter((one) => one !== step)
    },
    /** Undoes the last step. Returns whether there was one. */
    undo(): boolean {
      done = done.filter(({ until }) => until >= now())
      const step = done.at(-1)
      if (step === undefined) return false
      done = done.slice(0, -1)
      step.undo()
      return true
    },
  }
}

/** What "clear-shown" does to the matches of a query. */
export function clearWords(query: string): string {
  return query === ''
    ? 'Delete all that is not pinned'
    : 'Delete matching deliveries that are not pinned'
}

const nothing: Marks = { concerned: [], typed: new Map() }

export function createMarksSlice({
  client,
  data,
  act,
  fail,
  notify,
  set,
  get,
  app,
}: FeatureTools<Marks, MarksContext>) {
  const history = createUndoHistory(() => performance.now())

  const restore = async (deletion: string) => {
    await act("Couldn't undo the deletion", () => client.call('deliveries.restore', { deletion }), {
      done: ({ count }) => ({ tone: 'ok', title: `${deliveryCount(count)} restored` }),
    })
  }

  const remove = async (input: {
    readonly ids?: string[]
    readonly query?: string
    readonly pinned: boolean
  }) => {
    const asked = client.call('deliveries.delete', input)
    // The list of everything leaves out the deliveries of flow runs, and so does deleting it. The deletion is reported without their
    // number too.
    const hidden =
      input.query === ''
        ? client.call('deliveries.counts', { queries: ['is:flow'] }).catch(() => null)
        : null
    let until = Number.POSITIVE_INFINITY
    let takenBack = false
    // Registered when the key is pressed, not when the call returns: the rows have disappeared by then, and a quick undo means this
    // deletion.
    const step: UndoStep = {
      undo() {
        takenBack = true
        // The failure is reported below.
        asked.then(
          ({ deletion }) => (deletion === null ? undefined : restore(deletion)),
          () => undefined,
        )
      },
      get until() {
        return until
      },
    }
    history.did(step)
    try {
      const { deletion, count, spared, possible, undoMs } = await asked
      const ofFlows = (await hidden)?.counts[0]?.count ?? 0
      const stayed = [
        ...(spared === 0
          ? []
          : [
              `${deliveryCount(spared)} ${spared === 1 ? 'is' : 'are'} pinned and ${spared === 1 ? 'was' : 'were'} kept.`,
            ]),
        ...(possible === 0
          ? []
          : [
              `Kept ${possibleMatches(possible)}. Add is:possible to the filter to delete them too.`,
            ]),
        ...(ofFlows === 0
          ? []
          : [
              `Kept ${ofFlows.toLocaleString('en')} from flow runs. Add is:any to the filter to delete them too.`,
            ]),
      ]
      const message = stayed.length === 0 ? {} : { message: stayed.join(' ') }
      if (deletion === null) {
        history.forget(step)
        notify({ tone: 'ok', title: 'Nothing to delete', ...message })
        return
      }
      until = performance.now() + undoMs
      if (takenBack) return
      notify({
        tone: 'ok',
        title: `${deliveryCount(count)} deleted`,
        ...message,
        action: {
          label: 'Undo',
          run: () => {
            history.forget(step)
            step.undo()
          },
        },
        shownForMs: undoMs,
      })
    } catch (error) {
      history.forget(step)
      fail("Couldn't delete", error)
    }
  }

  const callMarks = (rows: readonly Pick<DeliveryRow, 'id'>[], marks: MarksChange) =>
    outcomeOf(client.call('marks.set', { ids: rows.map(({ id }) => id), marks }))

  const sayRefused = (outcome: CallResult<unknown>) => {
    if (!outcome.ok)
      notify({
        tone: 'bad',
        title: "Couldn't save the marks",
        message: outcome.problem?.message ?? '',
      })
  }

  /** Restores each delivery's previous marks, with one call per distinct value. */
  const putBack = async (before: readonly MarksBefore[]) => {
    for (const alike of Map.groupBy(before, ({ had }) => JSON.stringify(had)).values())
      if (alike[0] !== undefined) sayRefused(await callMarks(alike, alike[0].had))
  }

  const openDelivery = (): DeliveryRow | undefined => {
    const { id } = app().navigation.at.deliveries
    return id === undefined ? undefined : data.known('deliveries.get', { id })
  }

  const actions = {
    /** Keeps a typed note; null discards it, saved or cancelled. */
    keepTyped(about: string, note: string | null) {
      const typed = new Map(get().typed)
      if (note === null) typed.delete(about)
      else typed.set(about, note)
      set({ typed })
    },
    /**
     * The deliveries that an action applies to: the selected ones, else the list's current row,
     * else the open delivery.
     */
    chosen() {
      const {
        selection: { rows: picked },
        list: { rows: list, selectedSeq },
      } = app()
      if (picked.size > 0) return [...picked.values()]
      const row = selectedSeq === null ? undefined : list.rows.get(selectedSeq)
      if (row !== undefined) return [row]
      const open = openDelivery()
      return open === undefined ? [] : [open]
    },
    /** Pins them; if all are pinned, unpins them. */
    togglePin(rows: readonly DeliveryRow[]) {
      if (rows.length > 0) void actions.set(rows, { pinned: !rows.every(({ pinned }) => pinned) })
    },
    /** Changes marks, for a form that stays open on failure. */
    async put(rows: readonly DeliveryRow[], change: MarksChange) {
      // Stores as little as possible of the rows: the history has many steps with up to ten thousand deliveries each.
      const before = rows.map((row): MarksBefore => ({ id: row.id, had: marksBefore(row, change) }))
      const step: UndoStep = {
        undo: () => void putBack(before),
        until: Number.POSITIVE_INFINITY,
      }
      // Registered before the call returns, as with a deletion: the rows already show the mark, and otherwise an undo would undo
      // the previous step.
      history.did(step)
      const outcome = await callMarks(before, change)
      if (!outcome.ok) history.forget(step)
      return outcome
    },
    /** Changes marks, with a notice on failure. */
    async set(rows: readonly DeliveryRow[], change: MarksChange) {
      sayRefused(await actions.put(rows, change))
    },
    editNote(rows: readonly DeliveryRow[]) {
      if (rows.length === 0) return
      set({ concerned: rows })
      app().navigation.openOverlay('note')
    },
    /** Deletes them. Asks first if any is pinned. */
    deleteChosen(rows: readonly DeliveryRow[]) {
      if (rows.length === 0) return
      if (rows.some(({ pinned }) => pinned)) {
        set({ concerned: rows })
        app().navigation.openOverlay('delete-pinned')
        return
      }
      void actions.deleteRows(rows)
    },
    deleteRows: (rows: readonly DeliveryRow[]) =>
      remove({ ids: rows.map(({ id }) => id), pinned: true }),
    /** Deletes all listed deliveries that aren't pinned. */
    clearShown: () => remove({ query: app().filter.applied, pinned: false }),
    /**
     * Undoes the last change of marks, or a deletion within the last ten seconds. Returns whether
     * there was one.
     */
    undo: () => history.undo(),
    offerUndo(undo: () => void, forMs: number) {
      const step: UndoStep = { undo, until: performance.now() + forMs }
      history.did(step)
      const run = () => {
        history.forget(step)
        undo()
      }
      return { action: { label: 'Undo', run }, shownForMs: forMs }
    },
    deleted(change: PayloadOf<'deliveries.deleted'>) {
      const { seqs, more } = change
      const gone = new Set(seqs)
      const { list, selection, detail, navigation } = app()
      const { selectedSeq } = list
      selection.forget((seq) => more || gone.has(seq))
      const index =
        selectedSeq !== null && gone.has(selectedSeq) ? indexOfSeq(list.rows, selectedSeq) : null
      // The row leaves the list first: closing its delivery would otherwise move the list to the newest.
      const removed = list.deleted(change)
      const known = [openDelivery(), list.rows.rows.get(selectedSeq ?? 0)]
      const { id: openId } = navigation.at.deliveries
      if (known.some((row) => row !== undefined && row.id === openId && gone.has(row.seq)))
        detail.close()
      void removed.then(async () => {
        // The list holds still, on the row that moved up. Without a selected row in between, it would jump to the newest.
        if (index === null || app().list.selectedSeq !== selectedSeq) return
        if ((await app().list.selectIndex(index)) === null) list.select(null)
      })
    },
  }
  return { ...nothing, ...actions }
}

function marksBefore({ pinned, note }: DeliveryRow, change: MarksChange): MarksChange {
  return {
    ...(change.pinned === undefined ? {} : { pinned }),
    ...(change.note === undefined ? {} : { note }),
  }
}

/** The deliveries selected in the list, besides its current row. */
type SelectionSlice = ReturnType<typeof createSelectionSlice>

interface Selection {
  /** By seq. */
  readonly rows: ReadonlyMap<number, DeliveryRow>
  /** Whether more match than can be selected; the selected ones are the newest. */
  readonly ofMore: boolean
}

const none: Selection = { rows: new Map(), ofMore: false }
/** Rows loaded per call. */
const PAGE = 1_000

export function createSelectionSlice({
  client,
  fail,
  set,
  get,
  app,
}: FeatureTools<Selection, { readonly filter: { readonly applied: string } }>) {
  let reading = new AbortController()

  /** Newest first, up to the limit of an action. */
  const readAll = async (query: string, signal: AbortSignal) => {
    const seqs: number[] = []
    for await (const part of readColumn(client, { query }, signal)) {
      seqs.push(...(part.seqs ?? []))
      if (seqs.length > MOST_NAMED) break
    }
    const named = seqs.slice(0, MOST_NAMED)
    const rows: DeliveryRow[] = []
    for (let at = 0; at < named.length; at += PAGE) {
      const input = { seqs: named.slice(at, at + PAGE) }
      rows.push(...(await client.call('deliveries.rows', input, { signal })).rows)
    }
    return { rows, ofMore: seqs.length > MOST_NAMED }
  }

  const put = (picked: ReadonlyMap<number, DeliveryRow>) => {
    reading.abort()
    set({ rows: picked, ofMore: false })
  }

  return {
    ...none,

    toggle(row: DeliveryRow) {
      const next = new Map(get().rows)
      if (!next.delete(row.seq)) next.set(row.seq, row)
      put(next)
    },
    add(rows: readonly DeliveryRow[]) {
      put(new Map([...get().rows, ...bySeq(rows)]))
    },
    /** Selects all matching rows, or the newest of them up to the limit of an action. */
    async selectAll() {
      reading.abort()
      reading = new AbortController()
      const { signal } = reading
      try {
        const { rows, ofMore } = await readAll(app().filter.applied, signal)
        if (!signal.aborted) set({ rows: new Map(bySeq(rows)), ofMore })
      } catch (error) {
        fail("Couldn't select deliveries", error)
      }
    },
    /** Applies changes to selected deliveries. */
    refresh(rows: readonly DeliveryRow[]) {
      const { rows: picked } = get()
      const changed = rows.filter(({ seq }) => picked.has(seq))
      if (changed.length > 0) set({ rows: new Map([...picked, ...bySeq(changed)]) })
    },
    /** Removes deleted deliveries from the selection. */
    forget(isGone: (seq: number) => boolean) {
      const { rows } = get()
      if ([...rows.keys()].some(isGone))
        set({ rows: new Map([...rows].filter(([seq]) => !isGone(seq))) })
    },
    clear() {
      put(none.rows)
    },
  }
}

function bySeq(rows: readonly DeliveryRow[]): (readonly [number, DeliveryRow])[] {
  return rows.map((row) => [row.seq, row] as const)
}

/** What is done to keep deliveries or to be rid of them: pins, notes, colours, deleting and bringing back. */
import type { PayloadOf } from '../../../shared/contract/contract.ts'
import { deliveryCount, possibleMatches } from '../../../shared/delivery-count.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { MarksChange } from '../../../shared/model/marks.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import type { NavigationSlice } from '../../state/navigation-slice.ts'
import { outcomeOf, type Outcome } from '../../ui/call-problem.ts'
import type { FilterSlice } from './filter-slice.ts'
import type { ListSlice } from './list-slice.ts'
import { indexOfSeq, rowAt } from './list-updates.ts'
import type { SelectionSlice } from './selection-slice.ts'
import { createUndoHistory, type UndoStep } from './undo-history.ts'

export interface MarksSlice {
  /** Deliveries that wait for their note, or for the question whether pinned ones are meant too. */
  readonly inHand: readonly DeliveryRow[]

  /** The deliveries that an action is for: those selected, else the one that the list stands on, else the one that is looked at. */
  chosen(): readonly DeliveryRow[]
  /** Pins them; where all of them are pinned, takes the pins off. */
  togglePin(rows: readonly DeliveryRow[]): void
  /** Changes marks, for a form that stays open where that is refused. */
  put(rows: readonly DeliveryRow[], change: MarksChange): Promise<Outcome<unknown>>
  /** The same, and says where it is refused. */
  set(rows: readonly DeliveryRow[], change: MarksChange): Promise<void>
  /** Asks for their note. */
  editNote(rows: readonly DeliveryRow[]): void
  /** Deletes them; where something of it is pinned, asks first. */
  deleteChosen(rows: readonly DeliveryRow[]): void
  deleteRows(rows: readonly DeliveryRow[]): Promise<void>
  /** Deletes all that is shown and not pinned. */
  clearShown(): Promise<void>
  /** Takes back what was done last to marks, or deleted in the last ten seconds; whether there was something. */
  undo(): boolean
  /** Does again what was taken back. */
  redo(): boolean
  deleted(change: PayloadOf<'deliveries.deleted'>): void
}

interface MarksBefore {
  readonly id: string
  readonly had: MarksChange
}

/** What the slice asks of the other features. */
interface Around {
  readonly list: ListSlice
  readonly filter: FilterSlice
  readonly selection: SelectionSlice
  readonly navigation: NavigationSlice
  readonly detail: {
    readonly mode: 'closed' | 'pane' | 'full'
    readonly shown: { readonly delivery: DeliveryRow } | null
    close(): void
  }
}

export function createMarksSlice({ client, act, fail, notify, set, get, app }: FeatureTools<MarksSlice, Around>): MarksSlice {
  const history = createUndoHistory(() => performance.now())

  const restore = async (deletion: string) => {
    await act('The deletion was not undone', () => client.call('deliveries.restore', { deletion }), {
      done: ({ count }) => ({ tone: 'ok', title: `${deliveryCount(count)} brought back` }),
    })
  }

  const remove = async (input: { readonly ids?: string[]; readonly query?: string; readonly pinned: boolean }) => {
    const asked = client.call('deliveries.delete', input)
    let until = Number.POSITIVE_INFINITY
    let takenBack = false
    // Known from the key on, and not from the answer on: the rows are gone before that is here, and whoever is quick means this.
    const step: UndoStep = {
      undo() {
        takenBack = true
        // Why it was refused is said below.
        asked.then(
          ({ deletion }) => (deletion === null ? undefined : restore(deletion)),
          () => undefined,
        )
      },
      redo: null,
      get until() {
        return until
      },
    }
    history.did(step)
    try {
      const { deletion, count, spared, possible, undoMs } = await asked
      const stayed = [
        ...(spared === 0 ? [] : [`${deliveryCount(spared)} ${spared === 1 ? 'is' : 'are'} pinned and stayed.`]),
        ...(possible === 0 ? [] : [`Left ${possibleMatches(possible)}. Add is:possible to the search to delete those.`]),
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
      fail('Nothing was deleted', error)
    }
  }

  const callMarks = (rows: readonly Pick<DeliveryRow, 'id'>[], marks: MarksChange) =>
    outcomeOf(client.call('marks.set', { ids: rows.map(({ id }) => id), marks }))

  const sayRefused = (outcome: Outcome<unknown>) => {
    if (!outcome.ok) notify({ tone: 'bad', title: 'The marks were not changed', message: outcome.problem.message })
  }

  /** Gives each delivery back what it had: those that had the same with one call. */
  const putBack = async (before: readonly MarksBefore[]) => {
    for (const alike of Map.groupBy(before, ({ had }) => JSON.stringify(had)).values())
      if (alike[0] !== undefined) sayRefused(await callMarks(alike, alike[0].had))
  }

  return {
    inHand: [],
    chosen() {
      const {
        selection: { rows: picked },
        list: { rows: list, selectedSeq },
        detail: { shown, mode },
      } = app()
      if (picked.size > 0) return [...picked.values()]
      const index = selectedSeq === null ? null : indexOfSeq(list, selectedSeq)
      const row = index === null ? undefined : rowAt(list, index)
      if (row !== undefined) return [row]
      return mode === 'closed' || shown === null ? [] : [shown.delivery]
    },
    togglePin(rows) {
      if (rows.length > 0) void get().set(rows, { pinned: !rows.every(({ pinned }) => pinned) })
    },
    async put(rows, change) {
      // No more of the rows than it takes: the history keeps many steps, each of them of up to ten thousand deliveries.
      const before = rows.map((row): MarksBefore => ({ id: row.id, had: marksBefore(row, change) }))
      const step: UndoStep = {
        undo: () => void putBack(before),
        redo: () => void callMarks(before, change).then(sayRefused),
        until: Number.POSITIVE_INFINITY,
      }
      // Before its answer, as with a deletion: the rows show the mark by then, and what would be taken back is the step before.
      history.did(step)
      const outcome = await callMarks(before, change)
      if (!outcome.ok) history.forget(step)
      return outcome
    },
    async set(rows, change) {
      sayRefused(await get().put(rows, change))
    },
    editNote(rows) {
      if (rows.length === 0) return
      set({ inHand: rows })
      app().navigation.openOverlay('note')
    },
    deleteChosen(rows) {
      if (rows.length === 0) return
      if (rows.some(({ pinned }) => pinned)) {
        set({ inHand: rows })
        app().navigation.openOverlay('delete-pinned')
        return
      }
      void get().deleteRows(rows)
    },
    deleteRows: (rows) => remove({ ids: rows.map(({ id }) => id), pinned: true }),
    clearShown: () => remove({ query: app().filter.applied, pinned: false }),
    undo: () => history.undo(),
    redo: () => history.redo(),
    deleted({ seqs, more }) {
      const gone = new Set(seqs)
      const { list, selection, detail } = app()
      const { selectedSeq } = list
      selection.forget((seq) => more || gone.has(seq))
      const index = selectedSeq !== null && gone.has(selectedSeq) ? indexOfSeq(list.rows, selectedSeq) : null
      if (index !== null) list.select(null)
      const wasOpen = detail.mode !== 'closed' && detail.shown !== null && gone.has(detail.shown.delivery.seq)
      if (wasOpen) detail.close()
      void list.reload().then(async () => {
        // The list stands where it stood: on what has moved up there.
        if (index !== null && app().list.selectedSeq === null) await app().list.selectIndex(index)
      })
    },
  }
}

/** What a delivery had of that which a change names. */
function marksBefore({ pinned, note, colour }: DeliveryRow, change: MarksChange): MarksChange {
  return {
    ...(change.pinned === undefined ? {} : { pinned }),
    ...(change.note === undefined ? {} : { note }),
    ...(change.colour === undefined ? {} : { colour }),
  }
}

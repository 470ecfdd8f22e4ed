/** What is done to keep deliveries or to be rid of them: pins, notes, colours, deleting and bringing back. */
import type { StateCreator } from 'zustand/vanilla'
import type { PayloadOf } from '../../../shared/contract/contract.ts'
import { deliveryCount, possibleMatches } from '../../../shared/delivery-count.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { MarksChange } from '../../../shared/model/marks.ts'
import type { NavigationSlice } from '../../state/navigation-slice.ts'
import { isQuiet, sentenceOf, type SliceContext } from '../../state/slice-context.ts'
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
  putMarks(rows: readonly DeliveryRow[], change: MarksChange): Promise<Outcome<unknown>>
  /** The same, and says where it is refused. */
  markRows(rows: readonly DeliveryRow[], change: MarksChange): Promise<void>
  /** Asks for their note. */
  editNote(rows: readonly DeliveryRow[]): void
  /** Deletes them; where something of it is pinned, asks first. */
  deleteChosen(rows: readonly DeliveryRow[]): void
  deleteRows(rows: readonly DeliveryRow[]): Promise<void>
  /** Deletes all that is shown and not pinned. */
  clearShown(): Promise<void>
  /** Takes back what was done last to marks, or deleted in the last ten seconds; whether there was something. */
  undoLast(): boolean
  /** Does again what was taken back. */
  redoLast(): boolean
  deliveriesDeleted(change: PayloadOf<'deliveries.deleted'>): void
}

interface MarksBefore {
  readonly id: string
  readonly had: MarksChange
}

/** What the slice asks of the detail. */
interface DetailOfMarks {
  readonly detailMode: 'closed' | 'pane' | 'full'
  readonly shown: { readonly delivery: DeliveryRow } | null
  closeDetail(): void
}

type Surroundings = MarksSlice &
  ListSlice &
  DetailOfMarks &
  FilterSlice &
  SelectionSlice & { readonly navigation: NavigationSlice }

export function createMarksSlice({ client, notify }: SliceContext): StateCreator<Surroundings, [], [], MarksSlice> {
  return (set, get) => {
    const history = createUndoHistory(() => performance.now())

    const fail = (title: string, error: unknown) => {
      if (!isQuiet(error)) notify({ tone: 'bad', title, message: sentenceOf(error) })
    }

    const restore = async (deletion: string) => {
      try {
        const { count } = await client.call('deliveries.restore', { deletion })
        notify({ tone: 'ok', title: `${deliveryCount(count)} brought back` })
      } catch (error) {
        fail('The deletion was not undone', error)
      }
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
        const { picked, list, selectedSeq, shown, detailMode } = get()
        if (picked.size > 0) return [...picked.values()]
        const index = selectedSeq === null ? null : indexOfSeq(list, selectedSeq)
        const row = index === null ? undefined : rowAt(list, index)
        if (row !== undefined) return [row]
        return detailMode === 'closed' || shown === null ? [] : [shown.delivery]
      },
      togglePin(rows) {
        if (rows.length > 0) void get().markRows(rows, { pinned: !rows.every(({ pinned }) => pinned) })
      },
      async putMarks(rows, change) {
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
      async markRows(rows, change) {
        sayRefused(await get().putMarks(rows, change))
      },
      editNote(rows) {
        if (rows.length === 0) return
        set({ inHand: rows })
        get().navigation.openOverlay('note')
      },
      deleteChosen(rows) {
        if (rows.length === 0) return
        if (rows.some(({ pinned }) => pinned)) {
          set({ inHand: rows })
          get().navigation.openOverlay('delete-pinned')
          return
        }
        void get().deleteRows(rows)
      },
      deleteRows: (rows) => remove({ ids: rows.map(({ id }) => id), pinned: true }),
      clearShown: () => remove({ query: get().filter, pinned: false }),
      undoLast: () => history.undo(),
      redoLast: () => history.redo(),
      deliveriesDeleted({ seqs, more }) {
        const gone = new Set(seqs)
        const { picked, list, selectedSeq, shown, detailMode } = get()
        if ([...picked.keys()].some((seq) => more || gone.has(seq)))
          set({ picked: new Map([...picked].filter(([seq]) => !more && !gone.has(seq))) })
        const index = selectedSeq !== null && gone.has(selectedSeq) ? indexOfSeq(list, selectedSeq) : null
        if (index !== null) set({ selectedSeq: null })
        const wasOpen = detailMode !== 'closed' && shown !== null && gone.has(shown.delivery.seq)
        if (wasOpen) get().closeDetail()
        void get()
          .reloadList()
          .then(async () => {
            // The list stands where it stood: on what has moved up there.
            if (index !== null && get().selectedSeq === null) await get().selectIndex(index)
          })
      },
    }
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

/** Pins and notes of deliveries. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { MarksChange } from '../../../shared/model/marks.ts'
import { settleCall, type CallResult } from '../../ui/call-problem.ts'
import type { MarksTools } from './marks-state.ts'
import type { UndoStep } from './undo-history.ts'

interface MarksBefore {
  readonly id: string
  readonly marks: MarksChange
}

function marksBefore({ pinned, note }: DeliveryRow, change: MarksChange): MarksChange {
  return {
    ...(change.pinned === undefined ? {} : { pinned }),
    ...(change.note === undefined ? {} : { note }),
  }
}

export function markActions({ client, notify, set, get, app, history }: MarksTools) {
  const callMarks = (rows: readonly Pick<DeliveryRow, 'id'>[], marks: MarksChange) =>
    settleCall(client.call('marks.set', { ids: rows.map(({ id }) => id), marks }))

  const notifyFailure = (outcome: CallResult<unknown>) => {
    if (!outcome.ok)
      notify({
        tone: 'bad',
        title: "Couldn't save the marks",
        message: outcome.problem?.message ?? '',
      })
  }

  /** Restores previous marks, with one call per distinct value. */
  const restoreMarks = async (before: readonly MarksBefore[]) => {
    for (const group of Map.groupBy(before, ({ marks }) => JSON.stringify(marks)).values())
      if (group[0] !== undefined) notifyFailure(await callMarks(group, group[0].marks))
  }

  const actions = {
    /** Keeps an unsaved note; null discards it. */
    keepTyped(about: string, note: string | null) {
      const typed = new Map(get().typed)
      if (note === null) typed.delete(about)
      else typed.set(about, note)
      set({ typed })
    },
    /** Pins deliveries; if all are pinned, unpins them. */
    togglePin(rows: readonly DeliveryRow[]) {
      if (rows.length > 0) void actions.set(rows, { pinned: !rows.every(({ pinned }) => pinned) })
    },
    /** Changes marks, for a form that stays open on failure. */
    async put(rows: readonly DeliveryRow[], change: MarksChange) {
      // The history has many steps of up to ten thousand deliveries, so only their marks are kept.
      const before = rows.map((row): MarksBefore => ({
        id: row.id,
        marks: marksBefore(row, change),
      }))
      const step: UndoStep = {
        undo: () => void restoreMarks(before),
        until: Number.POSITIVE_INFINITY,
      }
      // Added before the call returns: the rows already show the mark.
      history.add(step)
      const outcome = await callMarks(before, change)
      if (!outcome.ok) history.forget(step)
      return outcome
    },
    /** Changes marks, with a notice on failure. */
    async set(rows: readonly DeliveryRow[], change: MarksChange) {
      notifyFailure(await actions.put(rows, change))
    },
    editNote(rows: readonly DeliveryRow[]) {
      if (rows.length === 0) return
      set({ concerned: rows })
      app().navigation.openOverlay('note')
    },
  }
  return actions
}

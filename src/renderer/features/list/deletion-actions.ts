/** Deleting deliveries, with an undo for a limited time. */
import type { OutputOf, PayloadOf } from '../../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { unlistedWords } from '../../../shared/query/unlisted.ts'
import { boundedCount, deliveryCount, possibleMatchCount } from '../../../shared/text/english.ts'
import { indexOfSeq } from './row-list.ts'
import type { MarksTools } from './marks-state.ts'
import type { UndoStep } from './undo-history.ts'

interface Deletion {
  readonly ids?: string[]
  readonly query?: string
  readonly pinned: boolean
}

/** Returns the label of the command that deletes the matches of a query. */
export function clearWords(query: string): string {
  return query === ''
    ? 'Delete all that is not pinned'
    : 'Delete matching deliveries that are not pinned'
}

/** Returns the part of a notice about deliveries that were kept. */
function keptMessage(
  { spared, possible }: OutputOf<'deliveries.delete'>,
  unlisted: string,
): { readonly message?: string } {
  const notes = [
    ...(spared === 0
      ? []
      : [
          `${deliveryCount(spared)} ${spared === 1 ? 'is' : 'are'} pinned and ${spared === 1 ? 'was' : 'were'} kept.`,
        ]),
    ...(possible === 0
      ? []
      : [
          `Kept ${possibleMatchCount(possible)}. Add is:possible to the filter to delete them too.`,
        ]),
    ...(unlisted === '' ? [] : [`Kept ${unlisted}. Add is:any to the filter to delete them too.`]),
  ]
  return notes.length === 0 ? {} : { message: notes.join(' ') }
}

export function deletionActions(tools: MarksTools) {
  const { set, app, openDelivery } = tools
  const remove = (deletion: Deletion) => deleteWithUndo(tools, deletion)
  const deleteRows = (rows: readonly DeliveryRow[]) =>
    remove({ ids: rows.map(({ id }) => id), pinned: true })
  return {
    deleteRows,
    /** Deletes deliveries, after a question if any is pinned. */
    deleteChosen(rows: readonly DeliveryRow[]) {
      if (rows.length === 0) return
      if (rows.some(({ pinned }) => pinned)) {
        set({ concerned: rows })
        app().navigation.openOverlay('delete-pinned')
        return
      }
      void deleteRows(rows)
    },
    /** Deletes all listed deliveries that aren't pinned. */
    clearShown: () => remove({ query: app().filter.applied, pinned: false }),
    deleted(change: PayloadOf<'deliveries.deleted'>) {
      const { seqs, more } = change
      const gone = new Set(seqs)
      const { list, selection, detail, navigation } = app()
      const { selectedSeq } = list
      selection.forget((seq) => more || gone.has(seq))
      const index =
        selectedSeq !== null && gone.has(selectedSeq) ? indexOfSeq(list.rows, selectedSeq) : null
      // The row leaves the list before its delivery closes, which would move the list to the
      // newest.
      const removed = list.deleted(change)
      const candidates = [openDelivery(), list.rows.rows.get(selectedSeq ?? 0)]
      const { id: openId } = navigation.at.deliveries
      if (candidates.some((row) => row !== undefined && row.id === openId && gone.has(row.seq)))
        detail.close()
      void removed.then(async () => {
        // Select the row that moved up at once: without a selection, the list would jump.
        if (index === null || app().list.selectedSeq !== selectedSeq) return
        if ((await app().list.selectIndex(index)) === null) list.select(null)
      })
    },
  }
}

async function deleteWithUndo(
  { client, act, notify, fail, history }: MarksTools,
  deletion: Deletion,
): Promise<void> {
  const restore = (id: string) =>
    act("Couldn't undo the deletion", () => client.call('deliveries.restore', { deletion: id }), {
      done: ({ count }) => ({ tone: 'ok', title: `${deliveryCount(count)} restored` }),
    })
  const response = client.call('deliveries.delete', deletion)
  // Deleting everything spares what the list leaves out; it is counted apart.
  const unlisted =
    deletion.query === ''
      ? client.call('deliveries.counts', { queries: ['is:flow', 'is:composed'] }).catch(() => null)
      : null
  let until = Number.POSITIVE_INFINITY
  let isUndone = false
  // Added before the call returns: the rows have disappeared, and a quick undo means this deletion.
  const step: UndoStep = {
    undo() {
      isUndone = true
      // A failure is reported below.
      response.then(
        ({ deletion: id }) => (id === null ? undefined : restore(id)),
        () => undefined,
      )
    },
    get until() {
      return until
    },
  }
  history.add(step)
  try {
    const result = await response
    const [flowRuns, composed] = ((await unlisted)?.counts ?? []).map((counted) =>
      counted === null || counted.count === 0 ? null : boundedCount(counted),
    )
    const message = keptMessage(
      result,
      unlistedWords({ 'is:flow': flowRuns ?? null, 'is:composed': composed ?? null }),
    )
    if (result.deletion === null) {
      history.forget(step)
      notify({ tone: 'ok', title: 'Nothing to delete', ...message })
      return
    }
    until = performance.now() + result.undoMs
    if (isUndone) return
    notify({
      tone: 'ok',
      title: `${deliveryCount(result.count)} deleted`,
      ...message,
      action: {
        label: 'Undo',
        run: () => {
          history.forget(step)
          step.undo()
        },
      },
      shownForMs: result.undoMs,
    })
  } catch (error) {
    history.forget(step)
    fail("Couldn't delete", error)
  }
}

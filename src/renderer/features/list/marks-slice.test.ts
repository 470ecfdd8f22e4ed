import { expect, test } from 'vitest'
import { openAskedWindow } from '../../../../test/browser/open-window.ts'
import { packSeqs } from '../../../shared/rpc/delivery-seqs.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { BLANK_DELIVERY } from '../../../shared/model/delivery.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import { UndoHistory, type UndoStep } from './undo-history.ts'

function start() {
  const { core, know, notify, store, state } = openAskedWindow()
  const titles = () => notify.mock.calls.map(([{ title }]) => title)
  const messages = () => notify.mock.calls.map(([{ message }]) => message)
  return { core, know, notify, store, titles, messages, state }
}

test('the last step is undone first; a deletion once, while its time lasts', () => {
  let now = 0
  const undone: string[] = []
  const step = (name: string, until = Number.POSITIVE_INFINITY): UndoStep => ({
    undo: () => undone.push(name),
    until,
  })
  const history = new UndoHistory(() => now)
  expect(history.undo()).toBe(false)
  const deletion = step('deletion', 10)
  history.add(step('pin'))
  history.add(deletion)
  expect([history.undo(), history.undo(), history.undo()]).toEqual([true, true, false])
  history.add(deletion)
  history.forget(deletion)
  expect(history.undo()).toBe(false)
  history.add(deletion)
  now = 11
  expect(history.undo()).toBe(false)
  expect(undone).toEqual(['deletion', 'pin'])
})

const soon = () => new Promise((done) => setTimeout(done, 0))

test('a mark can be undone before its call returns', async () => {
  const { core, state } = start()
  const row = deliveryRow(1)
  state().marks.togglePin([row])
  const first = core.next('marks.set')
  expect(first.input['marks']).toEqual({ pinned: true })
  expect(state().marks.undo()).toBe(true)
  expect(core.next('marks.set').input['marks']).toEqual({ pinned: false })
  await first.answer({ count: 1 })
  expect(state().marks.undo()).toBe(false)
})

test('a rejected mark is not undone', async () => {
  const { core, titles, state } = start()
  state().marks.togglePin([deliveryRow(1)])
  await core.next('marks.set').refuse(new AppError('STORE_UNAVAILABLE', 'The disk is full.'))
  expect([titles(), state().marks.undo()]).toEqual([["Couldn't save the marks"], false])
})

test('a deletion can be undone before its call returns; no notice says that it was deleted', async () => {
  const { core, titles, state } = start()
  void state().marks.deleteRows([deliveryRow(1)])
  const deletion = core.next('deliveries.delete')
  expect(state().marks.undo()).toBe(true)
  expect(core.asked.filter(({ command }) => command === 'deliveries.restore')).toEqual([])
  await deletion.answer({ deletion: '7', count: 1, spared: 0, possible: 0, undoMs: 10_000 })
  const restored = core.next('deliveries.restore')
  expect(restored.input).toEqual({ deletion: '7' })
  await restored.answer({ count: 1 })
  expect([titles(), state().marks.undo()]).toEqual([['1 delivery restored'], false])
})

test('a deletion reports the deliveries it kept: pinned ones, possible matches and those of flow runs', async () => {
  const { core, state, messages } = start()
  void state().marks.clearShown()
  await core.answer('deliveries.counts', { counts: [{ count: 12, more: false }] })
  await core.answer('deliveries.delete', {
    deletion: '7',
    count: 3,
    spared: 1,
    possible: 2,
    undoMs: 10_000,
  })
  await soon()
  expect(messages()).toEqual([
    '1 delivery is pinned and was kept. Kept 2 possible matches. Add is:possible to the filter to delete them too. Kept 12 from flow runs. Add is:any to the filter to delete them too.',
  ])
})

test("another feature's deletion is undone once: by the undo key, or by its notice", async () => {
  for (const by of ['key', 'notice'] as const) {
    const { core, notify, titles, state } = start()
    void state().handlers.remove({ id: 'h', name: 'local' } as SavedHandler)
    await core.answer('handlers.remove', { removal: '7' })
    await soon()
    if (by === 'key') expect(state().marks.undo()).toBe(true)
    else notify.mock.calls[0]?.[0].action?.run()
    const restored = core.next('handlers.restore')
    expect([by, restored.input, state().marks.undo()]).toEqual([by, { removal: '7' }, false])
    await restored.answer({ handler: { id: 'h', name: 'local' } })
    await soon()
    expect(titles()).toEqual(['@local deleted', '@local restored'])
  }
})

test('a deletion that found nothing or was rejected is not undone', async () => {
  const { core, titles, state } = start()
  void state().marks.deleteRows([deliveryRow(1)])
  await core.answer('deliveries.delete', {
    deletion: null,
    count: 0,
    spared: 0,
    possible: 0,
    undoMs: 0,
  })
  expect(state().marks.undo()).toBe(false)
  for (const isUndone of [true, false]) {
    void state().marks.deleteRows([deliveryRow(1)])
    const refused = core.next('deliveries.delete')
    if (isUndone) state().marks.undo()
    await refused.refuse(new AppError('STORE_UNAVAILABLE', 'The disk is full.'))
    await soon()
    expect([titles().at(-1), state().marks.undo()]).toEqual(["Couldn't delete", false])
  }
})

test('deleting the ticked delivery leaves another one open while that still loads; deleting the open one closes it', async () => {
  const { know, state } = start()
  const [ticked, open] = [deliveryRow(1), deliveryRow(2)]
  state().list.changed({ added: [open, ticked], updated: [], skipped: 0, total: 2 })
  state().detail.open(ticked.id, false)
  know('deliveries.get', { id: ticked.id }, { ...BLANK_DELIVERY, ...ticked })

  state().list.select(open)
  state().detail.open(open.id, false)
  state().marks.deleted({ seqs: [ticked.seq], more: false, total: 1 })
  expect(state().navigation.at.deliveries.id).toBe(open.id)
  state().marks.deleted({ seqs: [open.seq], more: false, total: 0 })
  expect(state().navigation.at.deliveries.id).toBe(undefined)
})

test('deleting the selected row leaves the rest in place, although new deliveries arrived above', async () => {
  const { core, state } = start()
  void state().list.reload()
  await core.answer('deliveries.seqs', { seqs: packSeqs([3, 2, 1]), newest: 3, next: null })
  await core.answer('deliveries.rows', { rows: [3, 2, 1].map((seq) => deliveryRow(seq)) })
  state().list.select(deliveryRow(3))
  state().list.changed({
    added: [deliveryRow(5), deliveryRow(4)],
    updated: [],
    skipped: 0,
    total: 5,
  })
  const { reveal } = state().list
  state().marks.deleted({ seqs: [3], more: false, total: 4 })
  expect(state().list).toMatchObject({ unseen: 2, held: true, reveal })
  await soon()
  expect(state().list).toMatchObject({
    unseen: 2,
    held: true,
    selectedSeq: 2,
    reveal: { seq: 2 },
  })
  state().marks.deleted({ seqs: [5, 4, 2, 1], more: false, total: 0 })
  await soon()
  expect(state().list.selectedSeq).toBe(null)
})

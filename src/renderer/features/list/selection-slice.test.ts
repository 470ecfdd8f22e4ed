import { expect, test } from 'vitest'
import { openAskedWindow } from '../../../../test/browser/open-window.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import { packSeqs } from '../../../shared/rpc/delivery-seqs.ts'
import { AppError } from '../../../shared/contract/errors.ts'

function start(filter: string) {
  const window = openAskedWindow()
  window.store.setState((state) => ({ filter: { ...state.filter, applied: filter } }))
  return window
}

const seqsFrom = (seq: number, count: number) =>
  Array.from({ length: count }, (_, index) => seq - index)

const answerRows = ({ core }: ReturnType<typeof start>) => {
  const asked = core.next('deliveries.rows')
  return asked.answer({ rows: (asked.input['seqs'] as number[]).map((seq) => deliveryRow(seq)) })
}

test('selects everything that matches, loaded or not', async () => {
  const window = start('coffee')
  const { core, state } = window
  state().selection.toggle(deliveryRow(9_999))
  const done = state().selection.selectAll()
  const first = core.next('deliveries.seqs')
  expect(first.input).toEqual({ query: 'coffee', limit: 500 })
  await first.answer({ seqs: packSeqs(seqsFrom(5_000, 500)), newest: 9_999, next: 4_500 })
  await core.answer('deliveries.seqs', {
    seqs: packSeqs(seqsFrom(4_500, 503)),
    newest: 9_999,
    next: null,
  })
  await answerRows(window)
  await answerRows(window)
  await done
  expect([
    state().selection.rows.size,
    state().selection.rows.has(9_999),
    state().selection.rows.has(3_998),
  ]).toEqual([1_003, false, true])
  expect(state().selection.ofMore).toBe(false)
})

test('selects the newest if more match than an action allows, and remembers that until one is selected by hand', async () => {
  const window = start('')
  const { core, state } = window
  const done = state().selection.selectAll()
  await core.answer('deliveries.seqs', {
    seqs: packSeqs(seqsFrom(20_000, 10_001)),
    newest: 20_000,
    next: 9_999,
  })
  for (let page = 0; page < 10; page++) await answerRows(window)
  await done
  expect([
    state().selection.rows.size,
    state().selection.rows.has(10_001),
    state().selection.rows.has(10_000),
  ]).toEqual([10_000, true, false])
  expect(state().selection.ofMore).toBe(true)
  state().selection.toggle(deliveryRow(20_000))
  expect([state().selection.rows.size, state().selection.ofMore]).toEqual([9_999, false])
})

test('changes to the selection during loading are kept', async () => {
  const { core, state } = start('')
  const done = state().selection.selectAll()
  const asked = core.next('deliveries.seqs')
  state().selection.toggle(deliveryRow(1))
  await asked.answer({ seqs: [3, -1, -1], newest: 3, next: null })
  await done
  expect([...state().selection.rows.keys()]).toEqual([1])
})

test('a failed load keeps the selection and reports the failure', async () => {
  const { core, notify, state } = start('')
  state().selection.toggle(deliveryRow(1))
  const done = state().selection.selectAll()
  await core.next('deliveries.seqs').refuse(new AppError('STORE_UNAVAILABLE', 'The disk is full.'))
  await done
  expect([...state().selection.rows.keys()]).toEqual([1])
  expect(notify).toHaveBeenCalledWith({
    tone: 'bad',
    title: "Couldn't select deliveries",
    message: 'The disk is full.',
  })
})

import { expect, test } from 'vitest'
import { openAskedWindow } from '../../../../test/browser/open-window.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import { AppError } from '../../../shared/contract/errors.ts'

function start(filter: string) {
  const window = openAskedWindow()
  window.store.setState((state) => ({ filter: { ...state.filter, applied: filter } }))
  return window
}

/** Rows from a seq downward, as in a loaded page. */
const rowsFrom = (seq: number, count: number) =>
  Array.from({ length: count }, (_, index) => deliveryRow(seq - index))

test('selects everything that matches, loaded or not', async () => {
  const { core, state } = start('coffee')
  state().selection.toggle(deliveryRow(9_999))
  const done = state().selection.selectAll()
  const first = core.next('deliveries.page')
  expect(first.input).toEqual({ query: 'coffee', limit: 1_000 })
  await first.answer({ rows: rowsFrom(5_000, 1_000) })
  const second = core.next('deliveries.page')
  expect(second.input).toEqual({ query: 'coffee', from: 4_000, limit: 1_000 })
  await second.answer({ rows: rowsFrom(4_000, 3) })
  await done
  expect([
    state().selection.rows.size,
    state().selection.rows.has(9_999),
    state().selection.rows.has(3_998),
  ]).toEqual([1_003, false, true])
  expect(state().selection.ofMore).toBe(false)
})

test('selects the newest if more match than an action allows, and remembers that until one is selected by hand', async () => {
  const { core, state } = start('')
  const done = state().selection.selectAll()
  for (let page = 0; page < 10; page++)
    await core.answer('deliveries.page', { rows: rowsFrom(20_000 - page * 1_000, 1_000) })
  const last = core.next('deliveries.page')
  expect(last.input).toEqual({ from: 10_000, limit: 1 })
  await last.answer({ rows: rowsFrom(10_000, 1) })
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
  const asked = core.next('deliveries.page')
  state().selection.toggle(deliveryRow(1))
  await asked.answer({ rows: rowsFrom(3, 3) })
  await done
  expect([...state().selection.rows.keys()]).toEqual([1])
})

test('a failed load keeps the selection and reports the failure', async () => {
  const { core, notify, state } = start('')
  state().selection.toggle(deliveryRow(1))
  const done = state().selection.selectAll()
  await core.next('deliveries.page').refuse(new AppError('STORE_UNAVAILABLE', 'The disk is full.'))
  await done
  expect([...state().selection.rows.keys()]).toEqual([1])
  expect(notify).toHaveBeenCalledWith({
    tone: 'bad',
    title: "Couldn't select deliveries",
    message: 'The disk is full.',
  })
})

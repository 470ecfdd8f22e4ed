import { expect, test } from 'vitest'
import { openAskedWindow } from '../../../../test/browser/open-window.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import { BLANK_DELIVERY } from '../../../shared/model/delivery.ts'
import type { AppStatus } from '../../../shared/model/status.ts'
import { followCore } from '../../core-data/events.ts'

function start() {
  const window = openAskedWindow()
  window.store.setState(({ core }) => ({
    core: { ...core, status: { store: { deliveries: 1 } } as AppStatus },
  }))
  return { ...window, here: () => window.state().navigation.at.deliveries }
}

test('a click opens a delivery with the tab shown last, also after it was closed, and asks nothing', () => {
  const { core, state, here } = start()
  const [row, other] = [deliveryRow(1), deliveryRow(2)]
  state().list.changed({ added: [other, row], updated: [], skipped: 0, total: 2 })
  state().list.select(row)
  state().detail.open(row.id, false)
  expect(here()).toEqual({ id: 'id-1', tab: 'overview' })
  state().detail.setTab('raw')
  state().detail.close()
  state().list.select(other)
  state().detail.open(other.id, false)
  expect(here()).toEqual({ id: 'id-2', tab: 'raw' })
  expect(core.asked.map(({ command }) => command)).not.toContain('deliveries.get')
})

test('a link without a tab opens the delivery with the tab shown last', async () => {
  const { core, state, here } = start()
  state().navigation.go('deliveries', { id: 'id-1', tab: 'raw' })
  await core.answer('deliveries.get', { ...BLANK_DELIVERY, ...deliveryRow(1) })
  state().navigation.go('deliveries', { id: 'id-2' })
  await core.answer('deliveries.get', { ...BLANK_DELIVERY, ...deliveryRow(2) })
  expect([here(), state().list.selectedSeq]).toEqual([{ id: 'id-2', tab: 'raw' }, 2])
})

test('a link with a short ID is shown in the list, and becomes the address of the delivery', async () => {
  const { core, state, here } = start()
  state().navigation.go('deliveries', { id: 'latest', tab: 'body' })
  await core.answer('deliveries.get', { ...BLANK_DELIVERY, ...deliveryRow(7) })
  expect(here()).toEqual({ id: 'id-7', tab: 'body' })
  expect([state().list.selectedSeq, state().detail.focus]).toEqual([7, 1])
})

test('a link to a delivery that no longer exists stays, and the pane says so', async () => {
  const { core, state, here, notify } = start()
  state().navigation.go('deliveries', { id: 'gone' })
  await core.next('deliveries.get').refuse(new Error('Delivery gone not found.'))
  expect([here().id, state().list.selectedSeq, notify.mock.calls]).toEqual(['gone', null, []])
})

test('a changed delivery is read again if it is known, others are not', async () => {
  const { core, data, know } = start()
  followCore(core.client, data)
  know('deliveries.get', { id: 'id-1' }, { ...BLANK_DELIVERY, ...deliveryRow(1) })
  const updated = [deliveryRow(1), deliveryRow(2)]
  core.emit('deliveries.changed', { added: [], updated, skipped: 0, total: 2 })
  const isOutdated = (id: string) =>
    data.queries.getQueryState(['deliveries.get', { id }])?.isInvalidated
  expect([isOutdated('id-1'), isOutdated('id-2')]).toEqual([true, undefined])
})

test.each([
  ['valid', 'valid', undefined, 'Verified again: still valid', undefined],
  [
    'unknown-hook',
    'valid',
    { id: 'hook', event: 'card.linked' },
    'Verified again: now valid',
    "Signed with the card.linked hook's secret. The original verdict is kept.",
  ],
  [
    'unknown-hook',
    'unknown-hook',
    undefined,
    'Verified again: still without a matching hook',
    undefined,
  ],
] as const)('verifying again: %s, then %s', async (before, now, hook, title, message) => {
  const { core, know, notify, state, store } = start()
  const row = deliveryRow(1, { verdict: before })
  know('deliveries.get', { id: row.id }, { ...BLANK_DELIVERY, ...row })
  store.setState((all) => ({ core: { ...all.core, hooks: (hook ? [hook] : []) as never } }))
  state().navigation.go('deliveries', { id: row.id })
  const done = state().detail.verifyAgain()
  const report = { verdict: now, verifiedHere: true, hookId: 'hook' } as never
  await core.answer('deliveries.diagnose', { report, computed: null })
  await done
  expect(notify).toHaveBeenCalledWith(expect.objectContaining({ title }))
  expect(notify.mock.calls[0]?.[0].message).toBe(message)
})

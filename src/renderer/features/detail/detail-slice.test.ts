import { expect, test } from 'vitest'
import { openAskedWindow } from '../../../../test/browser/open-window.ts'
import { deliveryRow } from '../../../../test/support/delivery-row.ts'
import { BLANK_DELIVERY } from '../../../shared/model/delivery.ts'

function start() {
  const { core, state } = openAskedWindow()
  return { core, detail: () => state().detail }
}

test('a click shows what the row has at once, and all reads run side by side', async () => {
  const { core, detail } = start()
  const row = deliveryRow(1, { verdict: 'invalid', bodySize: 2 })
  detail().open(row.id, false, row)
  expect(detail().shown).toMatchObject({
    loaded: false,
    delivery: { id: 'id-1', verdict: 'invalid' },
  })
  expect(core.asked.map(({ command }) => command.replace('deliveries.', '')).toSorted()).toEqual([
    'attempts',
    'body',
    'get',
    'schema',
    'signature',
  ])
  await core.next('deliveries.get').answer({ ...BLANK_DELIVERY, ...row })
  await core.next('deliveries.signature').refuse(new Error('gone'))
  await core.next('deliveries.schema').refuse(new Error('gone'))
  await core.next('deliveries.attempts').answer({ rows: [row] })
  expect(detail().shown?.loaded).toBe(false)
  await core.next('deliveries.body').answer({ offset: 0, size: 2, base64: btoa('{}') })
  expect(detail().shown).toMatchObject({
    loaded: true,
    schema: null,
    body: { size: 2 },
    attempts: [{ id: 'id-1' }],
  })
})

test('another tab keeps the previous delivery until the next one is loaded', () => {
  const { detail } = start()
  detail().setTab('raw')
  detail().open('id-1', false, deliveryRow(1))
  expect(detail().shown).toBe(null)
})

import { startRawEndpoint } from '../support/replay-fixture.ts'
import {
  buttonIn,
  click,
  dialogIn,
  groupIn,
  menuItemIn,
  press,
  regionIn,
  select,
} from './controls.ts'
import { expect, jsonAnswer, rowsWith, test } from './fixtures.ts'

test("a handler's page compares its runs with another handler's: groups open into deliveries and differences, and r repeats one", async ({
  app,
  page,
}) => {
  const before = await startRawEndpoint(() => jsonAnswer(200, { booked: true, total: 1 }))
  const now = await startRawEndpoint(({ body }) =>
    body.includes('"refused":true')
      ? jsonAnswer(500, { error: 'LedgerConflict' })
      : jsonAnswer(200, { booked: true, total: 2 }),
  )
  const hook = await app.importHook('transaction.auth', 'compared')
  for (const number of [1, 2, 3, 4, 5])
    await app.deliver(hook, JSON.stringify({ id: `purchase-${number}`, refused: number > 3 }))
  await expect(rowsWith(page, 'transaction.auth')).toHaveCount(5)
  for (const [name, url] of [
    ['new', now.origin],
    ['previous', before.origin],
  ])
    await app.command('handlers', 'add', name ?? '', '--url', url ?? '')

  await press(page, 'g', 'e')
  const handler = regionIn(page, 'Handler new')
  await click(handler, 'More actions')
  await menuItemIn(page, 'Compare runs…').click()
  const form = dialogIn(page, 'Compare runs')
  await expect(form.getByLabel('Handler')).toHaveText('@new')
  await select(form, 'Compare with', /^@previous/)
  await click(form, 'Compare 5 deliveries')

  const replays = dialogIn(page, 'Replays')
  const comparison = groupIn(replays, 'Comparison')
  await expect(comparison).toContainText('5 deliveries: 2 regressed, 3 changed.')
  const changed = buttonIn(comparison, /^3 ×/)
  await expect(changed).toContainText('transaction.auth200, body "total": 1 → 2')
  const regressed = buttonIn(comparison, /^2 ×/)
  await expect(regressed).toContainText('transaction.auth200 → 500, body "error": "LedgerConflict"')
  await regressed.focus()
  await press(page, 'Enter')
  const deliveries = comparison.getByRole('list', { name: 'Deliveries' })
  await expect(deliveries.getByRole('listitem')).toHaveCount(2)
  await press(page, 'Tab', 'Tab', 'Enter')
  const response = regionIn(deliveries, 'Response differences')
  await expect(response).toContainText('error: "LedgerConflict"')
  await expect(regionIn(deliveries, 'Request differences')).toBeVisible()

  await regressed.focus()
  await press(page, 'r')
  await expect(comparison).toContainText('2 deliveries: 2 regressed.')
  expect(now.requests).toHaveLength(7)
  expect(before.requests).toHaveLength(7)
  await Promise.all([before.close(), now.close()])
})

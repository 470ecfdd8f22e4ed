import { buttonIn, dialogIn, groupIn, menuItemIn, tabIn, press } from './controls.ts'
import { expect, openRow, rowsWith, test } from './fixtures.ts'

test.use({
  appearance: {
    colorScheme: 'light',
    viewport: { width: 900, height: 900 },
    reducedMotion: 'reduce',
  },
})

test("beside a delivery, the list's buttons are one menu with words and keys, by key too, and a handler's status is whole; tabs that don't fit are in a menu", async ({
  app,
  endpoint,
  page,
}) => {
  const hook = await app.importHook('transaction.auth', 'menu')
  // Schema messages quote a value that has no place to break.
  await app.deliver(hook, JSON.stringify({ accountId: 'x'.repeat(60) }))
  await app.command('replay', 'latest', '--to', endpoint.origin).catch(() => '')
  const detail = await openRow(page, 'transaction.auth', 'Overview')
  await expect(detail.getByRole('list', { name: 'Failed checks' })).toContainText('x'.repeat(50))
  const overview = groupIn(detail, 'Overview')
  expect(
    await overview.evaluate((element) => element.scrollWidth - element.clientWidth),
  ).toBeLessThanOrEqual(0)
  const [field, more] = [
    page.getByRole('combobox').first(),
    buttonIn(page, 'More', { exact: true }).first(),
  ]
  const [one, other] = [await field.boundingBox(), await more.boundingBox()]
  expect(Math.abs((one?.y ?? 0) - (other?.y ?? 0))).toBeLessThan(20)
  await more.focus()
  await press(page, 'Enter')
  await expect(menuItemIn(page, 'Follow newest')).toContainText('f')
  await expect(menuItemIn(page, 'Delete all that is not pinned')).toBeVisible()
  await menuItemIn(page, 'Columns').press('ArrowRight')
  await expect(page.getByRole('menuitemcheckbox', { name: 'Merchant' })).toBeVisible()
  await press(page, 'Escape', 'Escape')
  await more.click()
  await menuItemIn(page, 'Import deliveries…').click()
  await expect(dialogIn(page, 'Import deliveries')).toBeVisible()
  await press(page, 'Escape')
  const status = rowsWith(page, 'transaction.auth').locator('[data-column=handler]')
  expect(
    await status.evaluate((cell) => cell.scrollWidth - cell.clientWidth),
    await status.innerText(),
  ).toBeLessThanOrEqual(0)

  const cells = await detail
    .getByLabel('Responses', { exact: true })
    .evaluate((line) => line.scrollWidth - line.clientWidth)
  expect(cells).toBeLessThanOrEqual(0)
  await page.setViewportSize({ width: 400, height: 900 })
  await expect(tabIn(detail, 'Raw')).toHaveCount(0)
  const views = buttonIn(detail, 'More delivery views')
  await views.focus()
  await press(page, 'Enter')
  await expect(menuItemIn(page, 'Raw')).toBeVisible()
  await press(page, 'End', 'Enter')
  await expect(tabIn(detail, 'Raw')).toHaveAttribute('aria-selected', 'true')
  await page.setViewportSize({ width: 1600, height: 700 })
  await expect(views).toBeHidden()
  await expect(detail.getByRole('tab')).toHaveCount(6)
})

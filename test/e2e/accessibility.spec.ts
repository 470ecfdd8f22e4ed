/** axe finds no violations on any screen, in either theme. */
import { expectNoViolationsInBothThemes } from './accessible.ts'
import { expect, listOf, openRow, test } from './fixtures.ts'

test('every screen and overlay is accessible, dark and light', async ({ app }) => {
  // Each axe run takes seconds on a busy computer.
  test.slow()
  const { page } = app
  await expect(page.getByRole('heading', { name: 'Receive your first webhook' })).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'first run')

  const hook = await app.importHook('transaction.auth', 'axe')
  await app.deliver(hook, '{"amount":10.00,"list":[true,null,"text"]}')
  await app.deliver(hook, '{"amount":10.00}', { timestamp: String(Date.now() - 600_000) })
  await app.deliver(hook, '{"amount":1}', { body: '{"amount":2}' })
  await app.send('/nobody', 'plain text', [], 'PUT')
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '5')
  const detail = await openRow(page, 'Invalid')
  for (const tab of ['Overview', 'Signature', 'Body', 'Headers', 'Attempts', 'Raw']) {
    await detail.getByRole('tab', { name: tab }).click()
    await expectNoViolationsInBothThemes(app, tab, tab === 'Overview' ? 'html' : '[aria-label="Delivery"]')
  }
  await openRow(page, 'stale')
  await detail.getByRole('tab', { name: 'Signature' }).click()
  await expectNoViolationsInBothThemes(app, 'stale', '[aria-label="Delivery"]')
  await page.getByRole('button', { name: 'Full width' }).click()
  await expectNoViolationsInBothThemes(app, 'full width')
  await page.getByRole('button', { name: 'Show beside the list' }).click()
  await page.getByRole('button', { name: 'Pause capture' }).click()
  await expect(page.getByText('Capture paused.')).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'paused')
  await page.getByLabel('Filter deliveries').fill('is:nonsense ')
  await expect(page.getByRole('alert')).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'filter refused')

  await page.getByRole('button', { name: 'Hooks', exact: true }).click()
  await expectNoViolationsInBothThemes(app, 'hooks')
  await page.getByRole('button', { name: 'Import hook' }).click()
  await page.getByRole('button', { name: 'Import hook' }).click()
  await expectNoViolationsInBothThemes(app, 'import dialog')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Settings' }).click()
  for (const section of ['Environments', 'Receiver', 'Keyboard', 'Storage']) {
    await page.getByRole('navigation', { name: 'Settings sections' }).getByRole('button', { name: section }).click()
    await expectNoViolationsInBothThemes(app, `settings: ${section}`)
  }
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByLabel('Search commands')).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'palette')
  await page.keyboard.press('Escape')
  await expect(page.getByLabel('Search commands')).toBeHidden()
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'shortcuts')
})

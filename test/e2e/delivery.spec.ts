/** Every part of an open delivery by mouse: its actions, tabs, editors and rows. */
import { samplePayloads } from '../support/sample-payloads.ts'
import { buttonIn, click, groupIn, headingIn, menuItemIn, regionIn, tabIn } from './controls.ts'
import { expect, openRow, rowsWith, test } from './fixtures.ts'

test('each tab, row and editor of a delivery takes a click', async ({ app, endpoint, page }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const hook = await app.importHook('transaction.auth', 'clicked')
  await app.command('handlers', 'add', 'local', '--url', `${endpoint.origin}/hooks`)
  const { programId: _, ...rest } = samplePayloads['transaction.auth'] as Record<string, unknown>
  await app.deliver(hook, JSON.stringify(rest))
  const detail = await openRow(page, 'transaction.auth', 'Overview')

  // One row: verdict, event, time and ID; then what to do.
  await expect(headingIn(detail, /Valid.*transaction\.auth/)).toBeVisible()
  await click(detail, 'Replay to @local')
  await expect.poll(() => endpoint.requests.length).toBe(1)
  await click(detail, 'Copy…')
  await menuItemIn(page, 'Copy headers').click()
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toContain('x-service-signature')

  // The failed check and where it is; the passed ones are folded.
  await expect(detail.getByText('1 schema error').first()).toBeVisible()
  const passed = buttonIn(detail, /checks? passed/)
  await expect(passed).toHaveAttribute('aria-expanded', 'false')
  await passed.click()
  await expect(detail.getByRole('list', { name: 'Passed checks' })).toContainText('Signature valid')
  await click(detail, 'Show in body: programId')
  await expect(tabIn(detail, /^Body/)).toHaveAttribute('aria-selected', 'true')

  const tree = detail.getByRole('tree', { name: 'Body' })
  const missing = tree.getByRole('treeitem').filter({ hasText: 'programId' })
  await expect(missing).toHaveAttribute('aria-selected', 'true')
  await tree.getByRole('treeitem').filter({ hasText: '"amount"' }).click()
  await expect(groupIn(detail, 'Selected value')).toContainText('amount')
  await click(detail, 'Copy path')
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('amount')
  for (const view of ['Formatted', 'As sent'] as const) {
    await detail.getByText(view, { exact: true }).click()
    const editor = detail.getByRole('textbox', { name: 'Body', exact: true })
    await editor.getByText('currency').first().click()
    await expect(editor).toBeFocused()
  }
  await click(detail, 'Search body')
  await detail.getByRole('textbox', { name: 'Search', exact: true }).click()
  await page.keyboard.type('currency')
  await expect(detail.locator('.cm-count')).toHaveText(/^\d+ (of \d+|match)/)
  await page.keyboard.press('Enter')
  await expect(detail.locator('.cm-count')).toHaveText(/^\d of \d+$/)
  await page.keyboard.press('Escape')
  await detail.getByText('Hex', { exact: true }).click()
  await expect(groupIn(detail, 'Body', { exact: true })).toBeVisible()
  await detail.getByText('Tree', { exact: true }).click()

  await tabIn(detail, 'Headers').click()
  await detail.getByRole('rowheader', { name: 'content-type' }).click()
  await tabIn(detail, 'Signature').click()
  await click(detail, 'Verify again with current hooks')
  await expect(regionIn(page, 'Notifications')).toContainText('Verified again: still valid')
  await click(detail, 'Verify in your code')
  await expect(detail.getByLabel('Program in Node')).toContainText('WEBHOOK_SECRET')
  await detail.getByText('Python', { exact: true }).click()
  await expect(detail.getByLabel('Program in Python')).toContainText('hmac.compare_digest')
  expect(await detail.textContent()).not.toContain(hook.secret)

  await tabIn(detail, 'History').click()
  await expect(groupIn(detail, 'History')).toContainText('this delivery')
  const replay = buttonIn(detail, /^Replay: /)
  await expect(replay).toHaveAttribute('aria-expanded', 'true')
  const response = detail.getByRole('textbox', { name: 'Response', exact: true })
  const result = regionIn(detail, 'Result')
  await result.getByText('Request', { exact: true }).click()
  await result.getByRole('textbox', { name: 'Request' }).getByText('POST /hooks').click()
  await expect(response).toHaveCount(0)
  await replay.click()
  await expect(result).toHaveCount(0)
  await buttonIn(groupIn(detail, 'History'), /^Valid/).click()

  await tabIn(detail, 'Raw').click()
  await detail.getByRole('textbox', { name: 'Request', exact: true }).getByText('POST /h').click()
  await detail.getByText('Response', { exact: true }).click()
  await expect(detail.getByText(/^Responded 200/)).toBeVisible()

  await click(detail, 'More', { exact: true })
  await menuItemIn(page, 'Full width').click()
  await expect(page.locator('[inert]')).toHaveCount(1)
  await click(detail, 'Close')
  await expect(detail).toBeHidden()
  await rowsWith(page, 'transaction.auth').first().click()
  await expect(tabIn(detail, 'Raw')).toHaveAttribute('aria-selected', 'true')

  // The addresses of former tabs lead to History; a delivery that is gone is named.
  const id = await page.evaluate(() => location.hash.split('/')[2])
  await page.evaluate((to) => (location.hash = `#/deliveries/${to}/lifecycle`), id)
  await expect(tabIn(detail, 'History')).toHaveAttribute('aria-selected', 'true')
  await page.evaluate(() => (location.hash = '#/deliveries/00000000-0000-7000-8000-000000000000'))
  await expect(headingIn(detail, 'Delivery not found')).toBeVisible()
  await click(detail, 'Close')
  await expect(detail).toBeHidden()
})

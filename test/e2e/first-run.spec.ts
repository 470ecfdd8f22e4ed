import {
  buttonIn,
  dialogIn,
  headingIn,
  select,
  regionIn,
  tabIn,
  deliveryIn,
  click,
  fill,
  chooseInList,
} from './controls.ts'
import { expect, listOf, openRow, rowsWith, test } from './fixtures.ts'

test('the first steps show the URL, the certificate, and a curl command that signs; a hook is imported, rejected if it breaks a rule, and then verifies deliveries; its secret is shown and copied only on demand; while capture is paused, nothing is stored', async ({
  app,
  page,
}) => {
  await expect(headingIn(page, 'Receive your first webhook')).toBeVisible()
  await expect(page.getByText(app.caFile, { exact: true })).toBeVisible()
  await click(page, 'Sign a request in a shell')
  await expect(page.getByText('openssl dgst -sha256 -hmac')).toBeVisible()
  // Nothing to filter, to count or to delete yet.
  await expect(page.getByLabel('Filter deliveries')).toHaveCount(0)

  await click(page, 'Import hook…')
  const dialog = dialogIn(page, 'Import hook')
  await fill(dialog, 'Secret', 'a-secret-of-the-test', { exact: true })
  await fill(dialog, 'Registered URL', 'http://example.test/hooks')
  await click(dialog, 'Import hook')
  await expect(dialog.getByLabel('Registered URL')).toHaveAttribute('aria-invalid', 'true')
  await expect(dialog.getByLabel('Registered URL')).toHaveAccessibleDescription(/https/i)

  const url = `${app.receiver}/h/by-hand`
  await fill(dialog, 'Registered URL', url)
  await select(dialog, 'Event', 'card.linked')
  await click(dialog, 'Import hook')
  await expect(dialog).toBeHidden()
  await expect(headingIn(page, 'Waiting for the first delivery')).toBeVisible()

  const hook = { url, secret: 'a-secret-of-the-test' }
  await app.deliver(hook, '{}')
  await expect(rowsWith(page, 'card.linked')).toHaveCount(1)
  await expect(await openRow(page, 'Valid')).toContainText(
    /Signed with the card\.linked hook's secret/,
  )

  await chooseInList(page, 'Pause capture')
  await expect(page.getByText('Capture paused.')).toBeVisible()
  expect(await app.deliver(hook, '{"while":"paused"}')).toBe(503)
  await click(page, 'Resume', { exact: true })
  await expect(page.getByText('Capture paused.')).toBeHidden()
  expect(await app.deliver(hook, '{"after":1}')).toBe(200)
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '3')

  await click(page, 'Hooks', { exact: true })
  await expect(page.getByText('…test', { exact: true })).toBeVisible()
  expect(await page.content()).not.toContain('a-secret-of-the-test')
  await click(page, 'Show the secret of card.linked')
  await expect(page.getByText('a-secret-of-the-test', { exact: true })).toBeVisible()
  await click(page, 'Copy the secret of card.linked')
  await expect(buttonIn(page, 'Copied')).toBeVisible()
  await click(page, 'Import hook')
  await dialog.getByLabel('Registered URL').press('ControlOrMeta+v')
  await expect(dialog.getByLabel('Registered URL')).toHaveValue('a-secret-of-the-test')
})

test('"Send sample" creates a hook if needed, and a valid delivery', async ({ page }) => {
  await click(regionIn(page, 'Get started'), 'Send sample')
  await expect(page.getByText('Sample sent')).toBeVisible()
  await expect(rowsWith(page, 'transaction.auth')).toHaveCount(1)
  await expect(rowsWith(page, 'Valid')).toHaveCount(1)
  // The delivery is selected, and its signature shown.
  const detail = deliveryIn(page)
  await expect(tabIn(detail, 'Signature')).toHaveAttribute('aria-selected', 'true')
  await expect(listOf(page).getByRole('row', { selected: true })).toContainText('transaction.auth')
  await click(page, 'Send sample')
  await expect(rowsWith(page, 'Valid')).toHaveCount(2)
  await click(page, 'Hooks', { exact: true })
  await expect(regionIn(page, 'Hook list').getByRole('row')).toHaveCount(2)
})

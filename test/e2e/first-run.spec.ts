/** Before the first delivery: the steps, importing a hook, sending a sample. */
import { expectNoViolations } from './accessible.ts'
import { expect, listOf, openRow, rowsWith, test } from './fixtures.ts'

test(
  'the first steps show the URL, the certificate, and a curl command that signs',
  { tag: '@any-host' },
  async ({ app }) => {
    const { page } = app
    await expect(page.getByRole('heading', { name: 'Receive your first webhook' })).toBeVisible()
    await expect(page.getByText(app.caFile, { exact: true })).toBeVisible()
    await expect(page.getByText('openssl dgst -sha256 -hmac')).toBeVisible()
  },
)

test('"Send sample" creates a hook if needed, and a valid delivery', async ({ app }) => {
  const { page } = app
  await page
    .getByRole('region', { name: 'Get started' })
    .getByRole('button', { name: 'Send sample' })
    .click()
  await expect(page.getByText('Sample sent')).toBeVisible()
  await expect(rowsWith(page, 'transaction.auth')).toHaveCount(1)
  await expect(rowsWith(page, 'Valid')).toHaveCount(1)
  // The delivery is selected, and its signature shown.
  const detail = page.getByRole('region', { name: 'Delivery', exact: true })
  await expect(detail.getByRole('tab', { name: 'Signature' })).toHaveAttribute(
    'aria-selected',
    'true',
  )
  await expect(listOf(page).getByRole('row', { selected: true })).toContainText('transaction.auth')
  await expectNoViolations(app, 'the first sample')
  await page.getByRole('button', { name: 'Send sample' }).click()
  await expect(rowsWith(page, 'Valid')).toHaveCount(2)
  await page.getByRole('button', { name: 'Hooks', exact: true }).click()
  await expect(page.getByRole('region', { name: 'Hook list' }).getByRole('row')).toHaveCount(2)
})

test(
  'a hook is imported in the window, rejected if it breaks a rule, and then verifies deliveries',
  { tag: '@any-host' },
  async ({ app }) => {
    const { page } = app
    await page.getByRole('button', { name: 'Import hook…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import hook' })
    await dialog.getByRole('button', { name: 'Import hook' }).click()
    await expect(dialog.getByText('Enter the URL exactly as registered.')).toBeVisible()
    await expect(dialog.getByLabel('Registered URL')).toHaveAttribute('aria-invalid', 'true')

    await dialog.getByLabel('Secret', { exact: true }).fill('a-secret-of-the-test')
    await dialog.getByLabel('Registered URL').fill('http://example.test/hooks')
    await dialog.getByRole('button', { name: 'Import hook' }).click()
    await expect(dialog.getByLabel('Registered URL')).toHaveAttribute('aria-invalid', 'true')
    await expect(dialog.getByLabel('Registered URL')).toHaveAccessibleDescription(/https/i)

    const url = `${app.receiver}/h/by-hand`
    await dialog.getByLabel('Registered URL').fill(url)
    await dialog.getByLabel('Event').fill('card.linked')
    await dialog.getByRole('button', { name: 'Import hook' }).click()
    await expect(dialog).toBeHidden()
    await expect(
      page.getByRole('heading', { name: 'Waiting for the first delivery' }),
    ).toBeVisible()

    await app.deliver({ url, secret: 'a-secret-of-the-test' }, '{}')
    await expect(rowsWith(page, 'card.linked')).toHaveCount(1)
    await expect(await openRow(page, 'Valid')).toContainText(
      "Valid. Signed with the card.linked hook's secret.",
    )
  },
)

test('a secret is shown and copied only on demand', { tag: '@any-host' }, async ({ app }) => {
  const { page } = app
  const hook = await app.importHook('transaction.auth', 'secret')
  await page.getByRole('button', { name: 'Hooks' }).click()
  await expect(page.getByText(`…${hook.secret.slice(-4)}`)).toBeVisible()
  expect(await page.content()).not.toContain(hook.secret)
  await page.getByRole('button', { name: 'Show the secret of transaction.auth' }).click()
  await expect(page.getByText(hook.secret, { exact: true })).toBeVisible()
})

test(
  'capture is paused and resumed: meanwhile nothing is stored, and the window says so',
  { tag: '@any-host' },
  async ({ app }) => {
    const { page } = app
    const hook = await app.importHook('transaction.auth', 'pause')
    await app.deliver(hook, '{}')
    await expect(rowsWith(page, 'Valid')).toHaveCount(1)
    await page.getByRole('button', { name: 'Pause capture' }).click()
    await expect(page.getByText('Capture paused.')).toBeVisible()
    expect(await app.deliver(hook, '{"while":"paused"}')).toBe(503)
    await page.getByRole('button', { name: 'Resume', exact: true }).click()
    await expect(page.getByText('Capture paused.')).toBeHidden()
    expect(await app.deliver(hook, '{"after":1}')).toBe(200)
    await expect(listOf(page)).toHaveAttribute('aria-rowcount', '3')
  },
)

/** Hooks in the window: registered, changed, moved to another URL and deleted, against the sandbox. */
import type { Locator, Page } from '@playwright/test'
import { expect, rowsWith, test, type App } from './fixtures.ts'

const SIXTY_SECONDS_MS = 60_000

function registerDialog(page: Page): Locator {
  return page.getByRole('dialog', { name: 'Register hook' })
}

/** Fills in the URL only after the suggestion: at the same moment, the two texts would be joined. */
async function fillUrl(dialog: Locator, url: string): Promise<void> {
  await expect(dialog.getByLabel('URL')).toHaveValue(/\/h\//)
  await dialog.getByLabel('URL').fill(url)
}

function detailOf(page: Page): Locator {
  return page.getByRole('region', { name: 'Hook', exact: true })
}

/** Registers with the form's suggestions, except for the event and the environment. */
async function register(app: App, event: string, environment = 'sandbox-test'): Promise<Locator> {
  const { page } = app
  await page.getByRole('navigation').getByRole('button', { name: 'Hooks' }).click()
  await page.getByRole('button', { name: 'Register hook' }).click()
  const dialog = registerDialog(page)
  await dialog.getByLabel('Environment').selectOption(environment)
  await dialog.getByLabel('Event').selectOption(event)
  await expect(dialog.getByLabel('URL')).toHaveValue(
    new RegExp(`/h/${event.replaceAll('.', '-')}-`),
  )
  await dialog.getByRole('button', { name: `Register in ${environment}` }).click()
  if (environment.endsWith('live')) {
    const confirmation = dialog.getByRole('group', { name: `Confirm for ${environment}` })
    await confirmation.getByRole('button', { name: `Register in ${environment} (live)` }).click()
  }
  await expect(dialog).toBeHidden()
  await expect(detailOf(page).getByRole('heading', { level: 2 })).toContainText(event)
  return detailOf(page)
}

test('from an empty start to a verified first delivery, using only clicks', async ({ app }) => {
  const { page } = app
  const begun = Date.now()
  await page.getByRole('button', { name: 'Register hook…' }).click()
  const dialog = registerDialog(page)
  await expect(dialog.getByLabel('Program ID')).toHaveValue(/^[0-9a-f-]{36}$/)
  await expect(dialog.getByLabel('URL')).toHaveValue(
    /^https:\/\/127\.0\.0\.1:\d+\/h\/transaction-auth-/,
  )
  await dialog.getByRole('button', { name: 'Register in sandbox-test' }).click()
  await expect(dialog).toBeHidden()
  await page.getByRole('navigation').getByRole('button', { name: 'Hooks' }).click()
  await detailOf(page).getByRole('button', { name: 'Send transaction.auth' }).click()
  await detailOf(page)
    .getByRole('button', { name: /^Valid/ })
    .click()
  await expect(page.getByText("Signed with the transaction.auth hook's secret")).toBeVisible()
  expect(Date.now() - begun).toBeLessThan(SIXTY_SECONDS_MS)
  await expect(rowsWith(page, 'Valid')).toHaveCount(1)
})

test('problems with a hook appear at the field while typing, and nothing is sent', async ({
  app,
}) => {
  const { page } = app
  await page.getByRole('button', { name: 'Register hook…' }).click()
  const dialog = registerDialog(page)
  await fillUrl(dialog, 'http://example.test/hook')
  await expect(dialog.getByLabel('URL')).toHaveAccessibleDescription(
    /Use an HTTPS URL.*url-https, spec 2\.1/,
  )
  await dialog.getByLabel('Program ID').fill('mine')
  await expect(dialog.getByLabel('Program ID')).toHaveAccessibleDescription(/must be a UUID/)
  await dialog.getByRole('button', { name: 'Add header' }).click()
  await dialog.getByLabel('Custom headers: name 1').fill('Content-Type')
  await dialog.getByLabel('Custom headers: value 1').fill('x')
  await expect(dialog.getByLabel('Custom headers: name 1')).toHaveAccessibleDescription(
    /reserved.*spec 4\.3/,
  )
  await expect(dialog.getByLabel('Offer ID')).toHaveCount(0)
  await dialog.getByLabel('Event').selectOption('transaction.auth.qualified')
  await expect(dialog.getByLabel('Offer ID')).toBeVisible()
  await dialog.getByLabel('Event').selectOption('brand.consent')
  await expect(dialog.getByLabel('Program ID')).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Register in sandbox-test' }).click()
  await expect(dialog.getByLabel('URL')).toBeFocused()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('navigation').getByRole('button', { name: 'Hooks' }).click()
  await expect(page.getByRole('heading', { name: 'No hooks yet' })).toBeVisible()
})

test("a hook's secret can be copied, and stays hidden", async ({ app }) => {
  const { page } = app
  const hook = await app.importHook('card.linked', 'copied')
  await page.getByRole('navigation').getByRole('button', { name: 'Hooks' }).click()
  await detailOf(page).getByRole('button', { name: 'Copy the secret of card.linked' }).click()
  await expect(detailOf(page).getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.content()).not.toContain(hook.secret)
  await page.getByRole('button', { name: 'Import hook' }).click()
  const dialog = page.getByRole('dialog', { name: 'Import hook' })
  await dialog.getByLabel('Registered URL').press('ControlOrMeta+v')
  await expect(dialog.getByLabel('Registered URL')).toHaveValue(hook.secret)
})

test('a rejection by the service is shown with status, body and the request', async ({ app }) => {
  const { page } = app
  await page.getByRole('button', { name: 'Register hook…' }).click()
  const dialog = registerDialog(page)
  // Suggestions have loaded, so nothing moves under the clicks.
  await expect(dialog.getByLabel('Program ID')).toHaveValue(/^[0-9a-f-]{36}$/)
  await expect(dialog.getByLabel('URL')).toHaveValue(/\/h\/transaction-auth-/)
  await dialog.getByLabel('Program ID').fill('00000000-0000-4000-8000-000000000000')
  await dialog.getByRole('button', { name: 'Register in sandbox-test' }).click()
  const alert = dialog.getByRole('alert')
  await expect(alert).toContainText('the service returned 404')
  await expect(alert.getByLabel('Response')).toContainText('"not-found"')
  await alert.getByText('Request', { exact: true }).click()
  const sent = alert.getByLabel('Request, secrets masked')
  await expect(sent).toContainText('/v1/programs/00000000-0000-4000-8000-000000000000/hooks')
  await expect(sent).toContainText('[masked]')
  // The form keeps the typed text.
  await expect(dialog.getByLabel('Program ID')).toHaveValue('00000000-0000-4000-8000-000000000000')
})

test('a live hook is registered after a confirmation, and deleted after typing its event', async ({
  app,
}) => {
  const { page } = app
  const detail = await register(app, 'brand.consent', 'sandbox-live')
  await expect(detail.getByText('live', { exact: true })).toBeVisible()
  await detail.getByRole('button', { name: 'Delete…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete hook' })
  const remove = dialog.getByRole('button', { name: 'Delete brand.consent hook (live)' })
  await expect(remove).toBeDisabled()
  await dialog.getByLabel(/^Type brand\.consent/).fill('brand.consen')
  await expect(remove).toBeDisabled()
  await dialog.getByLabel(/^Type brand\.consent/).fill('brand.consent')
  await remove.click()
  await expect(dialog).toBeHidden()
  await expect(detail.getByRole('heading', { level: 2 })).toContainText('Deleted')
})

test("a hook is changed at the service; its offer can't be, and the reason is shown", async ({
  app,
}) => {
  const { page } = app
  await page.getByRole('button', { name: 'Register hook…' }).click()
  const form = registerDialog(page)
  await form.getByLabel('Event').selectOption('transaction.auth.qualified')
  await expect(form.getByLabel('URL')).toHaveValue(/\/h\/transaction-auth-qualified-/)
  await form.getByLabel('Offer ID').fill('11111111-2222-4333-8444-555555555555')
  await form.getByRole('button', { name: 'Register in sandbox-test' }).click()
  await expect(form).toBeHidden()
  await page.getByRole('navigation').getByRole('button', { name: 'Hooks' }).click()
  const detail = detailOf(page)
  await detail.getByRole('button', { name: 'Edit…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit hook' })
  await expect(dialog.getByLabel('Offer ID')).toHaveAttribute('readonly', '')
  await expect(dialog.getByLabel('Offer ID')).toHaveAccessibleDescription(/Can't be changed/)
  await dialog.getByLabel('URL').fill(`${app.receiver}/h/elsewhere`)
  await dialog.getByRole('button', { name: 'Add header' }).click()
  await expect(dialog.getByLabel('Custom headers: name 1')).toBeFocused()
  await page.keyboard.type('X-Team')
  await dialog.getByLabel('Custom headers: value 1').fill('payments')
  await dialog.getByRole('button', { name: 'Save in sandbox-test' }).click()
  await expect(dialog).toBeHidden()
  await expect(detail.getByText('X-Team: payments')).toBeVisible()
  await expect(detail.getByLabel('Record returned by the service')).toContainText(
    `${app.receiver}/h/elsewhere`,
  )
})

test('the receiver uses a preset response rule', async ({ app }) => {
  const { page } = app
  const hook = await app.importHook('card.linked', 'answers')
  await page.getByRole('navigation').getByRole('button', { name: 'Hooks' }).click()
  const rule = page.getByRole('form', { name: 'Response rule' })
  await rule.getByLabel('Status', { exact: true }).fill('99')
  await expect(rule.getByLabel('Status', { exact: true })).toHaveAccessibleDescription(
    'Enter an integer from 200 to 599.',
  )
  await rule.getByRole('button', { name: '200 immediately' }).click()
  await rule.getByLabel('Status', { exact: true }).fill('418')
  await rule.getByRole('button', { name: 'Save rule' }).click()
  await expect(rule.getByRole('button', { name: 'Saved' })).toBeDisabled()
  expect(await app.deliver(hook, '{"n":1}')).toBe(418)
  await expect(page.getByRole('region', { name: 'Hook list' })).toContainText('1 of 1')
  await rule.getByRole('button', { name: 'Fail twice, then 200' }).click()
  await expect(rule.getByRole('status')).toContainText(
    'Fails the first 2 attempts of each notification with 500',
  )
  await rule.getByRole('button', { name: 'Save rule' }).click()
  await expect(rule.getByRole('button', { name: 'Saved' })).toBeDisabled()
  expect(await app.deliver(hook, '{"n":2}')).toBe(500)
})

test('after a rotation the new secret verifies, and so does the previous one', async ({ app }) => {
  const { page } = app
  const hook = await app.importHook('card.linked', 'rotated')
  await page.getByRole('navigation').getByRole('button', { name: 'Hooks' }).click()
  await expect(detailOf(page)).toContainText('…6789')
  await detailOf(page).getByRole('button', { name: 'Rotate…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rotate secret' })
  await dialog.getByLabel('New secret', { exact: true }).fill('another-secret-9876')
  await dialog.getByRole('button', { name: 'Use this secret' }).click()
  await expect(dialog).toBeHidden()
  await expect(detailOf(page)).toContainText('…9876')
  await expect(detailOf(page)).toContainText('1 previous secret still verifies')
  const proved = detailOf(page).getByRole('button', { name: /^Valid/ })
  expect(await app.deliver(hook, '{"signed":"before"}')).toBe(200)
  await expect(proved).toHaveCount(1)
  expect(await app.deliver({ ...hook, secret: 'another-secret-9876' }, '{"signed":"after"}')).toBe(
    200,
  )
  await expect(proved).toHaveCount(2)
})

test('a live hook gets another response rule and another secret only after its environment is confirmed', async ({
  app,
}) => {
  const { page } = app
  const detail = await register(app, 'brand.consent', 'sandbox-live')
  const rule = page.getByRole('form', { name: 'Response rule' })
  await rule.getByLabel('Status', { exact: true }).fill('500')
  await rule.getByRole('button', { name: 'Save rule' }).click()
  const confirmation = page.getByRole('group', { name: 'Confirm for sandbox-live' })
  await confirmation.getByRole('button', { name: 'Go back' }).click()
  await expect(rule.getByRole('button', { name: 'Save rule' })).toBeEnabled()
  await rule.getByRole('button', { name: 'Save rule' }).click()
  await confirmation.getByRole('button', { name: 'Save rule in sandbox-live (live)' }).click()
  await expect(rule.getByRole('button', { name: 'Saved' })).toBeDisabled()

  await detail.getByRole('button', { name: 'Rotate…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Rotate secret' })
  await dialog.getByLabel('New secret', { exact: true }).fill('another-secret-9876')
  await dialog.getByRole('button', { name: 'Use this secret (live)' }).click()
  await confirmation.getByRole('button', { name: 'Go back' }).click()
  await dialog.getByRole('button', { name: 'Use this secret (live)' }).click()
  await confirmation.getByRole('button', { name: 'Use this secret in sandbox-live (live)' }).click()
  await expect(dialog).toBeHidden()
  await expect(detail).toContainText('…9876')
})

test('after a change of the public URL, the hooks under the old URL are moved in one step', async ({
  app,
}) => {
  const { page } = app
  await register(app, 'card.linked')
  await register(app, 'brand.consent', 'sandbox-live')
  await page.getByRole('button', { name: 'Set public URL…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Public URL' })
  await dialog.getByLabel('URL').fill('http://plain.test')
  await dialog.getByRole('button', { name: 'Save URL' }).click()
  await expect(dialog.getByLabel('URL')).toHaveAttribute('aria-invalid', 'true')
  await dialog.getByLabel('URL').fill('https://demo.tunnel.test')
  await dialog.getByRole('button', { name: 'Save URL' }).click()
  await dialog.getByRole('button', { name: 'Re-point 2 hooks' }).click()
  await dialog.getByRole('button', { name: 'Re-point 2 hooks, 1 in sandbox-live (live)' }).click()
  await expect(dialog.getByText('Done: 2 hooks re-pointed.')).toBeVisible()
  await expect(dialog.getByRole('img', { name: 'Re-pointed' })).toHaveCount(2)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(detailOf(page)).toContainText('https://demo.tunnel.test/h/brand-consent-')
  await page.getByRole('button', { name: 'Register hook' }).click()
  await expect(registerDialog(page).getByLabel('URL')).toHaveValue(
    /^https:\/\/demo\.tunnel\.test\/h\//,
  )
})

import type { Locator, Page } from '@playwright/test'
import {
  buttonIn,
  click,
  dialogIn,
  fill,
  goTo,
  groupIn,
  headingIn,
  select,
  press,
  regionIn,
} from './controls.ts'
import { expect, test, type App } from './fixtures.ts'

function registerDialog(page: Page): Locator {
  return dialogIn(page, 'Register hook')
}

/**
 * Fills in the URL only after the suggestion: at the same moment, the two texts would be joined.
 */
async function fillUrl(dialog: Locator, url: string): Promise<void> {
  await expect(dialog.getByLabel('URL')).toHaveValue(/\/h\//)
  await fill(dialog, 'URL', url)
}

function detailOf(page: Page): Locator {
  return regionIn(page, 'Hook', { exact: true })
}

/** Registers with the form's suggestions, except for the event and the environment. */
async function register(app: App, event: string, environment = 'sandbox-test'): Promise<Locator> {
  const { page } = app
  await goTo(page, 'Hooks')
  await click(page, 'Register hook')
  const dialog = registerDialog(page)
  await select(
    dialog,
    'Environment',
    `${environment} (${environment.endsWith('live') ? 'live' : 'test'})`,
  )
  await select(dialog, 'Event', event)
  await expect(dialog.getByLabel('URL')).toHaveValue(
    new RegExp(`/h/${event.replaceAll('.', '-')}-`),
  )
  await click(dialog, `Register in ${environment}`)
  if (environment.endsWith('live'))
    await click(dialogIn(page, 'Allow live mode?'), `Allow ${environment} (live)`)
  await expect(dialog).toBeHidden()
  await expect(detailOf(page).getByRole('heading', { level: 2 })).toContainText(event)
  return detailOf(page)
}

test('problems with a hook appear at the field while typing; a rejection by the service is shown with status, body and the request', async ({
  page,
}) => {
  await click(page, 'Register hook…')
  const dialog = registerDialog(page)
  // Suggestions have loaded, so nothing moves under the clicks.
  await expect(dialog.getByLabel('Program ID')).toHaveValue(/^[0-9a-f-]{36}$/)
  await fillUrl(dialog, 'http://example.test/hook')
  await expect(dialog.getByLabel('URL')).toHaveAccessibleDescription(
    /Use an HTTPS URL.*url-https, spec 2\.1/,
  )
  await click(dialog, 'Register in sandbox-test')
  await expect(dialog.getByLabel('URL')).toBeFocused()
  await fill(dialog, 'URL', 'https://localhost/hook')
  await fill(dialog, 'Program ID', '00000000-0000-4000-8000-000000000000')
  await click(dialog, 'Register in sandbox-test')
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

test('a hook is selected by a click and by keys; its response is chosen, and Escape asks before it discards', async ({
  app,
  page,
}) => {
  await app.importHook('card.linked', 'one')
  await app.importHook('brand.consent', 'two')
  await goTo(page, 'Hooks')
  const list = regionIn(page, 'Hook list')
  const heading = detailOf(page).getByRole('heading', { level: 2 })
  for (const event of ['card.linked', 'brand.consent']) {
    await list.getByRole('row', { name: new RegExp(event) }).click({ position: { x: 200, y: 30 } })
    await expect(heading).toContainText(event)
  }
  await buttonIn(list, 'brand.consent').click()
  await press(page, 'ArrowDown')
  await expect(heading).toContainText('card.linked')
  await expect(buttonIn(list, 'card.linked')).toBeFocused()
  await press(page, 'Home')
  await expect(heading).toContainText('brand.consent')
  await expect(list.locator('[data-hook-row][tabindex="0"]')).toHaveCount(1)
  const size = page.viewportSize()
  await page.setViewportSize({ width: 900, height: 900 })
  for (const name of ['Mode', 'Not acknowledged'])
    await expect(list.getByRole('columnheader', { name })).toBeVisible()
  await page.setViewportSize(size ?? { width: 1280, height: 800 })

  const rule = page.getByRole('form', { name: 'Response rule' })
  await rule.getByText('Fail once', { exact: true }).click()
  await expect(rule.getByRole('status')).toContainText('Fails the first attempt')
  await click(rule, 'Save rule')
  await expect(buttonIn(rule, 'Save rule')).toBeHidden()
  await rule.getByText('Custom', { exact: true }).click()
  await fill(rule, 'Failure status', '200')
  await expect(rule.getByLabel('Failure status')).toHaveAccessibleDescription(/from 300 to 599/)
  await click(rule, 'Undo')
  await expect(rule.getByLabel('Failure status')).toHaveCount(0)

  await click(page, 'Register hook')
  const dialog = registerDialog(page)
  await fillUrl(dialog, 'https://typed.example/h')
  await press(page, 'Escape')
  await click(groupIn(dialog, 'Unsaved changes'), 'Keep editing')
  await expect(dialog.getByLabel('URL')).toHaveValue('https://typed.example/h')
  await press(page, 'Escape')
  await click(groupIn(dialog, 'Unsaved changes'), 'Discard')
  await expect(dialog).toBeHidden()
})

test("a hook is changed at the service; its offer can't be, and the reason is shown", async ({
  app,
  page,
}) => {
  const { object } = JSON.parse(await app.command('sandbox', 'create', 'offer', '--json')) as {
    object: { id: string }
  }
  await click(page, 'Register hook…')
  const form = registerDialog(page)
  await select(form, 'Event', 'transaction.auth.qualified')
  await expect(form.getByLabel('URL')).toHaveValue(/\/h\/transaction-auth-qualified-/)
  await fill(form, 'Offer ID', object.id)
  await click(form, 'Register in sandbox-test')
  await expect(form).toBeHidden()
  await goTo(page, 'Hooks')
  const detail = detailOf(page)
  await click(detail, 'Edit…')
  const dialog = dialogIn(page, 'Edit hook')
  await expect(dialog.getByLabel('Offer ID')).toHaveAttribute('readonly', '')
  await expect(dialog.getByLabel('Offer ID')).toHaveAccessibleDescription(/Can't be changed/)
  await fill(dialog, 'URL', `${app.receiver}/h/elsewhere`)
  await click(dialog, 'Add header')
  await expect(dialog.getByLabel('Custom headers: name 1')).toBeFocused()
  await page.keyboard.type('X-Team')
  await fill(dialog, 'Custom headers: value 1', 'payments')
  await click(dialog, 'Save in sandbox-test')
  await expect(dialog).toBeHidden()
  await expect(detail.getByText('X-Team: payments')).toBeVisible()
  await expect(detail.getByLabel('Record returned by the service')).toContainText(
    `${app.receiver}/h/elsewhere`,
  )
})

test('a live hook is registered, gets another secret, and is deleted only after its event is typed', async ({
  app,
  page,
}) => {
  const detail = await register(app, 'brand.consent', 'sandbox-live')
  await expect(detail.getByText('live', { exact: true })).toBeVisible()
  await click(detail, 'Rotate…')
  const dialog = dialogIn(page, 'Rotate secret')
  await fill(dialog, 'New secret', 'another-secret-9876', { exact: true })
  await click(dialog, 'Use this secret (live)')
  await expect(dialog).toBeHidden()
  await expect(detail).toContainText('…9876')

  await click(detail, 'Delete…')
  const question = dialogIn(page, 'Delete hook')
  const remove = buttonIn(question, 'Delete brand.consent hook (live)')
  await expect(remove).toBeDisabled()
  for (const event of ['brand.consen', 'brand.consent']) {
    await expect(remove).toBeDisabled()
    await fill(question, /^Type brand\.consent/, event)
  }
  await remove.click()
  await expect(question).toBeHidden()
  await expect(detail.getByRole('heading', { level: 2 })).toContainText('Deleted')

  await click(detail, 'Remove for good…')
  const forGood = dialogIn(page, 'Remove hook for good')
  await fill(forGood, /^Type brand\.consent/, 'brand.consent')
  await click(forGood, 'Remove brand.consent hook (live)')
  await expect(forGood).toBeHidden()
  await expect(headingIn(page, 'No hooks yet')).toBeVisible()
})

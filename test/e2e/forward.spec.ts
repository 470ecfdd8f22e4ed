/** Forwarding in the window: targets are added and watched, queues are sent and discarded, remote and live ones are confirmed. */
import type { Locator, Page } from '@playwright/test'
import { startRawEndpoint } from '../support/replay-fixture.ts'
import { expectNoViolations } from './accessible.ts'
import { buttonIn, click, fill, goTo, groupIn, regionIn } from './controls.ts'
import { expect, rowsWith, test, type App } from './fixtures.ts'

async function toForward({ page }: App): Promise<void> {
  await goTo(page, 'Forward')
}

const dialogOf = (page: Page): Locator => page.getByRole('dialog')
const detailOf = (page: Page): Locator => regionIn(page, 'Target', { exact: true })

async function addTarget(app: App, complete: (dialog: Locator) => Promise<void>): Promise<void> {
  const { page } = app
  await buttonIn(page, /^Add (target|your first target…)$/)
    .first()
    .click()
  const dialog = dialogOf(page)
  await complete(dialog)
  await click(dialog, 'Add target')
}

test('a target is added, gets matching deliveries, goes down with pending ones, and recovers', async ({
  app,
  page,
}) => {
  const refunds = await app.importHook('transaction.refund', 'refunds')
  const cards = await app.importHook('card.linked', 'cards')
  const endpoint = await startRawEndpoint()
  await toForward(app)
  await expect(page.getByText('No targets yet')).toBeVisible()
  await expectNoViolations(app, 'no targets')
  await addTarget(app, async (dialog) => {
    await click(dialog, 'Add target')
    await expect(dialog.getByText('Enter a URL to forward to')).toBeVisible()
    await fill(dialog, 'Forward to', `${endpoint.origin}/in`)
    await expect(dialog.getByText('Enter a URL to forward to')).toBeHidden()
    await fill(dialog, 'Filter', 'status:200')
    await dialog.getByLabel('Name').focus()
    await expect(dialog.getByText('is only known later')).toBeVisible()
    await expectNoViolations(app, 'the form with a finding')
    await fill(dialog, 'Filter', 'hook:ref')
    await page.getByRole('option', { name: /hook:refunds/ }).click()
    await expect(dialog.getByLabel('Filter')).toHaveValue('hook:refunds ')
    await fill(dialog, 'Name', 'n'.repeat(61))
    await fill(dialog, 'Forward to', `${endpoint.origin}/other`)
    await expect(dialog.locator('[aria-invalid="true"]')).toHaveCount(1)
    await click(dialog, 'Add target')
    await expect(dialog.getByLabel('Name')).toHaveAccessibleDescription(
      /at most 60 characters \(61 now\)/,
    )
    await expect(dialog.getByLabel('Name')).toBeFocused()
    await fill(dialog, 'Forward to', `${endpoint.origin}/in`)
    await expect(dialog.getByRole('alert')).toHaveCount(0)
    await fill(dialog, 'Name', 'My handler')
  })
  await expect(dialogOf(page)).toBeHidden()
  await expect(detailOf(page).getByRole('heading', { level: 2 })).toContainText('My handler')
  await app.deliver(cards, '{"other":1}')
  await app.deliver(refunds, '{"n":1}')
  await expect(detailOf(page).getByText('Returned 200', { exact: true })).toHaveCount(1)
  await expect(page.getByRole('grid', { name: 'Targets' })).toContainText('Up')
  expect(endpoint.requests.map(({ body }) => body.toString())).toEqual(['{"n":1}'])
  await expectNoViolations(app, 'a target that is up')

  await endpoint.close()
  await app.deliver(refunds, '{"n":2}')
  await app.deliver(refunds, '{"n":3}')
  await expect(detailOf(page).getByRole('note')).toContainText('Connection refused')
  await expect(detailOf(page).getByRole('note')).toContainText('2 pending')
  await expectNoViolations(app, 'a target that is down')
  const again = await startRawEndpoint(() => 200, endpoint.port)
  // It may be retried automatically at that moment: then there is no button left to press.
  const deliverNow = buttonIn(detailOf(page), 'Send now')
  await deliverNow.click({ timeout: 5_000 }).catch(() => expect(deliverNow).toBeHidden())
  await expect(detailOf(page).getByText('Returned 200', { exact: true })).toHaveCount(3)
  expect(again.requests.map(({ body }) => body.toString())).toEqual(['{"n":2}', '{"n":3}'])
  await expect(detailOf(page).getByRole('note')).toBeHidden()

  await click(detailOf(page), 'Pause')
  await expect(buttonIn(detailOf(page), 'Resume')).toBeVisible()
  await app.deliver(refunds, '{"n":4}')
  await expect(deliverNow).toBeVisible()
  await click(detailOf(page), 'Discard 1')
  await expect(detailOf(page).getByText('Cancelled', { exact: true })).toBeVisible()
  await click(detailOf(page), 'Resume')

  await app.restart()
  await toForward({ ...app, page: app.page })
  await expect(detailOf(app.page).getByRole('heading', { level: 2 })).toContainText('My handler')
  await detailOf(app.page).getByText('Returned 200', { exact: true }).first().click()
  await expect(rowsWith(app.page, 'transaction.refund')).toHaveCount(4)
  await toForward(app)
  await click(detailOf(app.page), 'Remove…')
  await click(dialogOf(app.page), 'Remove target')
  await expect(app.page.getByText('No targets yet')).toBeVisible()
  await again.close()
})

test("the handler's response, and consent to a host", async ({ app, page }) => {
  const refunds = await app.importHook('transaction.refund', 'refunds')
  const endpoint = await startRawEndpoint(() => 418)
  await toForward(app)
  await addTarget(app, async (dialog) => {
    await fill(dialog, 'Forward to', endpoint.origin)
    await dialog.getByLabel('Response to the service').selectOption({ label: "Handler's response" })
  })
  await expect(detailOf(page)).toContainText("Handler's response")
  expect(await app.deliver(refunds, '{"n":1}')).toBe(418)
  await expect(detailOf(page).getByText('Returned 418', { exact: true })).toBeVisible()

  await click(detailOf(page), 'Edit…')
  const dialog = dialogOf(page)
  await fill(dialog, 'Forward to', 'http://192.0.2.1/in')
  await click(dialog, 'Save target')
  const consent = groupIn(dialog, 'Allow 192.0.2.1')
  await expect(buttonIn(consent, 'Forward deliveries to 192.0.2.1')).toBeFocused()
  await expectNoViolations(app, 'a host is asked about')
  await click(consent, 'Go back')
  await fill(dialog, 'Forward to', `${endpoint.origin}/other`)
  await dialog
    .getByLabel('Response to the service')
    .selectOption({ label: 'Respond 200 immediately (for debugging)' })
  await click(dialog, 'Save target')
  await expect(dialog).toBeHidden()

  expect(await app.deliver(refunds, '{"n":2}')).toBe(200)
  await endpoint.close()
})

test('a live environment must be confirmed by name', async ({ app, page }) => {
  await app.importHook('card.linked', 'cards')
  await goTo(page, 'Hooks')
  await click(page, 'Register hook')
  await dialogOf(page).getByLabel('Environment').selectOption('sandbox-live')
  await expect(dialogOf(page).getByLabel('Program ID')).toHaveValue(/^[0-9a-f-]{36}$/)
  await click(dialogOf(page), 'Register in sandbox-live (live)')
  await click(dialogOf(page).getByRole('group'), 'Register in sandbox-live (live)')
  await expect(dialogOf(page)).toBeHidden()
  await toForward(app)
  await addTarget(app, async (dialog) => {
    await fill(dialog, 'Forward to', 'http://127.0.0.1:9/')
  })
  const confirmation = groupIn(dialogOf(page), 'Confirm for sandbox-live')
  await expect(confirmation).toBeVisible()
  await click(confirmation, 'Add target for sandbox-live (live)')
  await expect(dialogOf(page)).toBeHidden()
  await expect(detailOf(page)).toContainText('sandbox-live')
})

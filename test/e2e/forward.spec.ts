/** Forwarding in the window: targets are added and watched, queues are sent and discarded, remote and live ones are confirmed. */
import type { Locator, Page } from '@playwright/test'
import { startRawEndpoint } from '../support/replay-fixture.ts'
import { expectNoViolations } from './accessible.ts'
import { expect, rowsWith, test, type App } from './fixtures.ts'

async function toForward({ page }: App): Promise<void> {
  await page.getByRole('navigation').getByRole('button', { name: 'Forward' }).click()
}

const dialogOf = (page: Page): Locator => page.getByRole('dialog')
const detailOf = (page: Page): Locator => page.getByRole('region', { name: 'Target', exact: true })

async function addTarget(app: App, fill: (dialog: Locator) => Promise<void>): Promise<void> {
  const { page } = app
  await page
    .getByRole('button', { name: /^Add (target|your first target…)$/ })
    .first()
    .click()
  const dialog = dialogOf(page)
  await fill(dialog)
  await dialog.getByRole('button', { name: 'Add target' }).click()
}

test('a target is added, gets matching deliveries, goes down with pending ones, and recovers', async ({
  app,
}) => {
  const { page } = app
  const refunds = await app.importHook('transaction.refund', 'refunds')
  const cards = await app.importHook('card.linked', 'cards')
  const endpoint = await startRawEndpoint()
  await toForward(app)
  await expect(page.getByText('No targets yet')).toBeVisible()
  await expectNoViolations(app, 'no targets')
  await addTarget(app, async (dialog) => {
    await dialog.getByRole('button', { name: 'Add target' }).click()
    await expect(dialog.getByText('Enter a URL to forward to')).toBeVisible()
    await dialog.getByLabel('Forward to').fill(`${endpoint.origin}/in`)
    await expect(dialog.getByText('Enter a URL to forward to')).toBeHidden()
    await dialog.getByLabel('Filter').fill('status:200')
    await dialog.getByLabel('Name').focus()
    await expect(dialog.getByText('is only known later')).toBeVisible()
    await expectNoViolations(app, 'the form with a finding')
    await dialog.getByLabel('Filter').fill('hook:ref')
    await page.getByRole('option', { name: /hook:refunds/ }).click()
    await expect(dialog.getByLabel('Filter')).toHaveValue('hook:refunds ')
    await dialog.getByLabel('Name').fill('n'.repeat(61))
    await dialog.getByLabel('Forward to').fill(`${endpoint.origin}/other`)
    await expect(dialog.locator('[aria-invalid="true"]')).toHaveCount(1)
    await dialog.getByRole('button', { name: 'Add target' }).click()
    await expect(dialog.getByLabel('Name')).toHaveAccessibleDescription(
      /at most 60 characters \(61 now\)/,
    )
    await expect(dialog.getByLabel('Name')).toBeFocused()
    await dialog.getByLabel('Forward to').fill(`${endpoint.origin}/in`)
    await expect(dialog.getByRole('alert')).toHaveCount(0)
    await dialog.getByLabel('Name').fill('My handler')
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
  const deliverNow = detailOf(page).getByRole('button', { name: 'Send now' })
  await deliverNow.click({ timeout: 5_000 }).catch(() => expect(deliverNow).toBeHidden())
  await expect(detailOf(page).getByText('Returned 200', { exact: true })).toHaveCount(3)
  expect(again.requests.map(({ body }) => body.toString())).toEqual(['{"n":2}', '{"n":3}'])
  await expect(detailOf(page).getByRole('note')).toBeHidden()

  await detailOf(page).getByRole('button', { name: 'Pause' }).click()
  await expect(detailOf(page).getByRole('button', { name: 'Resume' })).toBeVisible()
  await app.deliver(refunds, '{"n":4}')
  await expect(deliverNow).toBeVisible()
  await detailOf(page).getByRole('button', { name: 'Discard 1' }).click()
  await expect(detailOf(page).getByText('Cancelled', { exact: true })).toBeVisible()
  await detailOf(page).getByRole('button', { name: 'Resume' }).click()

  await app.restart()
  await toForward({ ...app, page: app.page })
  await expect(detailOf(app.page).getByRole('heading', { level: 2 })).toContainText('My handler')
  await detailOf(app.page).getByText('Returned 200', { exact: true }).first().click()
  await expect(rowsWith(app.page, 'transaction.refund')).toHaveCount(4)
  await toForward(app)
  await detailOf(app.page).getByRole('button', { name: 'Remove…' }).click()
  await dialogOf(app.page).getByRole('button', { name: 'Remove target' }).click()
  await expect(app.page.getByText('No targets yet')).toBeVisible()
  await again.close()
})

test("the handler's response, and consent to a host", async ({ app }) => {
  const { page } = app
  const refunds = await app.importHook('transaction.refund', 'refunds')
  const endpoint = await startRawEndpoint(() => 418)
  await toForward(app)
  await addTarget(app, async (dialog) => {
    await dialog.getByLabel('Forward to').fill(endpoint.origin)
    await dialog.getByLabel('Response to the service').selectOption({ label: "Handler's response" })
  })
  await expect(detailOf(page)).toContainText("Handler's response")
  expect(await app.deliver(refunds, '{"n":1}')).toBe(418)
  await expect(detailOf(page).getByText('Returned 418', { exact: true })).toBeVisible()

  await detailOf(page).getByRole('button', { name: 'Edit…' }).click()
  const dialog = dialogOf(page)
  await dialog.getByLabel('Forward to').fill('http://192.0.2.1/in')
  await dialog.getByRole('button', { name: 'Save target' }).click()
  const consent = dialog.getByRole('group', { name: 'Allow 192.0.2.1' })
  await expect(
    consent.getByRole('button', { name: 'Forward deliveries to 192.0.2.1' }),
  ).toBeFocused()
  await expectNoViolations(app, 'a host is asked about')
  await consent.getByRole('button', { name: 'Go back' }).click()
  await dialog.getByLabel('Forward to').fill(`${endpoint.origin}/other`)
  await dialog
    .getByLabel('Response to the service')
    .selectOption({ label: 'Respond 200 immediately (for debugging)' })
  await dialog.getByRole('button', { name: 'Save target' }).click()
  await expect(dialog).toBeHidden()

  expect(await app.deliver(refunds, '{"n":2}')).toBe(200)
  await endpoint.close()
})

test('a live environment must be confirmed by name', async ({ app }) => {
  const { page } = app
  await app.importHook('card.linked', 'cards')
  await page.getByRole('navigation').getByRole('button', { name: 'Hooks' }).click()
  await page.getByRole('button', { name: 'Register hook' }).click()
  await dialogOf(page).getByLabel('Environment').selectOption('sandbox-live')
  await expect(dialogOf(page).getByLabel('Program ID')).toHaveValue(/^[0-9a-f-]{36}$/)
  await dialogOf(page).getByRole('button', { name: 'Register in sandbox-live (live)' }).click()
  await dialogOf(page)
    .getByRole('group')
    .getByRole('button', { name: 'Register in sandbox-live (live)' })
    .click()
  await expect(dialogOf(page)).toBeHidden()
  await toForward(app)
  await addTarget(app, async (dialog) => {
    await dialog.getByLabel('Forward to').fill('http://127.0.0.1:9/')
  })
  const confirmation = dialogOf(page).getByRole('group', { name: 'Confirm for sandbox-live' })
  await expect(confirmation).toBeVisible()
  await confirmation.getByRole('button', { name: 'Add target for sandbox-live (live)' }).click()
  await expect(dialogOf(page)).toBeHidden()
  await expect(detailOf(page)).toContainText('sandbox-live')
})

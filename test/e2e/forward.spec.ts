import type { Locator, Page } from '@playwright/test'
import { startRawEndpoint } from '../support/replay-fixture.ts'
import { buttonIn, click, fill, press, regionIn, select } from './controls.ts'
import { expect, rowsWith, test, type App } from './fixtures.ts'

const partOf = (page: Page): Locator => regionIn(page, 'Forwarding', { exact: true })
const switchOf = (page: Page): Locator =>
  page.getByRole('main').getByRole('switch', { name: 'Forward new deliveries' })
const dialogOf = (page: Page): Locator => page.getByRole('dialog')

async function saveHandler(app: App, url: string): Promise<void> {
  await app.command('handlers', 'add', 'mine', '--url', url, '--secret', 'own-secret-0123456789')
  await press(app.page, 'g', 'e')
  await expect(switchOf(app.page)).not.toBeChecked()
}

test('a switch forwards matching deliveries; the handler goes down with pending ones, and recovers', async ({
  app,
  page,
}) => {
  const refunds = await app.importHook('transaction.refund', 'refunds')
  const cards = await app.importHook('card.linked', 'cards')
  const endpoint = await startRawEndpoint()
  await saveHandler(app, `${endpoint.origin}/in`)
  await switchOf(page).click()
  await expect(switchOf(page)).toBeChecked()
  await expect(partOf(page)).toContainText('On. Sends every delivery')
  await click(partOf(page), 'Edit forwarding')
  const dialog = dialogOf(page)
  await fill(dialog, 'Filter', 'status:200')
  await click(dialog, 'Save')
  await expect(dialog.getByText('is only known later')).toBeVisible()
  await fill(dialog, 'Filter', 'hook:ref')
  await page.getByRole('option', { name: /hook:refunds/ }).click()
  await expect(dialog.getByLabel('Filter')).toHaveValue('hook:refunds ')
  await click(dialog, 'Save')
  await expect(dialog).toBeHidden()
  await expect(partOf(page)).toContainText('On. Sends every delivery that matches hook:refunds')

  await app.deliver(cards, '{"other":1}')
  await app.deliver(refunds, '{"n":1}')
  await expect(partOf(page).getByText('Returned 200', { exact: true })).toHaveCount(1)
  await expect(partOf(page).getByText('Up', { exact: true })).toBeVisible()
  expect(endpoint.requests.map(({ body }) => body.toString())).toEqual(['{"n":1}'])

  await endpoint.close()
  await app.deliver(refunds, '{"n":2}')
  await app.deliver(refunds, '{"n":3}')
  await expect(partOf(page).getByRole('note')).toContainText('Connection refused')
  await expect(partOf(page).getByRole('note')).toContainText('2 pending')
  const again = await startRawEndpoint(() => 200, endpoint.port)
  // It may be retried automatically at that moment: then there is no button left to press.
  const sendNow = buttonIn(partOf(page), 'Send now')
  await sendNow.evaluateAll((buttons: HTMLElement[]) => buttons[0]?.click())
  await expect(partOf(page).getByText('Returned 200', { exact: true })).toHaveCount(3)
  expect(again.requests.map(({ body }) => body.toString())).toEqual(['{"n":2}', '{"n":3}'])
  await expect(partOf(page).getByRole('note')).toBeHidden()

  await click(partOf(page), 'Pause')
  await expect(buttonIn(partOf(page), 'Resume')).toBeVisible()
  await app.deliver(refunds, '{"n":4}')
  await expect(sendNow).toBeVisible()
  await click(partOf(page), 'Discard 1')
  await expect(partOf(page).getByText('Cancelled', { exact: true })).toBeVisible()
  await click(partOf(page), 'Resume')

  await app.restart()
  await press(app.page, 'g', 'w')
  await expect(switchOf(app.page)).toBeInViewport()
  await partOf(app.page).getByText('Returned 200', { exact: true }).first().click()
  await expect(rowsWith(app.page, 'transaction.refund')).toHaveCount(4)
  await press(app.page, 'g', 'e')
  await click(partOf(app.page), 'Edit forwarding')
  await select(dialogOf(app.page), 'Response to the service', "Handler's response")
  await click(dialogOf(app.page), 'Save')
  await expect(dialogOf(app.page)).toBeHidden()
  await expect(partOf(app.page)).toContainText("Handler's response")
  await switchOf(app.page).click()
  await expect(switchOf(app.page)).not.toBeChecked()
  await click(partOf(app.page), 'Remove')
  await click(dialogOf(app.page), 'Stop forwarding')
  await expect(partOf(app.page)).toBeHidden()
  await again.close()
})

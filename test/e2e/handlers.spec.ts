import { startRawEndpoint } from '../support/replay-fixture.ts'
import {
  buttonIn,
  click,
  dialogIn,
  groupIn,
  headingIn,
  menuItemIn,
  press,
  regionIn,
} from './controls.ts'
import { expect, jsonAnswer, rowsWith, test } from './fixtures.ts'

test('a handler is saved, r replays there at once, its page shows the failure and replays it, and its deletion is undone', async ({
  app,
  endpoint,
  page,
}) => {
  endpoint.answer = jsonAnswer(500, { message: 'card is null' })
  const hook = await app.importHook('transaction.auth', 'saved')
  await app.deliver(hook, '{"id":"0b0f7c52","amount":36.90,"currency":"GBP"}')
  await expect(rowsWith(page, 'transaction.auth')).toHaveCount(1)

  await press(page, 'g', 'e')
  await expect(headingIn(page, 'No handlers yet')).toBeVisible()
  const form = page.getByRole('main')
  await form.getByLabel('URL', { exact: true }).click()
  await page.keyboard.type('nonsense')
  await press(page, 'Enter')
  await expect(page.getByText('Enter the secret your handler verifies with.')).toBeVisible()
  await expect(form.getByLabel('Handler secret', { exact: true })).toBeFocused()
  await page.keyboard.type('own-secret-0123456789')
  await press(page, 'Enter')
  await expect(page.getByText(/isn't a complete URL/)).toBeVisible()
  await form.getByLabel('URL', { exact: true }).click()
  await press(page, 'ControlOrMeta+a')
  await page.keyboard.type(`${endpoint.origin.replace('http://', '')}/webhooks`)
  await press(page, 'Enter')
  const handler = regionIn(page, 'Handler local')
  await expect(handler.getByText('Reachable', { exact: true })).toBeVisible()
  await expect(handler.getByText('Current', { exact: true })).toBeVisible()
  await expect(page).toHaveURL(/#\/handlers\/local$/)
  await expect(headingIn(handler, 'No results yet')).toBeVisible()
  await expect(handler.locator('[data-kind=primary]')).toHaveText('Run check')

  // No form: the current handler gets it, and the notice says so.
  await press(page, 'g', 'd', 'j', 'r')
  const notices = regionIn(page, 'Notifications')
  await expect(notices).toContainText('Returned 500 in')
  await expect(notices).toContainText(`to @local, ${endpoint.origin}/webhooks`)
  expect(endpoint.requests.map(({ line }) => line)).toEqual(['POST /webhooks HTTP/1.1'])
  await press(page, 'R')
  const composer = dialogIn(page, 'Replay with changes')
  await expect(composer.getByText('Reachable', { exact: true })).toBeVisible()
  await press(page, 'Escape')
  await expect(composer).toBeHidden()

  await press(page, 'g', 'e')
  await expect(groupIn(handler, 'Summary')).toContainText(/1 send, all failed/)
  const causes = regionIn(handler, 'Causes')
  await expect(causes).toContainText('1 cause explains the failing delivery')
  await expect(causes).toContainText(/Returns 500 to auths.*card is null.*1 delivery/s)
  await expect(regionIn(handler, 'Latest failures')).toContainText(
    /transaction\.auth.*36\.90 GBP.*500.*card is null/s,
  )
  await expect(regionIn(handler, 'Response time')).toBeHidden()
  await expect(handler.getByRole('switch', { name: 'Forward new deliveries' })).not.toBeChecked()
  await expect(handler.locator('[data-kind=primary]')).toHaveText('Replay 1 delivery')
  endpoint.answer = 200
  await click(causes, 'Replay 1 delivery')
  await expect(causes).toBeHidden()
  await expect(handler.locator('[data-kind=primary]')).toHaveText('Run check')
  expect(endpoint.requests).toHaveLength(2)

  await click(handler, 'More actions')
  await menuItemIn(page, 'Delete').click()
  await expect(headingIn(page, 'No handlers yet')).toBeVisible()
  await click(page, 'Undo')
  await expect(handler.getByText('Current', { exact: true })).toBeVisible()
  await page.evaluate(() => (location.hash = '#/handlers/nope'))
  await expect(headingIn(page, 'Handler not found')).toBeVisible()
})

/** Fails on clearings, whatever the signature. */
function keepBooks({ body }: { readonly body: Buffer }) {
  return body.includes('"cleared":true')
    ? jsonAnswer(500, { error: 'LedgerConflict', message: 'Already settled' })
    : 200
}

test('a handler that fails in a check and a flow shows the cause of both, with an example and code', async ({
  app,
  page,
}) => {
  test.slow()
  const { origin, close } = await startRawEndpoint(keepBooks)
  const secret = ['--secret', 'own-secret-0123456789']
  await app.command('handlers', 'add', 'books', '--url', `${origin}/books`, ...secret)
  await app.command('check', '@books', '--rate', '5000', '--max-failed', '99')
  // It exits with 1, because it fails.
  await app.command('flow', 'run', 'purchase-visa', '--handler', '@books').catch(() => '')
  await press(page, 'g', 'e')
  const handler = regionIn(page, 'Handler books')
  const causes = regionIn(handler, 'Causes')
  await expect(causes).toContainText(/explain all \d+ failed checks and the failed flow/)
  await expect(causes).toContainText(/Returns 500.*LedgerConflict: Already settled.*1 flow/s)
  await expect(regionIn(handler, 'Flows')).toContainText('Clearing: returned 500, expected 200')
  await expect(regionIn(handler, 'Check')).toContainText(/Accepts valid deliveries\d failed of 7/)

  const forged = causes.getByRole('article').filter({ hasText: 'any signature' })
  await expect(forged).toContainText("Your handler doesn't check the signature")
  await expect(regionIn(handler, 'Verification')).toContainText(`Registered URL${origin}/books`)
  await click(forged, 'Show code')
  await expect(forged.getByLabel(/^Program in /)).toContainText('verify')
  expect(await forged.evaluate((part) => part.scrollWidth - part.clientWidth)).toBe(0)
  await click(forged, 'Hide code')
  await click(forged, 'Show one')
  await expect(regionIn(page, 'Case', { exact: true })).toContainText('Your handler accepted this')
  await press(page, 'g', 'e')
  await click(handler, 'Show flows')
  await expect(page.getByRole('main')).toContainText('@books, today')
  await close()
})

test('an unreachable handler offers a connection test, its numbers agree, and a long name covers no control', async ({
  app,
  endpoint,
  page,
}) => {
  const hook = await app.importHook('transaction.auth', 'saved')
  await app.deliver(hook, '{"id":"0b0f7c52","amount":36.90,"currency":"GBP"}')
  const url = `${endpoint.origin}/gone`
  const name = 'handler-of-the-northern-books-and-settlements'
  await app.command('handlers', 'add', name, '--url', url, '--secret', 'own-secret-0123456789')
  await endpoint.close()
  await press(page, 'g', 'e')
  const handler = regionIn(page, `Handler ${name}`)
  await expect(handler).toBeVisible()
  await press(page, 'g', 'd', 'j', 'r')
  await press(page, 'g', 'e')
  await expect(handler.locator('[data-kind=primary]')).toHaveText('Test connection')
  await expect(groupIn(handler, 'Summary')).toContainText('1 send, all failed')
  await expect(regionIn(handler, 'Causes')).toContainText("Can't be reached")
  await click(handler, 'Test connection')
  await expect(handler.getByText('Connection refused', { exact: true })).toBeVisible()
  await page.setViewportSize({ width: 720, height: 450 })
  const [row, state] = await Promise.all(
    [page.getByRole('option'), page.getByRole('option').getByText('Connection refused')].map(
      (part) => part.boundingBox(),
    ),
  )
  expect((state?.x ?? 0) + (state?.width ?? 0)).toBeLessThanOrEqual((row?.width ?? 0) + row!.x - 16)
  const reason = regionIn(handler, 'Latest failures').getByText(/^Connection refused at/)
  expect(await reason.evaluate((words) => words.scrollWidth - words.clientWidth)).toBe(0)
  const forward = handler.getByRole('switch', { name: 'Forward new deliveries' })
  await forward.click()
  await expect(forward).toBeChecked()
  const [edit, more] = await Promise.all(
    ['Edit', 'More actions'].map((label) =>
      buttonIn(handler, label, { exact: true }).boundingBox(),
    ),
  )
  expect(more?.y).toBe(edit?.y)
  await click(handler, 'More actions')
  await expect(menuItemIn(page, 'Delete')).toBeVisible()
})

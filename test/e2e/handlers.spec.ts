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
  await expect(groupIn(handler, 'Summary')).toContainText(/1 request.*1 failed/s)
  await expect(regionIn(handler, 'Latest failures')).toContainText(
    /transaction\.auth.*36\.90 GBP.*500.*Returned "card is null"/s,
  )
  await expect(regionIn(handler, 'Response time')).toBeHidden()
  await expect(regionIn(handler, 'Forwarding')).toContainText('Off.')
  endpoint.answer = 200
  await click(handler, 'Replay 1 failure')
  await expect(buttonIn(handler, 'Replay 1 failure')).toBeHidden()
  await expect(buttonIn(handler, 'Run check').first()).toBeVisible()
  expect(endpoint.requests).toHaveLength(2)

  await click(handler, 'More actions')
  await menuItemIn(page, 'Delete').click()
  await expect(headingIn(page, 'No handlers yet')).toBeVisible()
  await click(page, 'Undo')
  await expect(handler.getByText('Current', { exact: true })).toBeVisible()
  await page.evaluate(() => (location.hash = '#/handlers/nope'))
  await expect(headingIn(page, 'Handler not found')).toBeVisible()
})

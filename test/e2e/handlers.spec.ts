/** Saved handlers in the window: one is added and used, its page shows what failed, and its deletion is undone. */
import { startRawEndpoint, type RawEndpoint } from '../support/replay-fixture.ts'
import { expectNoViolations, expectNoViolationsInBothThemes } from './accessible.ts'
import { expect, rowsWith, test } from './fixtures.ts'

const FAILED =
  'HTTP/1.1 500 No\r\ncontent-type: application/json\r\ncontent-length: 26\r\n\r\n{"message":"card is null"}'

let endpoint: RawEndpoint
let answer: number | string
test.beforeEach(async () => {
  answer = FAILED
  endpoint = await startRawEndpoint(() => answer)
})
test.afterEach(async () => {
  await endpoint.close()
})

test('a handler is saved, r replays there at once, its page shows the failure and replays it, and its deletion is undone', async ({
  app,
}) => {
  const { page } = app
  const hook = await app.importHook('transaction.auth', 'saved')
  await app.deliver(hook, '{"id":"0b0f7c52","amount":36.90,"currency":"GBP"}')
  await expect(rowsWith(page, 'transaction.auth')).toHaveCount(1)

  // By keyboard: go to the screen, reach the only field, correct the URL.
  await page.keyboard.press('g')
  await page.keyboard.press('e')
  await expect(page.getByRole('heading', { name: 'No handlers yet' })).toBeVisible()
  await expectNoViolations(app, 'no handlers')
  await page.getByRole('button', { name: 'Add handler' }).focus()
  await page.keyboard.press('Tab')
  await page.keyboard.type('nonsense')
  await page.keyboard.press('Enter')
  await expect(page.getByText(/isn't a complete URL/)).toBeVisible()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type(`${endpoint.origin.replace('http://', '')}/webhooks`)
  await page.keyboard.press('Enter')
  const handler = page.getByRole('region', { name: 'Handler local' })
  await expect(handler.getByText('Reachable', { exact: true })).toBeVisible()
  await expect(handler.getByText('Current', { exact: true })).toBeVisible()
  await expect(page).toHaveURL(/#\/handlers\/local$/)

  // No form: the current handler gets it, and the notice says so.
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await page.keyboard.press('j')
  await page.keyboard.press('r')
  const notices = page.getByRole('region', { name: 'Notifications' })
  await expect(notices).toContainText('Returned 500 in')
  await expect(notices).toContainText(`to @local, ${endpoint.origin}/webhooks`)
  expect(endpoint.requests.map(({ line }) => line)).toEqual(['POST /webhooks HTTP/1.1'])
  await page.keyboard.press('R')
  const composer = page.getByRole('dialog', { name: 'Replay with changes' })
  await expect(composer.getByText('Reachable', { exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(composer).toBeHidden()

  await page.keyboard.press('g')
  await page.keyboard.press('e')
  await expect(handler.getByText('1 failed (100%)')).toBeVisible()
  await expect(handler.getByRole('region', { name: 'Failures by status' })).toContainText(
    /500.*1.*Returned "card is null"/s,
  )
  await expect(handler.getByRole('region', { name: 'Latest failures' })).toContainText(
    /transaction\.auth.*36\.90 GBP.*500/s,
  )
  await expectNoViolationsInBothThemes(app, 'handler')
  await handler.getByText('Table', { exact: true }).click()
  await expect(handler.getByRole('row', { name: /\d\d:\d\d .* 1 1$/ })).toBeVisible()
  answer = 200
  await handler.getByRole('button', { name: 'Replay 1 failure' }).click()
  await expect(handler.getByRole('button', { name: 'Replay 1 failure' })).toBeHidden()
  expect(endpoint.requests).toHaveLength(2)

  await handler.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await expect(page.getByRole('heading', { name: 'No handlers yet' })).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(handler.getByText('Current', { exact: true })).toBeVisible()
})

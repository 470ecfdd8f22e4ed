import { readFileSync } from 'node:fs'
import type { Locator, Page } from '@playwright/test'
import { REGISTERED_URL, SECRET, startHandler } from '../support/check-handlers.ts'
import {
  buttonIn,
  click,
  dialogIn,
  fill,
  goTo,
  groupIn,
  headingIn,
  menuItemIn,
  press,
  regionIn,
  searchCommands,
  tabIn,
} from './controls.ts'
import { expect, jsonAnswer, test } from './fixtures.ts'

async function save(page: Page, format: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    (async () => {
      await click(page, 'More actions')
      await menuItemIn(page, `Export as ${format}`).click()
    })(),
  ])
  return readFileSync(await download.path(), 'latin1')
}

/**
 * Adds a handler from the menu of handlers, with its own secret. The first one is the current one.
 */
async function addHandler(page: Page, url: string, registeredUrl = ''): Promise<void> {
  await click(page, /^Handler (?!s)/)
  await menuItemIn(page, 'Add handler…').click()
  const dialog = dialogIn(page, 'Add handler')
  await fill(dialog, 'URL', url, { exact: true })
  await fill(dialog, 'Handler secret', SECRET, { exact: true })
  await dialog.getByText('Name, prefix, registered URL', { exact: true }).click()
  await fill(dialog, 'Registered URL', registeredUrl)
  await click(dialog, 'Add handler')
  await expect(buttonIn(page, /^Handler @/)).toBeVisible()
}

async function withOptions(page: Page, change: (options: Locator) => Promise<void>) {
  await click(page, 'Run options')
  const options = dialogIn(page, 'Run options')
  await change(options)
  await press(page, 'Escape')
  await expect(options).toBeHidden()
}

const setSpeed = (page: Page, speed: string) =>
  withOptions(page, async (options) => {
    await options.getByLabel('Speed').click()
    await page.getByRole('option', { name: speed }).click()
  })

test('a purchase is run step by step, its deliveries can be opened, and a failing handler is explained', async ({
  endpoint,
  page,
}) => {
  test.slow()
  await press(page, 'g', 'f')
  await fill(page, 'Search flows', 'purchase-visa')
  await regionIn(page, 'Flow list').getByRole('button').first().click()
  const diagram = groupIn(page, /^Sequence diagram/)
  await expect(buttonIn(diagram, /^Not run/).first()).toBeVisible()
  await expect(page.getByRole('status', { name: 'Verdict' })).toContainText('Not run')

  await click(page, 'Step', { exact: true })
  const paused = page.getByRole('status').filter({ hasText: 'Paused' })
  await expect(paused).toContainText('step 2 of 7')
  await expect(buttonIn(diagram, /^Passed/)).toHaveCount(1)
  // The focus of a step follows the next ones.
  await buttonIn(diagram, /^Passed: Visa card linked/).click()
  await press(page, ' ')
  await expect(paused).toContainText('step 3 of 7')
  await expect(buttonIn(diagram, /^Passed: Payment with the Visa card/)).toBeFocused()
  await press(page, ' ')
  await expect(buttonIn(diagram, /^Passed: transaction\.auth/)).toBeVisible()
  await click(page, 'Resume')
  const verdict = page.getByRole('status', { name: 'Verdict' })
  await expect(verdict).toContainText('Not checked: no handler')
  await expect(buttonIn(diagram, /^Passed: transaction\.clearing/)).toBeVisible()

  await buttonIn(diagram, /^Passed: transaction\.auth/).click()
  const step = regionIn(page, 'Step', { exact: true })
  await expect(step.getByRole('row', { name: /Signature valid = valid/ })).toBeVisible()
  await press(page, 'o')
  await expect(tabIn(page, 'Signature')).toBeVisible()
  await press(page, 'g', 'f')
  await expect(step.getByRole('heading', { level: 2 })).toContainText('transaction.auth')

  // The verdict is beside what happened; the picture draws responses.
  await expect(verdict).toContainText('Purchase cleared')
  await expect(
    buttonIn(diagram, /^Passed: transaction\.auth, valid, .* visa ····\d{4}, 200 in /),
  ).toBeVisible()
  await expect(buttonIn(diagram, /Skipped/)).toHaveCount(0)

  expect(await save(page, 'JUnit')).toContain('<testsuite')
  expect(await save(page, 'HTML')).toMatch(/^<!doctype html>/)

  const pressed = diagram.locator('[aria-pressed="true"]')
  // A handler that fails: its response is in view when the run ends. Once it is fixed, two keys get
  // a passing replay.
  endpoint.answer = jsonAnswer(500, { error: 'LedgerConflict', message: 'Already settled' })
  await addHandler(page, `${endpoint.origin}/webhooks`, REGISTERED_URL)
  await buttonIn(diagram, /^Passed: transaction\.auth/).click()
  await press(page, 'Enter')
  await expect(verdict).toContainText('2 of 7 steps failed')
  await expect(verdict).toContainText('Your handler returned 500 to transaction.auth')
  await expect(step.getByRole('heading', { level: 2 })).toHaveText(
    /^Failed.*Auth: returned 500, expected 200$/,
  )
  await expect(step).toContainText('How to fix')
  await expect(step.getByRole('row', { name: /Status 200 ≠ 500/ })).toBeInViewport({ ratio: 1 })
  const body = regionIn(step, "Your handler's response").getByText('"LedgerConflict"')
  await expect(body).toBeInViewport({ ratio: 1 })

  endpoint.answer = 200
  await press(page, '.')
  await expect(pressed).toBeFocused()
  await press(page, 'r')
  await expect(page.getByText(/^Returned 200 in/).first()).toBeVisible()
  await expect(body).toBeVisible()
  // Back to the list that the flow was opened from.
  await press(page, 'Escape')
  await expect(buttonIn(page, /^Visa purchase and clearing/)).toBeFocused()
})

test('problems of a file are shown with line and column; a run starts at a later step, speeds up, pauses and is cancelled; a remote host must be allowed; the palette starts a flow; it fits a narrow window', async ({
  page,
}) => {
  await goTo(page, 'Flows')
  await expect(buttonIn(page, 'Open file…')).toBeVisible()
  const broken =
    '{\n  "flow": 1,\n  "name": "mine",\n  "title": "Mine",\n  "steps": [{ "kind": "trigger", "event": "card.link" }]\n}'
  await page
    .getByLabel('Flow file')
    .setInputFiles({ name: 'mine.json', mimeType: 'application/json', buffer: Buffer.from(broken) })
  await expect(page.getByRole('alert')).toContainText('line 5')
  await expect(page.getByRole('alert')).toContainText('Did you mean card.linked?')

  await page.getByLabel('Flow file').setInputFiles({
    name: 'mine.json',
    mimeType: 'application/json',
    buffer: Buffer.from(broken.replace('card.link', 'card.linked')),
  })
  await expect(headingIn(page, 'Mine')).toBeVisible()
  await press(page, 'Escape')

  const verdict = page.getByRole('status', { name: 'Verdict' })
  await searchCommands(page, 'Visa purchase and clearing')
  await page.getByRole('option', { name: /^Run flow: Visa purchase/ }).click()
  await expect(verdict).toContainText('Not checked')

  // Earlier steps run immediately, then the run pauses before the clearing; from there on it has
  // the chosen speed.
  const diagram = groupIn(page, /^Sequence diagram/)
  await setSpeed(page, '1 minute per second')
  await click(diagram, /^Passed: transaction\.clearing/)
  await click(page, 'Run from here')
  await expect(verdict).toContainText('Paused')
  await click(page, 'Resume')
  await expect(buttonIn(diagram, /^Running: transaction\.clearing/)).toBeVisible()
  await expect(diagram.getByRole('note', { name: 'At least 2 d until clearing' })).toBeVisible()
  await click(page, 'Pause')
  await expect(verdict).toContainText('Paused')
  await click(page, 'Resume')
  await setSpeed(page, 'As fast as possible')
  await expect(verdict).toContainText('Not checked')
  await setSpeed(page, 'Real time')
  await withOptions(page, (options) => fill(options, 'Amount', '12.50'))
  await click(page, 'Run again')
  await expect(page.getByLabel('Inputs of this run')).toHaveText('amount 12.50')
  await expect(buttonIn(diagram, /^Running: transaction\.clearing/)).toBeVisible()
  await click(page, 'Cancel')
  await expect(verdict).toContainText('Cancelled')

  await setSpeed(page, 'As fast as possible')
  await addHandler(page, 'http://192.0.2.1/webhooks')
  await click(page, 'Run again')
  const consent = buttonIn(page, 'Send to 192.0.2.1')
  await consent.click()
  await expect(consent).toBeHidden()
  // Nothing listens there. Whether the network reports that immediately or never doesn't matter.
  await click(page, /^Run: /)
  await expect(page.getByRole('menuitemradio', { name: /@192-0-2-1/ }).first()).toBeVisible()
  await press(page, 'Escape')

  await page.setViewportSize({ width: 600, height: 900 })
  await expect(buttonIn(diagram, /^Passed: transaction\.auth/)).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(600)
})

test('all flows run from the list: failures first with their response, what changed, re-run and cancel', async ({
  page,
}) => {
  test.slow()
  await press(page, 'g', 'f')
  const list = regionIn(page, 'Flow list')
  const last = page.getByRole('status', { name: 'Results' })
  await expect(last).toContainText('Not run.')

  // One flow, from its row. Without a handler, nothing passes.
  await fill(page, 'Search flows', 'card')
  await click(list, 'Run: Card linked')
  await expect(
    list.getByRole('row', { name: /^Not checked Card linked Card linked: / }),
  ).toBeVisible()
  await expect(last).toContainText('Not checked: no handler')
  await fill(page, 'Search flows', '')

  const handler = await startHandler('single-hash')
  await addHandler(page, handler.url, REGISTERED_URL)
  await expect(buttonIn(page, /^Handler @local.*Reachable/)).toBeVisible()
  await expect(last).toContainText('Not run with @local.')
  const runAll = buttonIn(page, 'Run all')
  await press(page, 'Shift+Enter')
  await expect(page.getByRole('progressbar', { name: 'Completed flows' })).toBeVisible()
  await expect(runAll).toBeEnabled()
  await expect(last).toContainText(/^@local, today .*: \d\d of 23 flows failed/)
  // Failures first; one opens at its first failure, and the keys move between rows.
  const rows = list.locator('[data-flow-row]')
  await rows.first().focus()
  await press(page, 'ArrowDown')
  await expect(rows.nth(1)).toBeFocused()
  await rows.first().click()
  const step = regionIn(page, 'Step', { exact: true })
  await expect(step).toContainText('Your handler returned 401')
  await expect(groupIn(page, /^Sequence/).locator('[aria-pressed="true"]')).toHaveAccessibleName(
    /^Failed: .* 401 in .*, expected 200/,
  )
  await press(page, 'Escape')
  // The results are still there after a reload; a run can be cancelled.
  await handler.close()
  await page.reload()
  await expect(last).toContainText('flows failed')
  await page.setViewportSize({ width: 900, height: 900 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(900)
  // The longest title of a live flow, which names its mode, isn't cut.
  const live = list.getByRole('button', { name: 'Location onboarding in live mode', exact: true })
  expect(await live.evaluate((title) => title.scrollWidth - title.clientWidth)).toBe(0)
  await click(page, /^Re-run \d+ failed/)
  await expect(list.getByText('Still failing').first()).toBeVisible()
  await expect(runAll).toBeEnabled()
  await setSpeed(page, 'Real time')
  await runAll.click()
  await click(page, 'Cancel')
  await expect(page.getByRole('progressbar', { name: 'Completed flows' })).toBeHidden()
  await expect(runAll).toBeEnabled()

  // Hooks that flows registered for themselves are not among the user's.
  await press(page, 'g', 'h')
  await expect(headingIn(page, 'No hooks yet')).toBeVisible()
  await click(page, /^Show \d+ hooks made by flows$/)
  await expect(regionIn(page, 'Hook list').getByRole('row')).not.toHaveCount(1)
})

/**
 * Flows in the window: a purchase run step by step, its deliveries opened, a failing handler explained, reports
 * saved.
 */
import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { REGISTERED_URL, SECRET, startHandler } from '../support/check-handlers.ts'
import { expectNoViolationsInBothThemes } from './accessible.ts'
import {
  buttonIn,
  click,
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
      await click(page, 'Export')
      await menuItemIn(page, format).click()
    })(),
  ])
  return readFileSync(await download.path(), 'latin1')
}

test('a purchase is run step by step, its deliveries can be opened, and a failing handler is explained', async ({
  app,
  endpoint,
  page,
}) => {
  test.slow()
  await press(page, 'g', 'f')
  await fill(page, 'Search flows', 'purchase-visa')
  await expectNoViolationsInBothThemes(app, 'the list of flows')
  await regionIn(page, 'Flow list').getByRole('button').first().click()
  const diagram = groupIn(page, /^Sequence diagram/)
  await expect(buttonIn(diagram, /^Pending/).first()).toBeVisible()
  await expect(page.getByText('Not run yet. Showing the plan.')).toBeVisible()

  await click(page, 'Step', { exact: true })
  const paused = page.getByRole('status').filter({ hasText: 'Paused' })
  await expect(paused).toContainText('step 2 of 7')
  await expect(buttonIn(diagram, /^Passed/)).toHaveCount(1)
  // The focus of a step follows the next ones.
  await buttonIn(diagram, /^Passed: Visa card linked/).focus()
  await press(page, ' ')
  await expect(paused).toContainText('step 3 of 7')
  await expect(buttonIn(diagram, /^Passed: Payment with the Visa card/)).toBeFocused()
  await press(page, ' ')
  await expect(buttonIn(diagram, /^Passed: transaction\.auth/)).toBeVisible()
  await click(page, 'Resume')
  await expect(page.getByRole('status').filter({ hasText: 'Passed' })).toContainText('as expected')
  await expect(buttonIn(diagram, /^Passed: transaction\.clearing/)).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'a run')

  await buttonIn(diagram, /^Passed: transaction\.auth/).focus()
  const step = regionIn(page, 'Step', { exact: true })
  await expect(step.getByRole('row', { name: /Signature valid = valid/ })).toBeVisible()
  await press(page, 'o')
  await expect(tabIn(page, 'Signature')).toBeVisible()
  await press(page, 'g', 'f')
  await expect(step.getByRole('heading', { level: 2 })).toContainText('transaction.auth')

  // The header shows the verdict beside what happened; the picture draws responses, and the legend explains only what occurs.
  const verdict = page.getByRole('status', { name: 'Verdict' })
  await expect(verdict).toContainText('Passed: as expected')
  await expect(verdict).toContainText('Purchase cleared')
  await expect(
    buttonIn(diagram, /^Passed: transaction\.auth, valid, .* visa ····\d{4}, 200 in /),
  ).toBeVisible()
  const legend = groupIn(page, 'Legend')
  await expect(legend).toContainText('Acknowledged (200)')
  await expect(legend).toContainText('2 steps skipped: no handler in this run')
  await expect(legend).not.toContainText('Timeout')
  await expect(buttonIn(diagram, /Skipped/)).toHaveCount(0)

  expect(await save(page, 'JUnit')).toContain('<testsuite')
  expect(await save(page, 'Mermaid')).toMatch(/^sequenceDiagram\n/)
  const report = await save(page, 'HTML report')
  expect(report).toMatch(/^<!doctype html>/)
  expect(report.match(/<details class="payload">/g)).toHaveLength(2)
  expect(report).toContain('&quot;currency&quot;')
  expect(report).not.toMatch(/(?:src|href)="(?!#|data:)|@import|url\((?!data:)/)

  // From participant to participant, and from step to step.
  const pressed = diagram.locator('[aria-pressed="true"]')
  await buttonIn(diagram, /^Passed: transaction\.auth/).focus()
  await press(page, 'ArrowLeft', 'ArrowLeft')
  await expect(pressed).toHaveText(/Passed: Payment with the Visa card/)
  await press(page, 'ArrowUp')
  await expect(pressed).toHaveText(/Passed: Visa card linked/)

  // A handler that fails: its response is in view when the run ends. Once it is fixed, two keys get a passing replay.
  endpoint.answer = jsonAnswer(500, { error: 'LedgerConflict', message: 'Already settled' })
  await click(page, /^Handler /)
  await regionIn(page, 'Run settings')
    .getByLabel(/^Your handler/)
    .first()
    .fill(`${endpoint.origin}/webhooks`)
  await fill(page, 'Handler secret', SECRET, { exact: true })
  await fill(page, 'Registered URL', REGISTERED_URL)
  await click(page, /^Handler /)
  await buttonIn(diagram, /^Passed: transaction\.auth/).focus()
  await press(page, 'Enter')
  await expect(page.getByRole('status').filter({ hasText: 'Failed' })).toContainText(
    'Your handler returned 500',
  )
  await expect(step.getByRole('heading', { level: 2 })).toHaveText(/^Failed/)
  await expect(step).toContainText('How to fix')
  await expect(step.getByRole('row', { name: /Status 200 ≠ 500/ })).toBeInViewport({ ratio: 1 })
  const body = regionIn(step, "Your handler's response").getByText('"LedgerConflict"')
  await expect(body).toBeInViewport({ ratio: 1 })
  await expectNoViolationsInBothThemes(app, 'a failed step')

  endpoint.answer = 200
  await press(page, '.')
  await expect(pressed).toBeFocused()
  await press(page, 'r')
  const replay = regionIn(step, 'Replay', { exact: true })
  await expect(replay).toContainText('Returned 200')
  await expect(replay).toContainText('Fixed')
  await expect(body).toBeVisible()
  const failedStep = await page.evaluate(() => location.hash)
  expect(failedStep).toMatch(/^#\/flows\/purchase-visa\/runs\/[\w-]+\/steps\/[\w-]+$/)
  // The delivery knows both requests, and Back returns to the step; so does a reload.
  await press(page, 'o', '6')
  await expect(page.getByRole('tabpanel').getByText('Fixed').first()).toBeVisible()
  await press(page, 'Alt+ArrowLeft')
  await expect(step.getByRole('heading', { level: 2 })).toHaveText(/^Failed/)
  expect(await page.evaluate(() => location.hash)).toBe(failedStep)
  await page.reload()
  await expect(body).toBeVisible()
  await page.getByRole('radio', { name: 'List' }).check()
  await expect(buttonIn(page.getByRole('list', { name: 'Steps' }), /Failed/).first()).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'a failing run as a list')

  // Back to the list that the flow was opened from.
  await press(page, 'Escape')
  await expect(buttonIn(page, /^Visa purchase and clearing/)).toBeFocused()
})

test('problems of a file are shown with line and column, and live mode must be confirmed by name', async ({
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

  await fill(page, 'Search flows', 'program-sync-live')
  await regionIn(page, 'Flow list').getByRole('button').first().click()
  await click(page, 'Run', { exact: true })
  await click(page, 'Run program-sync-live in sandbox-live')
  await expect(page.getByRole('status').filter({ hasText: 'Passed' })).toContainText('as expected')
})

test('a run starts at a later step, speeds up, pauses and is cancelled; a remote host must be allowed; the palette starts a flow; narrow windows show a list', async ({
  app,
  page,
}) => {
  const status = page.getByRole('status')
  await searchCommands(page, 'Visa purchase and clearing')
  await page.getByRole('option', { name: /^Run flow: Visa purchase/ }).click()
  await expect(status.filter({ hasText: 'Passed' })).toContainText('as expected')

  // Earlier steps run immediately, then the run pauses before the clearing; from there on it has the chosen speed.
  const diagram = groupIn(page, /^Sequence diagram/)
  await page.getByLabel('Speed').selectOption('60')
  await click(diagram, /^Passed: transaction\.clearing/)
  await click(page, 'Run from here')
  await expect(status.filter({ hasText: 'Paused' })).toBeVisible()
  await click(page, 'Resume')
  await expect(buttonIn(diagram, /^Running: transaction\.clearing/)).toBeVisible()
  await expect(
    diagram.getByRole('note', { name: /of at least 2 d, sandbox time until clearing/ }),
  ).toBeVisible()
  await click(page, 'Pause')
  await expect(status.filter({ hasText: 'Paused' })).toBeVisible()
  await click(page, 'Resume')
  await page.getByLabel('Speed').selectOption('max')
  await expect(status.filter({ hasText: 'Passed' })).toContainText('as expected')
  await page.getByLabel('Speed').selectOption('1')
  await click(page, 'Run again')
  await expect(buttonIn(diagram, /^Running: transaction\.clearing/)).toBeVisible()
  await click(page, 'Cancel')
  await expect(status.filter({ hasText: 'Cancelled' })).toContainText('Cancelled')

  await page.getByLabel('Speed').selectOption('max')
  await click(page, /^Handler /)
  await page.getByRole('combobox', { name: 'Your handler' }).fill('http://192.0.2.1/webhooks')
  await fill(page, 'Handler secret', SECRET, { exact: true })
  await click(page, 'Run again')
  const consent = buttonIn(page, 'Send to 192.0.2.1')
  await consent.click()
  await expect(consent).toBeHidden()
  // Nothing listens there. Whether the network reports that immediately or never doesn't matter.
  await expect(page.getByRole('combobox', { name: 'Run', exact: true })).toContainText(
    'with a handler',
  )

  await page.setViewportSize({ width: 600, height: 900 })
  await expect(page.getByRole('list', { name: 'Steps' })).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(600)
  await expectNoViolationsInBothThemes(app, 'a run in a narrow window')
})

test('all flows run from the list: failures first with their response, what changed, re-run and cancel', async ({
  app,
  page,
}) => {
  test.slow()
  await press(page, 'g', 'f')
  const list = regionIn(page, 'Flow list')
  await expect(
    page.getByText('No handler set, so the steps that check its responses are skipped.'),
  ).toBeVisible()

  // One flow, from its row: keyboard only.
  await fill(page, 'Search flows', 'card')
  await buttonIn(list, 'Card linked', { exact: true }).focus()
  await press(page, 'Enter')
  const passed = list.getByRole('rowgroup', { name: 'Passed' })
  await expect(passed.getByRole('row')).toHaveCount(2)
  await fill(page, 'Search flows', '')

  const handler = await startHandler('single-hash')
  await click(page, /^Handler /)
  await page.getByRole('combobox', { name: 'Your handler' }).fill(handler.url)
  await fill(page, 'Handler secret', SECRET, { exact: true })
  await fill(page, 'Registered URL', REGISTERED_URL)
  // The typed handler is saved with its secret, which the window forgets.
  await click(page, 'Save as handler…')
  await click(page, 'Save handler')
  await expect(buttonIn(page, /^Handler @local.*Reachable/)).toBeVisible()
  await click(page, /^Handler /)
  const runAll = buttonIn(page, 'Run all')
  await press(page, 'Shift+Enter')
  await expect(page.getByRole('progressbar', { name: 'Completed flows' })).toBeVisible()
  await expect(runAll).toBeEnabled({ timeout: 60_000 })
  const last = page.getByLabel('Results')
  await expect(last).toContainText(/\d\d failed/)
  await expect(last).toContainText('3 skipped')
  const result = regionIn(page, 'Flow result')
  await expect(result).toContainText('Your handler returned 401')
  await expect(regionIn(result, 'Handler', { exact: true })).toContainText(REGISTERED_URL)
  await expect(regionIn(result, 'Handler', { exact: true })).toContainText(/p50 .*ms · p95 .*ms/)
  await expectNoViolationsInBothThemes(app, 'the table after a run of all flows')
  const first = await result.getByRole('heading', { level: 2 }).innerText()
  await press(page, '.')
  await expect(result.getByRole('heading', { level: 2 })).not.toHaveText(first)
  // The results are still there after a reload; a run can be cancelled.
  await handler.close()
  await page.reload()
  await expect(list.getByRole('rowgroup', { name: 'Failed' })).toBeVisible()
  await page.setViewportSize({ width: 900, height: 900 })
  await expectNoViolationsInBothThemes(app, 'the table in a narrow window')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(900)
  await click(page, /^Re-run \d+ failed/)
  await expect(last).toContainText('still failing', { timeout: 60_000 })
  await page.getByLabel('Speed').selectOption('1')
  await runAll.click()
  await click(page, 'Cancel')
  await expect(page.getByRole('progressbar', { name: 'Completed flows' })).toBeHidden()
  await expect(runAll).toBeEnabled()
})

test('the step panel explains retries and a wrong signature; inputs change a run', async ({
  page,
}) => {
  test.slow()
  const diagram = groupIn(page, /^Sequence diagram/)
  const step = regionIn(page, 'Step', { exact: true })
  const verdict = page.getByRole('status', { name: 'Verdict' })
  const run = async (title: string) => {
    await searchCommands(page, title)
    await page.getByRole('option', { name: `Run flow: ${title}` }).click()
    await expect(headingIn(page, title, { level: 1 })).toBeVisible()
    await expect(verdict).toContainText('Passed')
  }

  await run('Three failures: delivery abandoned')
  await buttonIn(diagram, /^Passed: card\.linked/)
    .last()
    .focus()
  const retries = regionIn(step, 'Retries')
  await expect(retries.getByRole('row')).toHaveText([
    /Attempt.*Sandbox time.*Response/,
    /500$/,
    /no response within 20 s$/,
    /dropped$/,
  ])
  await retries.getByRole('button').first().click()
  await expect(diagram.locator('[aria-pressed="true"]')).toContainText('500')

  await run('Forged deliveries')
  await buttonIn(diagram, /^Passed: .*transaction\.auth.*invalid/i)
    .first()
    .focus()
  const signature = regionIn(step, 'Signature', { exact: true })
  await expect(signature).toContainText('Computed')
  await expect(signature).toContainText('Received')

  await run('Visa purchase and clearing')
  await click(page, /^Handler /)
  const inputs = groupIn(page, 'Inputs')
  await fill(inputs, 'Amount', '12.50')
  await fill(inputs, 'Currency', 'GBP')
  await click(page, /^Handler /)
  await click(page, 'Run again')
  await expect(page.getByLabel('Inputs of this run')).toHaveText('amount 12.50 · currency GBP')
  await expect(verdict).toContainText('Passed')
  await buttonIn(diagram, /^Passed: transaction\.auth, valid, 12\.50 GBP/).focus()
})

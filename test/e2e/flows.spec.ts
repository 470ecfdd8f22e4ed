/**
 * Flows in the window: a purchase run step by step, its deliveries opened, a failing handler explained, reports
 * saved.
 */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import { REGISTERED_URL, SECRET, startHandler } from '../support/check-handlers.ts'
import { expectNoViolationsInBothThemes } from './accessible.ts'
import { expect, test } from './fixtures.ts'

async function save(page: Page, format: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    (async () => {
      await page.getByRole('button', { name: 'Export' }).click()
      await page.getByRole('menuitem', { name: format }).click()
    })(),
  ])
  return readFileSync(await download.path(), 'latin1')
}

/** A handler that returns 500 with a JSON body until it is fixed. */
async function startFailingHandler() {
  let isFixed = false
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(isFixed ? 200 : 500, {
        'content-type': 'application/json',
        'x-request-id': 'req-1',
      })
      response.end(
        JSON.stringify(
          isFixed ? { ok: true } : { error: 'LedgerConflict', message: 'Already settled' },
        ),
      )
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    fix() {
      isFixed = true
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('a purchase is run step by step, its deliveries can be opened, and a failing handler is explained', async ({
  app,
}) => {
  test.slow()
  const { page } = app
  await page.keyboard.press('g')
  await page.keyboard.press('f')
  await page.getByLabel('Search flows').fill('purchase-visa')
  await expectNoViolationsInBothThemes(app, 'the list of flows')
  await page.getByRole('region', { name: 'Flow list' }).getByRole('button').first().click()
  const diagram = page.getByRole('group', { name: /^Sequence diagram/ })
  await expect(diagram.getByRole('button', { name: /^Pending/ }).first()).toBeVisible()
  await expect(page.getByText('Not run yet. Showing the plan.')).toBeVisible()

  await page.getByRole('button', { name: 'Step', exact: true }).click()
  const paused = page.getByRole('status').filter({ hasText: 'Paused' })
  await expect(paused).toContainText('step 2 of 7')
  await expect(diagram.getByRole('button', { name: /^Passed/ })).toHaveCount(1)
  // The focus of a step follows the next ones.
  await diagram.getByRole('button', { name: /^Passed: Visa card linked/ }).focus()
  await page.keyboard.press(' ')
  await expect(paused).toContainText('step 3 of 7')
  await expect(
    diagram.getByRole('button', { name: /^Passed: Payment with the Visa card/ }),
  ).toBeFocused()
  await page.keyboard.press(' ')
  await expect(diagram.getByRole('button', { name: /^Passed: transaction\.auth/ })).toBeVisible()
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Passed' })).toContainText('as expected')
  await expect(
    diagram.getByRole('button', { name: /^Passed: transaction\.clearing/ }),
  ).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'a run')

  await diagram.getByRole('button', { name: /^Passed: transaction\.auth/ }).focus()
  const step = page.getByRole('region', { name: 'Step', exact: true })
  await expect(step.getByRole('row', { name: /Signature valid = valid/ })).toBeVisible()
  await page.keyboard.press('o')
  await expect(page.getByRole('tab', { name: 'Signature' })).toBeVisible()
  await page.keyboard.press('g')
  await page.keyboard.press('f')
  await expect(step.getByRole('heading', { level: 2 })).toContainText('transaction.auth')

  // The header shows the verdict beside what happened; the picture draws responses, and the legend explains only what occurs.
  const verdict = page.getByRole('status', { name: 'Verdict' })
  await expect(verdict).toContainText('Passed: as expected')
  await expect(verdict).toContainText('Purchase cleared')
  await expect(
    diagram.getByRole('button', {
      name: /^Passed: transaction\.auth, valid, .* visa ····\d{4}, 200 in /,
    }),
  ).toBeVisible()
  const legend = page.getByRole('group', { name: 'Legend' })
  await expect(legend).toContainText('Acknowledged (200)')
  await expect(legend).toContainText('2 steps skipped: no handler in this run')
  await expect(legend).not.toContainText('Timeout')
  await expect(diagram.getByRole('button', { name: /Skipped/ })).toHaveCount(0)

  expect(await save(page, 'JUnit')).toContain('<testsuite')
  expect(await save(page, 'Mermaid')).toMatch(/^sequenceDiagram\n/)
  const report = await save(page, 'HTML report')
  expect(report).toMatch(/^<!doctype html>/)
  expect(report.match(/<details class="payload">/g)).toHaveLength(2)
  expect(report).toContain('&quot;currency&quot;')
  expect(report).not.toMatch(/(?:src|href)="(?!#|data:)|@import|url\((?!data:)/)

  // From participant to participant, and from step to step.
  const pressed = diagram.locator('[aria-pressed="true"]')
  await diagram.getByRole('button', { name: /^Passed: transaction\.auth/ }).focus()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await expect(pressed).toHaveText(/Passed: Payment with the Visa card/)
  await page.keyboard.press('ArrowUp')
  await expect(pressed).toHaveText(/Passed: Visa card linked/)

  // A handler that fails: its response is in view when the run ends. Once it is fixed, two keys get a passing replay.
  const handler = await startFailingHandler()
  try {
    await page.getByRole('button', { name: /^Handler / }).click()
    await page
      .getByRole('region', { name: 'Run settings' })
      .getByLabel(/^Your handler/)
      .first()
      .fill(handler.url)
    await page.getByLabel('Handler secret', { exact: true }).fill(SECRET)
    await page.getByLabel('Registered URL').fill(REGISTERED_URL)
    await page.getByRole('button', { name: /^Handler / }).click()
    await diagram.getByRole('button', { name: /^Passed: transaction\.auth/ }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('status').filter({ hasText: 'Failed' })).toContainText(
      'Your handler returned 500',
    )
    await expect(step.getByRole('heading', { level: 2 })).toHaveText(/^Failed/)
    await expect(step).toContainText('How to fix')
    await expect(step.getByRole('row', { name: /Status 200 ≠ 500/ })).toBeInViewport({ ratio: 1 })
    const body = step
      .getByRole('region', { name: "Your handler's response" })
      .getByText('"LedgerConflict"')
    await expect(body).toBeInViewport({ ratio: 1 })
    await expectNoViolationsInBothThemes(app, 'a failed step')

    handler.fix()
    await page.keyboard.press('.')
    await expect(pressed).toBeFocused()
    await page.keyboard.press('r')
    const replay = step.getByRole('region', { name: 'Replay', exact: true })
    await expect(replay).toContainText('Returned 200')
    await expect(replay).toContainText('Fixed')
    await expect(body).toBeVisible()
    const failedStep = await page.evaluate(() => location.hash)
    expect(failedStep).toMatch(/^#\/flows\/purchase-visa\/runs\/[\w-]+\/steps\/[\w-]+$/)
    // The delivery knows both requests, and Back returns to the step; so does a reload.
    await page.keyboard.press('o')
    await page.keyboard.press('6')
    await expect(page.getByRole('tabpanel').getByText('Fixed').first()).toBeVisible()
    await page.keyboard.press('Alt+ArrowLeft')
    await expect(step.getByRole('heading', { level: 2 })).toHaveText(/^Failed/)
    expect(await page.evaluate(() => location.hash)).toBe(failedStep)
    await page.reload()
    await expect(body).toBeVisible()
  } finally {
    await handler.close()
  }
  await page.getByRole('radio', { name: 'List' }).check()
  await expect(
    page
      .getByRole('list', { name: 'Steps' })
      .getByRole('button', { name: /Failed/ })
      .first(),
  ).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'a failing run as a list')

  // Back to the list that the flow was opened from.
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: /^Visa purchase and clearing/ })).toBeFocused()
})

test('problems of a file are shown with line and column, and live mode must be confirmed by name', async ({
  app,
}) => {
  const { page } = app
  await page
    .getByRole('navigation', { name: 'Navigation' })
    .getByRole('button', { name: 'Flows' })
    .click()
  await expect(page.getByRole('button', { name: 'Open file…' })).toBeVisible()
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
  await expect(page.getByRole('heading', { name: 'Mine' })).toBeVisible()
  await page.keyboard.press('Escape')

  await page.getByLabel('Search flows').fill('program-sync-live')
  await page.getByRole('region', { name: 'Flow list' }).getByRole('button').first().click()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('button', { name: 'Run program-sync-live in sandbox-live' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Passed' })).toContainText('as expected')
})

test('a run starts at a later step, speeds up, pauses and is cancelled; a remote host must be allowed; the palette starts a flow; narrow windows show a list', async ({
  app,
}) => {
  const { page } = app
  const status = page.getByRole('status')
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByLabel('Search commands').fill('Visa purchase and clearing')
  await page.getByRole('option', { name: /^Run flow: Visa purchase/ }).click()
  await expect(status.filter({ hasText: 'Passed' })).toContainText('as expected')

  // Earlier steps run immediately, then the run pauses before the clearing; from there on it has the chosen speed.
  const diagram = page.getByRole('group', { name: /^Sequence diagram/ })
  await page.getByLabel('Speed').selectOption('60')
  await diagram.getByRole('button', { name: /^Passed: transaction\.clearing/ }).click()
  await page.getByRole('button', { name: 'Run from here' }).click()
  await expect(status.filter({ hasText: 'Paused' })).toBeVisible()
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect(
    diagram.getByRole('button', { name: /^Running: transaction\.clearing/ }),
  ).toBeVisible()
  await expect(
    diagram.getByRole('note', { name: /of at least 2 d, sandbox time until clearing/ }),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Pause' }).click()
  await expect(status.filter({ hasText: 'Paused' })).toBeVisible()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByLabel('Speed').selectOption('max')
  await expect(status.filter({ hasText: 'Passed' })).toContainText('as expected')
  await page.getByLabel('Speed').selectOption('1')
  await page.getByRole('button', { name: 'Run again' }).click()
  await expect(
    diagram.getByRole('button', { name: /^Running: transaction\.clearing/ }),
  ).toBeVisible()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(status.filter({ hasText: 'Cancelled' })).toContainText('Cancelled')

  await page.getByLabel('Speed').selectOption('max')
  await page.getByRole('button', { name: /^Handler / }).click()
  await page.getByRole('combobox', { name: 'Your handler' }).fill('http://192.0.2.1/webhooks')
  await page.getByLabel('Handler secret', { exact: true }).fill(SECRET)
  await page.getByRole('button', { name: 'Run again' }).click()
  const consent = page.getByRole('button', { name: 'Send to 192.0.2.1' })
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
}) => {
  test.slow()
  const { page } = app
  await page.keyboard.press('g')
  await page.keyboard.press('f')
  const list = page.getByRole('region', { name: 'Flow list' })
  await expect(
    page.getByText('No handler set, so the steps that check its responses are skipped.'),
  ).toBeVisible()

  // One flow, from its row: keyboard only.
  await page.getByLabel('Search flows').fill('card')
  await list.getByRole('button', { name: 'Card linked', exact: true }).focus()
  await page.keyboard.press('Enter')
  const passed = list.getByRole('rowgroup', { name: 'Passed' })
  await expect(passed.getByRole('row')).toHaveCount(2)
  await page.getByLabel('Search flows').fill('')

  const handler = await startHandler('single-hash')
  await page.getByRole('button', { name: /^Handler / }).click()
  await page.getByRole('combobox', { name: 'Your handler' }).fill(handler.url)
  await page.getByLabel('Handler secret', { exact: true }).fill(SECRET)
  await page.getByLabel('Registered URL').fill(REGISTERED_URL)
  // The typed handler is saved with its secret, which the window forgets.
  await page.getByRole('button', { name: 'Save as handler…' }).click()
  await page.getByRole('button', { name: 'Save handler' }).click()
  await expect(page.getByRole('button', { name: /^Handler @local.*Reachable/ })).toBeVisible()
  await page.getByRole('button', { name: /^Handler / }).click()
  const runAll = page.getByRole('button', { name: 'Run all' })
  await page.keyboard.press('Shift+Enter')
  await expect(page.getByRole('progressbar', { name: 'Completed flows' })).toBeVisible()
  await expect(runAll).toBeEnabled({ timeout: 60_000 })
  const last = page.getByLabel('Results')
  await expect(last).toContainText(/\d\d failed/)
  await expect(last).toContainText('3 skipped')
  const result = page.getByRole('region', { name: 'Flow result' })
  await expect(result).toContainText('Your handler returned 401')
  await expect(result.getByRole('region', { name: 'Handler', exact: true })).toContainText(
    REGISTERED_URL,
  )
  await expect(result.getByRole('region', { name: 'Handler', exact: true })).toContainText(
    /p50 .*ms · p95 .*ms/,
  )
  await expectNoViolationsInBothThemes(app, 'the table after a run of all flows')
  const first = await result.getByRole('heading', { level: 2 }).innerText()
  await page.keyboard.press('.')
  await expect(result.getByRole('heading', { level: 2 })).not.toHaveText(first)
  // The results are still there after a reload; a run can be cancelled.
  await handler.close()
  await page.reload()
  await expect(list.getByRole('rowgroup', { name: 'Failed' })).toBeVisible()
  await page.setViewportSize({ width: 900, height: 900 })
  await expectNoViolationsInBothThemes(app, 'the table in a narrow window')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(900)
  await page.getByRole('button', { name: /^Re-run \d+ failed/ }).click()
  await expect(last).toContainText('still failing', { timeout: 60_000 })
  await page.getByLabel('Speed').selectOption('1')
  await runAll.click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('progressbar', { name: 'Completed flows' })).toBeHidden()
  await expect(runAll).toBeEnabled()
})

test('the step panel explains retries and a wrong signature; inputs change a run', async ({
  app,
}) => {
  test.slow()
  const { page } = app
  const diagram = page.getByRole('group', { name: /^Sequence diagram/ })
  const step = page.getByRole('region', { name: 'Step', exact: true })
  const verdict = page.getByRole('status', { name: 'Verdict' })
  const run = async (title: string) => {
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByLabel('Search commands').fill(title)
    await page.getByRole('option', { name: `Run flow: ${title}` }).click()
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
    await expect(verdict).toContainText('Passed')
  }

  await run('Three failures: delivery abandoned')
  await diagram
    .getByRole('button', { name: /^Passed: card\.linked/ })
    .last()
    .focus()
  const retries = step.getByRole('region', { name: 'Retries' })
  await expect(retries.getByRole('row')).toHaveText([
    /Attempt.*Sandbox time.*Response/,
    /500$/,
    /no response within 20 s$/,
    /dropped$/,
  ])
  await retries.getByRole('button').first().click()
  await expect(diagram.locator('[aria-pressed="true"]')).toContainText('500')

  await run('Forged deliveries')
  await diagram
    .getByRole('button', { name: /^Passed: .*transaction\.auth.*invalid/i })
    .first()
    .focus()
  const signature = step.getByRole('region', { name: 'Signature', exact: true })
  await expect(signature).toContainText('Computed')
  await expect(signature).toContainText('Received')

  await run('Visa purchase and clearing')
  await page.getByRole('button', { name: /^Handler / }).click()
  const inputs = page.getByRole('group', { name: 'Inputs' })
  await inputs.getByLabel('Amount').fill('12.50')
  await inputs.getByLabel('Currency').fill('GBP')
  await page.getByRole('button', { name: /^Handler / }).click()
  await page.getByRole('button', { name: 'Run again' }).click()
  await expect(page.getByLabel('Inputs of this run')).toHaveText('amount 12.50 · currency GBP')
  await expect(verdict).toContainText('Passed')
  await diagram
    .getByRole('button', { name: /^Passed: transaction\.auth, valid, 12\.50 GBP/ })
    .focus()
})

/** The handler check in the window, from the first check to the report, and again after a fix. */
import type { Page } from '@playwright/test'
import { REGISTERED_URL, SECRET, startHandler, type Handler } from '../support/check-handlers.ts'
import { expectNoViolations, expectNoViolationsInBothThemes } from './accessible.ts'
import { expect, test } from './fixtures.ts'

let handler: Handler
test.beforeEach(async () => {
  handler = await startHandler('no-timestamp-check')
})
test.afterEach(() => handler.close())

/** Fills in the form and starts the check, at a rate that a test has time for. */
async function start(page: Page, target = handler.url): Promise<void> {
  const form = page.getByRole('form', { name: 'Check handler' })
  await form.getByLabel('Endpoint').fill(target)
  await form.getByLabel('Secret', { exact: true }).selectOption({ label: 'Enter a secret' })
  await form.getByLabel('Handler secret', { exact: true }).fill(SECRET)
  await form.getByLabel('Registered URL').fill(REGISTERED_URL)
  await form.getByLabel('Requests per second').fill('5000')
  await form.getByRole('button', { name: 'Start check' }).click()
}

test('a handler is checked, its defect is shown and fixed, and the next check passes', async ({
  app,
}) => {
  test.slow()
  const { page } = app
  await page.keyboard.press('g')
  await page.keyboard.press('k')
  await expect(page.getByRole('heading', { name: 'Check your handler' })).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'before the first check')
  await start(page)
  const run = page.getByRole('region', { name: 'Check results' })
  await expect(run.getByRole('status')).toContainText('32 passed, 4 failed, 1 skipped')
  await expect(run.getByRole('region', { name: 'Diagnosis' })).toContainText(
    "doesn't check the timestamp",
  )
  await expect(run.getByRole('region', { name: 'Diagnosis' })).toBeInViewport()

  const about = page.getByRole('region', { name: 'Case', exact: true })
  await expect(about.getByRole('heading', { level: 2 })).toHaveText('FailedSigned ten minutes ago')
  await expect(about).toContainText('Your handler accepted this delivery: 200')
  await expect(about.getByLabel('Request as sent', { exact: true })).toContainText(
    'x-service-signature: ',
  )
  await expectNoViolationsInBothThemes(app, 'a failed case')
  await run.getByRole('button', { name: /Signed ten minutes ago/ }).focus()
  await page.keyboard.press('ArrowDown')
  await expect(about.getByRole('heading', { level: 2 })).toHaveText(
    'FailedSigned ten minutes ahead',
  )

  handler.become(null)
  await about.getByRole('button', { name: 'Try again' }).click()
  await expect(about.getByRole('heading', { level: 2 })).toHaveText(
    'PassedSigned ten minutes ahead',
  )
  await expect(about.getByText('Severity', { exact: true })).toBeHidden()
  await expect(about.getByText('Why', { exact: true })).toBeVisible()
  await expect(about.getByText('Fix', { exact: true })).toBeHidden()
  await expect(run.getByRole('status')).toContainText('33 passed, 3 failed')

  await page.getByRole('button', { name: 'Report' }).click()
  await page.getByRole('menuitem', { name: /JUnit/ }).click()
  await expect(page.getByText(/^handler-check-.*\.xml$/)).toBeVisible()

  await page.getByRole('button', { name: 'New check' }).click()
  const cases = page.getByRole('group', { name: 'Cases to run' })
  await cases.getByRole('button', { name: 'Only failed (3)' }).click()
  await expect(cases.getByRole('status')).toHaveText('4 of 39 cases')
  await expect(
    cases.getByRole('checkbox', { name: 'Rejects old or future timestamps' }),
  ).toBeChecked({ indeterminate: true })
  await cases.getByRole('button', { name: 'Show cases: Handles duplicates' }).click()
  await cases.getByRole('checkbox', { name: 'Exact duplicate' }).check()
  await expectNoViolationsInBothThemes(app, 'some cases chosen')
  await start(page)
  await expect(run.getByRole('status')).toContainText('5 passed, 0 failed, 0 skipped')
  await expect(run).toContainText('Fixed: stale, seconds, no-number.')

  await page.getByRole('button', { name: 'New check' }).click()
  await expect(cases.getByRole('status')).toHaveText('5 of 39 cases')
  await cases.getByRole('button', { name: 'All', exact: true }).click()
  await start(page)
  await expect(run.getByRole('status')).toContainText('36 passed, 0 failed, 1 skipped')
  await expect(run).toContainText('No changes since the previous check.')
  await expect(page.getByRole('combobox', { name: 'Run' }).getByRole('option')).toHaveCount(3)
  await page.reload()
  await expect(run.getByRole('status')).toContainText('36 passed')
})

test('a remote host must be allowed by name, a check can be cancelled, and an unreachable handler is reported', async ({
  app,
}) => {
  const { page } = app
  await page
    .getByRole('navigation', { name: 'Navigation' })
    .getByRole('button', { name: 'Check' })
    .click()
  await start(page, handler.url.replace('127.0.0.1', '0.0.0.0'))
  const consent = page.getByRole('group', { name: 'Allow 0.0.0.0' })
  await expect(consent).toContainText(/Sends up to \d\d requests there/)
  expect(handler.requests).toHaveLength(0)
  await expectNoViolations(app, 'a consent')
  await consent.getByRole('button', { name: 'Go back' }).click()

  await page.getByLabel('Endpoint').fill(handler.url)
  await page.getByLabel('Requests per second').fill('1')
  await page.getByRole('button', { name: 'Start check' }).click()
  const run = page.getByRole('region', { name: 'Check results' })
  await expect(run.getByRole('progressbar')).toBeVisible()
  await run.getByRole('button', { name: 'Cancel' }).click()
  await expect(run.getByRole('status')).toContainText('Cancelled before the end')
  expect(handler.requests.length).toBeLessThan(20)

  await handler.close()
  await page.getByRole('button', { name: 'New check' }).click()
  await start(page)
  await expect(run.getByRole('region', { name: 'Diagnosis' })).toContainText(
    "Couldn't connect to the target, so nothing else was sent.",
  )
  await expect(run.getByRole('status')).toContainText('0 passed, 1 failed, 36 skipped')
  await expect(run.getByText('of 100')).toBeHidden()
})

for (const given of ['of the hook', 'typed in', 'typed in, and program.status wanted'])
  test(`each case of a live hook is confirmed by its environment, every time, with the secret ${given}`, async ({
    app,
  }) => {
    const { page } = app
    const flags = [
      '--event',
      'transaction.auth',
      '--url',
      REGISTERED_URL,
      '--secret',
      SECRET,
      '--environment',
      'sandbox-live',
    ]
    await app.command('hooks', 'import', ...flags, '--live')
    await page
      .getByRole('navigation', { name: 'Navigation' })
      .getByRole('button', { name: 'Check' })
      .click()
    const form = page.getByRole('form', { name: 'Check handler' })
    await form.getByLabel('Endpoint').fill(handler.url)
    await form.getByLabel('Requests per second').fill('5000')
    // The form doesn't select a live hook by default.
    await expect(form.getByLabel('Secret', { exact: true })).toHaveValue('')
    if (given === 'of the hook') {
      await form
        .getByLabel('Secret', { exact: true })
        .selectOption({ label: `transaction.auth hook, sandbox-live: ${REGISTERED_URL}` })
      await expect(form.getByText('Include program.status')).toBeHidden()
    } else {
      await form.getByLabel('Handler secret', { exact: true }).fill(SECRET)
      await form.getByLabel('Registered URL').fill(REGISTERED_URL)
    }
    if (given.endsWith('wanted'))
      await form.getByRole('checkbox', { name: 'Include program.status' }).check()
    await form.getByRole('checkbox', { name: 'Handles every payload' }).uncheck()
    await form.getByRole('button', { name: 'Start check' }).click()
    const asked = page.getByRole('group', { name: 'Confirm for sandbox-live' })
    await expect(asked).toContainText("signed with a live hook's secret")
    expect(handler.requests).toHaveLength(0)
    await asked.getByRole('button', { name: 'Check with a sandbox-live secret (live)' }).click()
    const run = page.getByRole('region', { name: 'Check results' })
    await expect(run.getByRole('status')).toContainText(/[1-9] failed/)
    await expect(page.getByRole('button', { name: 'Report' })).toBeEnabled()
    for (let time = 0; time < 2; time++) {
      await expect(page.getByRole('button', { name: 'Try again' })).toBeEnabled()
      const before = handler.requests.length
      await page.getByRole('button', { name: 'Try again' }).click()
      await expect(asked).toContainText('This case will be sent to')
      expect(handler.requests).toHaveLength(before)
      await asked.getByRole('button', { name: 'Check with a sandbox-live secret (live)' }).click()
      await expect.poll(() => handler.requests.length).toBeGreaterThan(before)
      await expect(asked).toBeHidden()
    }
  })

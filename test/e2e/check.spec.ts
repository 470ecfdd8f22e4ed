import type { Page } from '@playwright/test'
import { REGISTERED_URL, SECRET, startHandler, type Handler } from '../support/check-handlers.ts'
import {
  buttonIn,
  click,
  dialogIn,
  fill,
  groupIn,
  headingIn,
  menuItemIn,
  press,
  regionIn,
  select,
} from './controls.ts'
import { expect, test } from './fixtures.ts'

let handler: Handler
test.beforeEach(async () => {
  handler = await startHandler('no-timestamp-check')
})
test.afterEach(() => handler.close())

const handlerOptions = (url: string) => [
  ...['--url', url, '--secret', SECRET, '--registered-url', REGISTERED_URL],
]

/** Starts the check of the form, at a rate that a test has time for. */
async function start(page: Page): Promise<void> {
  const form = page.getByRole('form', { name: 'Check handler' })
  await form.getByLabel('Requests per second').click()
  await press(page, 'ControlOrMeta+a')
  await page.keyboard.type('5000')
  await click(form, 'Start check')
}

test('a handler is checked, its defect is shown and fixed, and the next check passes', async ({
  page,
}) => {
  test.slow()
  await press(page, 'g', 'k')
  await expect(headingIn(page, 'Check your handler')).toBeVisible()
  const adding = page.getByRole('main')
  await fill(adding, 'URL', handler.url, { exact: true })
  await fill(adding, 'Handler secret', SECRET, { exact: true })
  await adding.getByText('Name, prefix, registered URL', { exact: true }).click()
  await fill(adding, 'Registered URL', REGISTERED_URL)
  await click(adding, 'Add handler')
  const form = page.getByRole('form', { name: 'Check handler' })
  await expect(form.getByRole('combobox', { name: 'Handler' })).toContainText('@local')
  await start(page)
  const run = regionIn(page, 'Check results')
  await expect(run.getByRole('status')).toContainText('39 passed, 4 failed, 0 skipped')
  const causes = regionIn(run, 'Causes')
  await expect(causes).toContainText('1 cause explains all 4 failed checks')
  await expect(causes).toContainText("Doesn't check the timestamp")
  await expect(causes).toBeInViewport()
  await causes.getByText('4 failed cases', { exact: true }).click()
  await expect(causes.getByText(/^Signed ten minutes ago; /)).toBeVisible()

  const about = regionIn(page, 'Case', { exact: true })
  await expect(about.getByRole('heading', { level: 2 })).toHaveText('FailedSigned ten minutes ago')
  await expect(about).toContainText('Your handler accepted this delivery: 200')
  await expect(about.getByLabel('Request as sent', { exact: true })).toContainText(
    'x-service-signature: ',
  )
  await buttonIn(run, /Signed ten minutes ago/).click()
  await press(page, 'ArrowDown')
  await expect(about.getByRole('heading', { level: 2 })).toHaveText(
    'FailedSigned ten minutes ahead',
  )

  handler.become(null)
  await click(about, 'Try again')
  await expect(about.getByRole('heading', { level: 2 })).toHaveText(
    'PassedSigned ten minutes ahead',
  )
  await expect(about.getByText('Severity', { exact: true })).toBeHidden()
  await expect(about.getByText('Why', { exact: true })).toBeVisible()
  await expect(about.getByText('Fix', { exact: true })).toBeHidden()
  await expect(run.getByRole('status')).toContainText('40 passed, 3 failed')

  await click(page, 'Report')
  await menuItemIn(page, /JUnit/).click()
  await expect(page.getByText(/^handler-check-.*\.xml$/)).toBeVisible()

  // Every control stays in reach when the window is zoomed to 200 %.
  const size = page.viewportSize()
  await page.setViewportSize({ width: 720, height: 450 })
  await page.getByRole('combobox', { name: 'Run' }).click()
  await press(page, 'Escape')
  await click(page, 'New check')
  await page.setViewportSize(size ?? { width: 1280, height: 800 })
  await expect(page.getByRole('combobox', { name: 'Run' })).toBeHidden()
  const cases = groupIn(page, 'Cases to run')
  await click(cases, 'Select only failed (3)')
  await expect(cases.getByRole('status')).toHaveText('4 of 44 cases')
  await expect(
    cases.getByRole('checkbox', { name: 'Rejects old or future timestamps' }),
  ).toBeChecked({ indeterminate: true })
  await cases.getByRole('checkbox', { name: 'Exact duplicate' }).check()
  await start(page)
  await expect(run.getByRole('status')).toContainText('5 passed, 0 failed, 0 skipped')
  await expect(run).toContainText(
    'Fixed: Signed ten minutes ago; Timestamp in seconds; Timestamp missing or not a number.',
  )

  await click(page, 'New check')
  await expect(cases.getByRole('status')).toHaveText('5 of 44 cases')
  await click(cases, 'Select all')
  await start(page)
  await expect(run.getByRole('status')).toContainText('44 passed, 0 failed, 0 skipped')
  await expect(run).toContainText('No changes since the previous check.')
  await select(page, 'Run', /^3 failed/)
  await expect(run.getByRole('status')).toContainText('40 passed, 3 failed')
  await page.getByRole('combobox', { name: 'Run' }).click()
  await expect(page.getByRole('option')).toHaveCount(3)
  // Characters find a run and run no shortcut; Esc closes only the list.
  await press(page, '5')
  await expect(page.getByRole('option', { name: /^5 passed/ })).toBeFocused()
  await press(page, 'Enter')
  await expect(run.getByRole('status')).toContainText('5 passed, 0 failed')
  await press(page, 'Enter')
  await expect(page.getByRole('option')).toHaveCount(3)
  await press(page, 'Escape')
  await expect(page.getByRole('option')).toHaveCount(0)
  await expect(page.getByRole('combobox', { name: 'Run' })).toBeFocused()
  await select(page, 'Run', /^44 passed/)
  await page.reload()
  await expect(run.getByRole('status')).toContainText('44 passed')
})

test('a remote host is allowed by name, and a check can be cancelled', async ({ app, page }) => {
  const remote = handler.url.replace('127.0.0.1', '0.0.0.0')
  await app.command('handlers', 'add', 'local', ...handlerOptions(handler.url))
  await app.command('handlers', 'add', 'remote', ...handlerOptions(remote))
  await press(page, 'g', 'k')
  await select(page, 'Handler', /^@remote/)
  await start(page)
  const consent = dialogIn(page, 'Send to a remote host?')
  await expect(consent).toContainText(/Up to \d+ requests/)
  expect(handler.requests).toHaveLength(0)
  await click(consent, 'Go back')

  await select(page, 'Handler', /^@local/)
  await fill(page, 'Requests per second', '1')
  await click(page, 'Start check')
  const run = regionIn(page, 'Check results')
  await expect(run.getByRole('progressbar')).toBeVisible()
  await click(run, 'Cancel')
  await expect(run.getByRole('status')).toContainText('Cancelled before the end')
  expect(handler.requests.length).toBeLessThan(20)
})

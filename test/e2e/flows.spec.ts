/** Flows in the window: a purchase walked step by step, its deliveries opened, a failing handler explained, runs compared, files saved. */
import { readFileSync } from 'node:fs'
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

test('a purchase is walked step by step, its deliveries opened, and a handler that refuses it explained', async ({ app }) => {
  test.slow()
  const { page } = app
  await page.keyboard.press('g')
  await page.keyboard.press('f')
  await page.getByLabel('Search the flows').fill('visa')
  await expectNoViolationsInBothThemes(app, 'the list of flows')
  await page.getByRole('region', { name: 'The flows' }).getByRole('button').first().click()
  const diagram = page.getByRole('group', { name: /^Sequence diagram/ })
  await expect(diagram.getByRole('button', { name: /^To come/ }).first()).toBeVisible()
  await expect(page.getByText('Not run yet: this is the plan.')).toBeVisible()

  await page.getByRole('button', { name: 'Step', exact: true }).click()
  await expect(diagram.getByRole('button', { name: /^Passed/ })).toHaveCount(1)
  await page.keyboard.press('s')
  await expect(diagram.getByRole('button', { name: /^Passed/ })).toHaveCount(2)
  await page.keyboard.press('s')
  await expect(diagram.getByRole('button', { name: /^Passed: transaction\.auth/ })).toBeVisible()
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Passed' })).toContainText('steps passed')
  await expect(diagram.getByRole('button', { name: /^Passed: transaction\.clearing/ })).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'a run')

  await diagram.getByRole('button', { name: /^Passed: transaction\.auth/ }).focus()
  const step = page.getByRole('region', { name: 'Step', exact: true })
  await expect(step).toContainText('transaction.auth within')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('tab', { name: 'Signature' })).toBeVisible()
  await page.keyboard.press('g')
  await page.keyboard.press('f')
  await expect(step.getByRole('heading', { level: 2 })).toContainText('transaction.auth')

  expect(await save(page, 'SVG')).toContain('<svg')
  expect(await save(page, 'PNG')).toMatch(/^\x89PNG/)
  expect(await save(page, 'JUnit')).toContain('<testsuite')

  const handler = await startHandler('single-hash')
  try {
    await page.getByRole('button', { name: 'Your handler', exact: true }).click()
    await page.getByLabel('Your handler (optional)').fill(handler.url)
    await page.getByLabel('Secret of the handler', { exact: true }).fill(SECRET)
    await page.getByLabel('Registered URL').fill(REGISTERED_URL)
    await page.getByRole('button', { name: 'Your handler: on' }).click()
    await page.getByRole('button', { name: 'Run again' }).click()
    await expect(page.getByRole('status').filter({ hasText: 'Failed' })).toContainText('Your handler accepts it')
  } finally {
    await handler.close()
  }
  await page.keyboard.press('.')
  await expect(step.getByRole('heading', { level: 2 })).toHaveText(/^Failed/)
  await expect(step).toContainText('What to do')
  await page.getByRole('radio', { name: 'List' }).check()
  await expect(
    page
      .getByRole('list', { name: 'Steps' })
      .getByRole('button', { name: /Failed/ })
      .first(),
  ).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'a failing run as a list')

  await page.getByLabel('Compare with').selectOption({ index: 1 })
  await expect(page.getByRole('region', { name: 'Two runs' })).toContainText('Broken')
})

test('the problems of a file are told with line and column, and live mode is agreed to by name', async ({ app }) => {
  const { page } = app
  await page.getByRole('navigation', { name: 'Places' }).getByRole('button', { name: 'Flows' }).click()
  await expect(page.getByRole('button', { name: 'Open a file…' })).toBeVisible()
  const broken =
    '{\n  "flow": 1,\n  "name": "mine",\n  "title": "Mine",\n  "steps": [{ "kind": "trigger", "event": "card.link" }]\n}'
  await page
    .getByLabel('File of a flow')
    .setInputFiles({ name: 'mine.json', mimeType: 'application/json', buffer: Buffer.from(broken) })
  await expect(page.getByRole('alert')).toContainText('line 5')
  await expect(page.getByRole('alert')).toContainText('Did you mean card.linked?')

  await page.getByLabel('File of a flow').setInputFiles({
    name: 'mine.json',
    mimeType: 'application/json',
    buffer: Buffer.from(broken.replace('card.link', 'card.linked')),
  })
  await expect(page.getByRole('heading', { name: 'Mine' })).toBeVisible()
  await page.keyboard.press('Escape')

  await page.getByLabel('Search the flows').fill('program-sync-live')
  await page.getByRole('region', { name: 'The flows' }).getByRole('button').first().click()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page.getByRole('button', { name: 'Run program-sync-live in sandbox-live' }).click()
  await expect(page.getByRole('status').filter({ hasText: 'Passed' })).toContainText('steps passed')
})

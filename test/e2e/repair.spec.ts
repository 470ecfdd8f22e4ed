/** The window on a damaged database: the problem, the repair, and the recovered data. */
import { databaseFileOf } from '../../src/core/store/open.ts'
import { overwrite, PAGE_BYTES, pagesOf } from '../support/pages.ts'
import { expectNoViolations } from './accessible.ts'
import { expect, listOf, test, type App } from './fixtures.ts'

const NOISE = Buffer.alloc(PAGE_BYTES, 'noise that no page of a database begins with')

async function damage(app: App, name: string, kind: string): Promise<void> {
  await app.restart(() => {
    const page = pagesOf(app.dataFolder).find((one) => one.name === name && one.kind === kind)
    overwrite(databaseFileOf(app.dataFolder), NOISE, ((page?.number ?? 1) - 1) * PAGE_BYTES)
  })
}

const lossesOf = ({ page }: App, part: string) =>
  page.getByRole('row').filter({ hasText: part }).getByRole('cell')

test("if the database can't be opened, the page says why, repairs it, and reports the result", async ({
  app,
}) => {
  const hook = await app.importHook('transaction.auth', 'payments')
  for (let index = 0; index < 3; index++) await app.deliver(hook, `{"n":${index}}`)
  await damage(app, 'sqlite_schema', 'header')
  const { page } = app
  await expect(page.getByRole('heading', { name: 'The database is damaged' })).toBeVisible()
  await expect(page.getByText(databaseFileOf(app.dataFolder))).toBeVisible()
  // The button does the same.
  await expect(page.getByText('doctor --repair')).toBeHidden()
  await expectNoViolations(app, 'the damaged database')
  expect(await app.send('/h/payments', '{}')).toBe(503)
  await page.getByRole('button', { name: 'Repair' }).click()
  await expect(page.getByRole('heading', { name: 'Repair finished' })).toBeVisible()
  await expect(page.getByText(/The damaged file was renamed to .*\.damaged-/)).toBeVisible()
  await expect(lossesOf(app, 'deliveries')).toHaveText(['3', '0'])
  await expect(lossesOf(app, 'hooks')).toHaveText(['1', '0'])
  await expectNoViolations(app, 'the report')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '4')
  await app.restart()
  expect(await app.deliver(hook, '{}')).toBe(200)
})

test('a body on a damaged page: the banner starts the repair, the report counts the body, and the detail pane says that it is lost', async ({
  app,
}) => {
  const hook = await app.importHook('transaction.auth', 'payments')
  await app.deliver(hook, JSON.stringify({ filler: 'x'.repeat(30_000) }))
  await damage(app, 'bodies', 'overflow')
  const { page } = app
  await listOf(page).getByRole('row').nth(1).click()
  await expect(page.getByText('The database is damaged.')).toBeVisible()
  await page.getByRole('button', { name: 'Repair' }).click()
  await expect(page.getByRole('heading', { name: 'Repair finished' })).toBeVisible()
  await expect(lossesOf(app, 'deliveries')).toHaveText(['1', '1 body'])
  await expect(page.getByText(/^Without their body: /)).toBeVisible()
  await page.getByRole('button', { name: 'Continue' }).click()
  await listOf(page).getByRole('row').nth(1).click()
  await expect(page.getByText('Body lost: its database page was damaged.').first()).toBeVisible()
})

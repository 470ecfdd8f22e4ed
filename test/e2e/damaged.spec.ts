import { repairDatabase } from '../../src/core/store/repair.ts'
import { overwrite, PAGE_BYTES, pagesOf } from '../support/pages.ts'
import { databaseFileOf } from '../../src/core/store/database.ts'
import { expect, listOf, test } from './fixtures.ts'

const NOISE = Buffer.alloc(PAGE_BYTES, 'noise that no page of a database begins with')

test('a body on a damaged page: the banner names the file and the command that repairs it, and after the repair the detail pane says that the body is lost', async ({
  app,
}) => {
  const { dataFolder } = app
  const file = databaseFileOf(dataFolder)
  const hook = await app.importHook('transaction.auth', 'payments')
  await app.deliver(hook, JSON.stringify({ filler: 'x'.repeat(30_000) }))
  await app.restart(() => {
    const page = pagesOf(dataFolder).find(
      ({ name, kind }) => name === 'bodies' && kind === 'overflow',
    )
    overwrite(file, NOISE, ((page?.number ?? 1) - 1) * PAGE_BYTES)
  })
  await listOf(app.page).getByRole('row').nth(1).click()
  const banner = () => app.page.getByRole('status').filter({ hasText: "Some data can't be read." })
  await expect(banner()).toContainText(file)
  await expect(banner()).toContainText('countersign doctor --repair')
  await app.restart(() => {
    expect(repairDatabase(dataFolder)).toMatchObject({ outcome: 'repaired', bodiesLost: 1 })
  })
  await listOf(app.page).getByRole('row').nth(1).click()
  await expect(
    app.page.getByText('Body lost: its database page was damaged.').first(),
  ).toBeVisible()
  await expect(banner()).toBeHidden()
})

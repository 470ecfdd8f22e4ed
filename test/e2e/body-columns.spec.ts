import type { Page } from '@playwright/test'
import { choose, chooseInList, dialogIn, fill, menuItemIn, press, tabIn } from './controls.ts'
import { expect, listOf, openRow, test } from './fixtures.ts'

const body = (index: number, text: string) =>
  `{"amount":${index}.50,"card":{"lastNumbers":"400${index}"},"brand":{"name":"Brand ${index}"},"filler":[${Array.from({ length: 60 }, (_, item) => item).join(',\n')}],"note":"${text}"}`

/** Texts that the search marks. */
const marked = (page: Page) =>
  page.evaluate(() =>
    [...(CSS.highlights.get('search-match') ?? [])].map((range) =>
      range instanceof Range ? range.toString() : '',
    ),
  )

test('values of the body are columns, chosen by keyboard from the fields seen, kept in the data folder', async ({
  app,
  page,
}) => {
  const hook = await app.importHook('transaction.auth', 'body-columns')
  for (const index of [1, 2, 3]) await app.deliver(hook, body(index, 'plain'))
  const list = listOf(page)
  const cells = (path: string) => list.locator(`[data-column="body:${path}"]`)
  await expect(list.getByRole('row')).toHaveCount(4)

  await chooseInList(page, 'Columns')
  await menuItemIn(page, 'Body columns…').click()
  const dialog = dialogIn(page, 'Body columns')
  await dialog.getByLabel('Column 1').focus()
  await page.keyboard.type('lastNum')
  await expect(page.getByRole('option', { name: /^card\.lastNumbers/ })).toBeVisible()
  await press(page, 'ArrowDown', 'Enter')
  await expect(dialog.getByLabel('Column 1')).toHaveValue('card.lastNumbers')
  await fill(dialog, 'Column 2', 'brand.name')
  await press(page, 'Enter')
  await expect(dialog).toHaveCount(0)
  await expect(cells('card.lastNumbers')).toHaveText(['4003', '4002', '4001'])
  await expect(cells('brand.name')).toHaveText(['Brand 3', 'Brand 2', 'Brand 1'])

  // The header doesn't sort.
  const header = list.getByRole('columnheader', { name: 'brand.name' })
  await header.click()
  await expect(header).not.toHaveAttribute('aria-sort')
  await expect(list.getByRole('columnheader', { name: 'Time' })).toHaveAttribute(
    'aria-sort',
    'descending',
  )
  await app.deliver(hook, body(4, 'plain'))
  await press(page, 'f')
  await expect(cells('brand.name').first()).toHaveText('Brand 4')

  await page.evaluate(() => localStorage.removeItem('countersign.preferences'))
  await page.reload()
  await expect(cells('card.lastNumbers')).toHaveText(['4004', '4003', '4002', '4001'])
  await cells('card.lastNumbers').nth(1).click({ button: 'right' })
  await menuItemIn(page, /^Filter by/).click()
  await expect(list.getByRole('row')).toHaveCount(2)
  await expect(cells('card.lastNumbers')).toHaveText(['4003'])
})

test('what a text search found is marked in Overview and Body, and the first match is in view', async ({
  app,
  page,
}) => {
  const hook = await app.importHook('transaction.auth', 'marks')
  await app.deliver(hook, body(1, 'Two COFFEES and a café'))
  await fill(page, 'Filter deliveries', 'coffee cafe -missing')
  await press(page, 'Enter')
  const detail = await openRow(page, 'transaction.auth', 'Body')
  await expect.poll(() => marked(page)).toEqual(['COFFEES', 'café'])
  await expect(detail.getByText('Two COFFEES and a café')).toBeInViewport()
  await choose(detail, 'Formatted')
  await expect.poll(() => marked(page)).toEqual(['COFFEES', 'café'])
  await expect(page.locator('.cm-line', { hasText: 'COFFEES' })).toBeInViewport()

  // Chips cover the field until it has the focus.
  const filter = page.getByLabel('Filter deliveries')
  await filter.fill('card.lastNumbers:4001 4001')
  await filter.press('Enter')
  await tabIn(detail, 'Overview').click()
  await expect.poll(() => marked(page)).toContain('4001')
  await filter.fill('')
  await filter.press('Enter')
  await expect.poll(() => marked(page)).toEqual([])
})

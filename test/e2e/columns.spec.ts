import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownId } from '../support/id-of-name.ts'
import { click, chooseInList, fill, press } from './controls.ts'
import { expect, listOf, test } from './fixtures.ts'

const purchase = (amount: string) => `{"amount":${amount},"currency":"GBP"}`

test('columns are sorted by with pointer and keyboard, and hidden; a reload remembers it', async ({
  app,
  page,
}) => {
  const hook = await app.importHook('transaction.auth', 'columns')
  for (const amount of ['7.20', '12480.00', '36.90']) await app.deliver(hook, purchase(amount))
  const list = listOf(page)
  const header = (name: string) => list.getByRole('columnheader', { name })
  const amounts = async () =>
    (await list.getByRole('row').allTextContents())
      .slice(1)
      .map((text) => /[\d,]+\.\d\d/.exec(text.slice(17))?.[0])
  await expect.poll(amounts).toEqual(['36.90', '12,480.00', '7.20'])
  await expect(header('Time')).toHaveAttribute('aria-sort', 'descending')

  await header('Amount').click()
  await expect(header('Amount')).toHaveAttribute('aria-sort', 'descending')
  await expect(header('Amount')).toHaveText('Amount by currency')
  await expect.poll(amounts).toEqual(['12,480.00', '36.90', '7.20'])
  await header('Amount').press('Enter')
  await expect(header('Amount')).toHaveAttribute('aria-sort', 'ascending')
  await expect.poll(amounts).toEqual(['7.20', '36.90', '12,480.00'])
  await app.deliver(hook, purchase('1.00'))
  await click(page, '1 new')
  await expect.poll(amounts).toEqual(['1.00', '7.20', '36.90', '12,480.00'])

  const path = page.getByRole('menuitemcheckbox', { name: 'Path' })
  await chooseInList(page, 'Columns')
  await path.click()
  await press(page, 'Escape', 'Escape')
  await expect(header('Path')).toHaveCount(0)

  await page.reload()
  await expect(header('Merchant')).toBeVisible()
  await expect(header('Path')).toHaveCount(0)
  await chooseInList(page, 'Columns')
  await path.click()
  await expect(header('Path')).toBeVisible()
})

test('by time, the day of earlier rows stays above them and covers no row that a key selects; in another order each row has its date; dragging over rows selects no text', async ({
  app,
  page,
}) => {
  const COUNT = 40
  const list = listOf(page)
  await Promise.all(Array.from({ length: COUNT }, (_, sent) => app.send(`/${sent}`, 'x')))
  await expect(list).toHaveAttribute('aria-rowcount', String(COUNT + 1))
  const yesterday = new Date(Date.now() - 86_400_000)
  const file = join(app.dataFolder, 'yesterday.jsonl')
  const text = (await app.command('export'))
    .replaceAll(/"id":"([^"]+)/g, (_, id: string) => `"id":"${ownId(id)}`)
    .replaceAll(/"receivedAt":"[^T]+/g, `"receivedAt":"${yesterday.toISOString().slice(0, 10)}`)
  writeFileSync(file, text)
  await app.command('import', file)
  await expect(list).toHaveAttribute('aria-rowcount', String(2 * COUNT + 1))
  const name = (weekday: 'long' | undefined, month: 'short') =>
    yesterday.toLocaleDateString('en-GB', { weekday, day: 'numeric', month }).replace(',', '')
  const day = list.getByText(name('long', 'short'), { exact: true })
  await expect(day).toHaveCount(0)

  await list.focus()
  await press(page, 'End')
  const selected = list.locator('[aria-selected=true]')
  await expect(selected).toHaveAttribute('aria-rowindex', String(2 * COUNT + 1))
  const header = await list.getByRole('columnheader').first().boundingBox()
  const bottom = (header?.y ?? 0) + (header?.height ?? 0)
  await expect
    .poll(async () => Math.round((await day.boundingBox())?.y ?? 0))
    .toBe(Math.round(bottom + 1))
  for (let up = 0; up < COUNT - 1; up++) await press(page, 'ArrowUp')
  await expect(selected).toHaveAttribute('aria-rowindex', String(COUNT + 2))
  await expect
    .poll(async () => (await selected.boundingBox())?.y)
    .toBeGreaterThanOrEqual(bottom + 28)
  await press(page, 'Home')
  await expect(day).toHaveCount(0)
  // A list whose days are known before its rows are loaded keeps no row that loads.
  await fill(page, 'Filter deliveries', 'path:/1*')
  await press(page, 'Enter')
  await expect(list).toHaveAttribute('aria-rowcount', '23')
  await expect(day).toBeVisible()
  await expect(list.locator('[aria-busy=true]')).toHaveCount(0)
  await fill(page, 'Filter deliveries', '')
  await press(page, 'Enter', 'Escape')
  await expect(list).toHaveAttribute('aria-rowcount', String(2 * COUNT + 1))

  const first = list.getByRole('row').nth(1)
  const box = await first.boundingBox()
  await page.mouse.move((box?.x ?? 0) + 300, (box?.y ?? 0) + 10)
  await page.mouse.down()
  await page.mouse.move((box?.x ?? 0) + 120, (box?.y ?? 0) + 120, { steps: 4 })
  await page.mouse.up()
  expect(await page.evaluate(() => String(getSelection()))).toBe('')
  await press(page, 'Escape')
  await list.getByRole('columnheader', { name: 'Path' }).click()
  await expect(first.locator('[data-column=time]')).toHaveText(/\d\d:\d\d/)
  await expect(
    list
      .locator('[data-column=time]')
      .filter({ hasText: name(undefined, 'short') })
      .first(),
  ).toBeVisible()
})

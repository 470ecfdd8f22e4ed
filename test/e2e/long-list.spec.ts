/** A list of any length reaches its last row, and stays exact while it grows. */
import { expect, listOf, rowsWith, test } from './fixtures.ts'

const COUNT = 5_000

test('five thousand deliveries: the last row is reached by the bar, by keys, and the newest again', async ({ app }) => {
  const { page } = app
  const list = listOf(page)
  await app.send('/first-of-all', 'x')
  for (let sent = 1; sent < COUNT; sent += 100)
    await Promise.all(Array.from({ length: Math.min(100, COUNT - sent) }, (_, index) => app.send(`/n/${sent + index}`, 'x')))
  await expect(list).toHaveAttribute('aria-rowcount', String(COUNT + 1), { timeout: 20_000 })

  await list.evaluate((grid) => {
    grid.scrollTop = grid.scrollHeight
  })
  await expect(rowsWith(page, '/first-of-all')).toHaveAttribute('aria-rowindex', String(COUNT + 1))
  expect(await list.getByRole('row').count()).toBeLessThan(80)

  await list.focus()
  await page.keyboard.press('Home')
  await expect(list.locator('[aria-selected=true]')).toHaveAttribute('aria-rowindex', '2')
  await page.keyboard.press('End')
  await expect(list.locator('[aria-selected=true]')).toHaveAttribute('aria-rowindex', String(COUNT + 1))
  await expect(list.locator('[aria-selected=true]')).toContainText('/first-of-all')

  await page.reload()
  await expect(list).toHaveAttribute('aria-rowcount', String(COUNT + 1))
  await list.evaluate((grid) => {
    grid.scrollTop = grid.scrollHeight / 2
  })
  await expect(list.locator('[aria-busy=true]')).toHaveCount(0)
  const indices = await list.getByRole('row').evaluateAll((rows) => rows.map((row) => Number(row.getAttribute('aria-rowindex'))))
  const middle = indices.filter((index) => index > 1)
  expect(middle).toEqual(Array.from({ length: middle.length }, (_, place) => (middle[0] ?? 0) + place))
})

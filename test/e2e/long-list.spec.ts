/** A list of any length scrolls to its last row, and stays exact while it grows. */
import { expect, listOf, rowsWith, test } from './fixtures.ts'

const COUNT = 5_000

test('five thousand deliveries: the scroll bar and keys reach the last row, and the newest again', async ({ app }) => {
  const { page } = app
  const list = listOf(page)
  await app.send('/first-of-all', 'x')
  for (let sent = 1; sent < COUNT; sent += 100)
    await Promise.all(Array.from({ length: Math.min(100, COUNT - sent) }, (_, index) => app.send(`/n/${sent + index}`, 'x')))
  await expect(list).toHaveAttribute('aria-rowcount', String(COUNT + 1))

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
  /** Consecutive rows in the middle, all loaded. Waits until the list has settled. */
  const isWhole = async () => {
    const rows = await list
      .getByRole('row')
      .evaluateAll((all) => all.map((row) => ({ index: Number(row.ariaRowIndex), isBusy: row.ariaBusy === 'true' })))
    const middle = rows.filter(({ index }) => index > 1)
    const first = middle[0]?.index ?? 0
    return first > COUNT / 4 && middle.every(({ index, isBusy }, place) => !isBusy && index === first + place)
  }
  await expect.poll(isWhole).toBe(true)
})

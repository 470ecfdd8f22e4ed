import { click, tabIn } from './controls.ts'
import { expect, openRow, rowsWith, test } from './fixtures.ts'

test("a body with a million levels and one with ten megabytes on one line don't block the window", async ({
  app,
  page,
}) => {
  const depth = 500_000
  await app.send('/h/deep', '['.repeat(depth) + ']'.repeat(depth))
  await app.send('/h/long', `{"long":"${'x'.repeat(10_000_000)}","end":1}`)
  await expect(rowsWith(page, '/h/')).toHaveCount(2)
  await page.evaluate(() => {
    const tasks: number[] = []
    Object.assign(globalThis, { tasks })
    new PerformanceObserver((list) =>
      tasks.push(...list.getEntries().map((entry) => entry.duration)),
    ).observe({
      type: 'longtask',
    })
  })
  const detail = await openRow(page, '/h/deep')
  await tabIn(detail, 'Body').click()
  await expect(detail.getByText('JSON, every token as sent')).toBeVisible()
  await openRow(page, '/h/long', 'Body')
  await expect(detail.getByText(/Showing the first 1\.0 MB of 10\.0 MB/)).toBeVisible()
  await click(detail, 'Load all')
  await expect(detail.getByText('Text shows the first 2.0 MB of 10.0 MB.')).toBeVisible()
  await expect(detail.getByText('JSON, every token as sent')).toBeVisible()
  for (const [view, content] of [
    ['Formatted', 'Lines are cut'],
    ['As sent', '{"long"'],
    ['Hex', '7b 22 6c'],
  ] as const) {
    await detail.getByText(view, { exact: true }).click()
    await expect(detail.getByText(content).first()).toBeVisible()
  }
  const longest = await page.evaluate(() =>
    Math.max(0, ...(globalThis as typeof globalThis & { tasks: number[] }).tasks),
  )
  console.log(
    `longest task while reading and laying out 11 MB of bodies: ${Math.round(longest)} ms`,
  )
  // In real time; on a busy computer the page gets only part of it.
  expect(longest).toBeLessThan(3_000)
})

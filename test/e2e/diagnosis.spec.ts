import { execFileSync } from 'node:child_process'
import { signatureOf } from '../support/deliver.ts'
import { buttonIn, click, fill, groupIn, press } from './controls.ts'
import { expect, openRow, test } from './fixtures.ts'

const BODY = '{"amount":10.00,"name":"Café"}'

test("an unknown secret can be tried, and isn't stored; another digest is explained; every section fits a narrow pane", async ({
  app,
  page,
}) => {
  const hook = await app.importHook('transaction.auth', 'diagnosis')
  const timestamp = String(Date.now())
  await app.deliver({ ...hook, secret: 'another-secret-4711' }, BODY, { timestamp })
  const detail = await openRow(page, 'Invalid')
  await expect(
    detail.getByText("Signature doesn't match the transaction.auth hook's secret"),
  ).toBeVisible()
  await click(page, 'Try another secret or URL')
  await expect(buttonIn(detail, 'Verify', { exact: true })).toBeDisabled()
  await fill(detail, 'Secret', 'wrong-secret', { exact: true })
  await press(page, 'Enter')
  await expect(detail.getByText('Not valid with this secret and URL.')).toBeVisible()
  await fill(detail, 'Secret', 'another-secret-4711', { exact: true })
  await click(detail, 'Verify', { exact: true })
  await expect(detail.getByText('Valid with these values.')).toBeVisible()
  await expect(detail.getByText('Identical.')).toBeVisible()
  // The typed text is gone after closing and reopening, and for another delivery.
  for (let time = 0; time < 2; time++) await click(page, 'Try another secret or URL')
  await expect(detail.getByLabel('Secret', { exact: true })).toHaveValue('')
  expect(
    await page.evaluate(() =>
      JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
    ),
  ).not.toContain('4711')
  expect(() => execFileSync('grep', ['-rqa', 'another-secret-4711', app.dataFolder])).toThrow()

  await page.setViewportSize({ width: 900, height: 900 })
  for (const section of ['Does your code compute another digest?', 'Verify in your code'])
    await click(page, section)
  const signature = signatureOf(hook.secret, BODY, hook.url, timestamp)
  await fill(detail, "Your code's digest", signature.slice(0, 20))
  await click(detail, 'Explain digest')
  await expect(detail.getByText('only the first 20 characters')).toBeVisible()
  await click(page, 'Verify again with current hooks')
  await expect(page.getByText('Verified again: still invalid')).toBeVisible()
  const scroller = groupIn(detail, 'Signature')
  expect(await scroller.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
})

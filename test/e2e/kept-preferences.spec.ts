/**
 * Preferences that earlier versions saved in the browser's storage are still read. Changing a key or shape would lose them, so a
 * version that renames one must read the old one too.
 */
import { startEndpoint } from '../support/https-endpoint.ts'
import { makeTestTlsApart } from '../support/test-tls.ts'
import { expect, listOf, openRow, test } from './fixtures.ts'

test('theme, density, single-key shortcuts, wrapping, pane sizes and CA certificates are read as earlier versions saved them', async ({
  app,
}) => {
  const { page } = app
  const tls = makeTestTlsApart()
  const endpoint = await startEndpoint(tls.leaf)
  const preferences = { theme: 'light', density: 'comfortable', singleKeys: false, wrap: false }
  const kept = (chosen: object) => ({
    'countersign.preferences': JSON.stringify(chosen),
    'countersign.target-authorities': JSON.stringify({ [endpoint.origin]: tls.caPem }),
    'react-resizable-panels:deliveries-horizontal:list:detail': JSON.stringify({ list: 38, detail: 62 }),
  })
  const reloadWith = async (items: Record<string, string>) => {
    await page.evaluate((all) => {
      for (const [key, value] of Object.entries(all)) localStorage.setItem(key, value)
    }, items)
    await page.reload()
  }
  await app.deliver(await app.importHook('transaction.auth', 'kept'), '{"amount":1.50}')

  await reloadWith(kept(preferences))
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'light')
  const detail = await openRow(page, 'transaction.auth')
  const heights = await listOf(page)
    .getByRole('row')
    .filter({ hasText: 'transaction.auth' })
    .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height))
  expect(heights).toEqual([36])
  const share = await page.evaluate(() => {
    const width = (id: string) => document.getElementById(id)?.getBoundingClientRect().width ?? 0
    return width('detail') / (width('list') + width('detail'))
  })
  expect(share).toBeCloseTo(0.62, 1)
  await detail.getByRole('tab', { name: 'Body' }).click()
  await detail.getByRole('radio', { name: 'Formatted' }).click()
  await expect(detail.getByRole('button', { name: /wrap lines/i })).toHaveAttribute('aria-pressed', 'false')
  const composer = page.getByRole('dialog', { name: 'Replay with changes' })
  await page.keyboard.press('R')
  await expect(composer).toBeHidden()

  await reloadWith(kept({ ...preferences, theme: 'dark', singleKeys: true }))
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await openRow(page, 'transaction.auth')
  await page.keyboard.press('R')
  await composer.getByLabel('Send to').fill(`${endpoint.origin}/in`)
  await composer.getByText('Endpoint certificate').click()
  await expect(composer.getByRole('textbox', { name: 'CA certificate' })).toHaveValue(tls.caPem)
  await endpoint.close()
})

test("every key in the browser's storage is covered here", async ({ app }) => {
  const { page } = app
  await app.deliver(await app.importHook('transaction.auth', 'kept'), '{"amount":1.50}')
  await openRow(page, 'transaction.auth')
  for (const name of ['Hooks', 'Sandbox', 'Flows', 'Check', 'Settings'])
    await page.getByRole('navigation', { name: 'Navigation' }).getByRole('button', { name }).click()
  const known =
    /^(countersign\.(preferences|target-authorities)|react-resizable-panels:[a-z-]+-(horizontal|vertical)(:[a-z]+){1,2})$/
  await expect
    .poll(() => page.evaluate(() => Object.keys(localStorage)))
    .toEqual(expect.arrayContaining([expect.stringMatching(known)]))
  expect((await page.evaluate(() => Object.keys(localStorage))).filter((key) => !known.test(key))).toEqual([])
})

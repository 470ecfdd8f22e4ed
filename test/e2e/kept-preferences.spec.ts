/** Preferences in the browser's storage: a version that renames a key or its shape must read the old one too. */
import { startEndpoint } from '../support/https-endpoint.ts'
import { makeTestTlsApart } from '../support/test-tls.ts'
import { buttonIn, dialogIn, tabIn, click, fill, chooseInList, press } from './controls.ts'
import { expect, listOf, openRow, test } from './fixtures.ts'

test('theme, single-key shortcuts, wrapping, pane sizes and CA certificates are read as earlier versions saved them', async ({
  app,
  page,
}) => {
  const tls = makeTestTlsApart()
  const endpoint = await startEndpoint(tls.leaf)
  const preferences = { theme: 'light', singleKeys: false, wrap: false }
  const kept = (chosen: object) => ({
    'countersign.preferences': JSON.stringify(chosen),
    'countersign.target-authorities': JSON.stringify({ [endpoint.origin]: tls.caPem }),
    'react-resizable-panels:deliveries-horizontal:list:detail': JSON.stringify({
      list: 38,
      detail: 62,
    }),
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
  const share = await page.evaluate(() => {
    const width = (id: string) => document.getElementById(id)?.getBoundingClientRect().width ?? 0
    return width('detail') / (width('list') + width('detail'))
  })
  expect(share).toBeCloseTo(0.62, 1)
  await tabIn(detail, 'Body').click()
  await detail.getByRole('radio', { name: 'Formatted' }).click()
  await expect(buttonIn(detail, /wrap lines/i)).toHaveAttribute('aria-pressed', 'false')
  const composer = dialogIn(page, 'Replay with changes')
  await press(page, 'R')
  await expect(composer).toBeHidden()

  await reloadWith(kept({ ...preferences, theme: 'dark', singleKeys: true }))
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await openRow(page, 'transaction.auth')
  await press(page, 'R')
  await fill(composer, 'Send to', `${endpoint.origin}/in`)
  await composer.getByText('Endpoint certificate').click()
  await expect(composer.getByRole('textbox', { name: 'CA certificate' })).toHaveValue(tls.caPem)
  await endpoint.close()
})

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

import { click, chooseInList, press } from './controls.ts'
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

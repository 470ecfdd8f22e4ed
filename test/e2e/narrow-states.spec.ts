/** At 900 pixels nothing is cut off or pushed out of its place. */
import type { Locator } from '@playwright/test'
import { expect, openRow, rowsWith, test } from './fixtures.ts'

test.use({ look: { colorScheme: 'light', viewport: { width: 900, height: 900 }, reducedMotion: 'reduce' } })

test('an offer to compare stays in its column, names of headers are whole, an id with its copying and the clock are one line', async ({
  app,
}) => {
  const { page } = app
  const hook = await app.importHook('transaction.auth', 'narrow')
  for (const amount of ['1.50', '2.50']) await app.deliver(hook, `{"amount":${amount}}`)
  await expect(rowsWith(page, 'transaction.auth')).toHaveCount(2)
  const detail = await openRow(page, 'transaction.auth')
  await page.keyboard.press('1')
  const offer = detail.getByRole('button', { name: 'the previous transaction.auth of this hook' })
  expect(await rightOf(offer.getByText('the previous'))).toBeLessThanOrEqual(await rightOf(offer))
  expect(await rightOf(offer)).toBeLessThanOrEqual(await rightOf(detail.getByText('Compare with', { exact: true }).locator('..')))

  await page.keyboard.press('R')
  const composer = page.getByRole('dialog', { name: 'Replay with changes' })
  await composer.getByText('Headers', { exact: true }).click()
  for (const field of await composer.getByRole('textbox', { name: /^Header \d+: name$/ }).all())
    expect(await field.evaluate((input) => input.scrollWidth - input.clientWidth), await field.inputValue()).toBe(0)
  await page.keyboard.press('Escape')

  await app.command('hooks', 'add', '--event', 'brand.consent', '--environment', 'sandbox-test')
  await page.getByRole('navigation', { name: 'Places' }).getByRole('button', { name: 'Hooks' }).click()
  await page.getByRole('region', { name: 'The hooks' }).getByRole('button', { name: 'brand.consent' }).click()
  const copy = page.getByRole('button', { name: /^Copy [-0-9a-f]{36}$/ })
  await expect(copy).toBeVisible()
  const [id, button] = [await copy.locator('..').boundingBox(), await copy.boundingBox()]
  expect(id?.height).toBeLessThanOrEqual(button?.height ?? 0)

  await page.getByRole('navigation', { name: 'Places' }).getByRole('button', { name: 'Sandbox' }).click()
  const [set, waiting] = [
    page.getByRole('button', { name: 'Set…', exact: true }),
    page.getByRole('button', { name: 'None waiting' }),
  ]
  await expect(waiting).toBeVisible()
  expect((await waiting.boundingBox())?.y).toBe((await set.boundingBox())?.y)
})

async function rightOf(part: Locator): Promise<number> {
  await expect(part).toBeVisible()
  const box = await part.boundingBox()
  return (box?.x ?? 0) + (box?.width ?? 0)
}

/** Forced colors, a zoom of 200 % and reduced motion. */
import type { Locator } from '@playwright/test'
import { buttonIn, deliveryIn, press, tabIn } from './controls.ts'
import { expect, openRow, rowsWith, test } from './fixtures.ts'

/** The outline that is drawn around an element. */
const outlineOf = (element: Locator) =>
  element.evaluate((one) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(one)
    return `${outlineWidth} ${outlineStyle}`
  })

test.beforeEach(async ({ app, page }) => {
  await app.deliver(await app.importHook('transaction.auth', 'look'), '{"amount":1.50}')
  await openRow(page, 'transaction.auth')
})

test('with forced colors, buttons have a border, and the selected tab, screen and segment a thicker one', async ({
  page,
}) => {
  await page.emulateMedia({ forcedColors: 'active' })
  const detail = deliveryIn(page)
  await tabIn(detail, 'Headers').click()
  await detail.getByRole('heading').first().click()
  expect(await outlineOf(tabIn(detail, 'Headers'))).toBe('2px solid')
  expect(await outlineOf(tabIn(detail, 'Body'))).toMatch(/none/)
  expect(await outlineOf(buttonIn(detail, 'Compare').first())).toBe('1px solid')
  const navigation = page.getByRole('navigation', { name: 'Navigation' })
  expect(await outlineOf(buttonIn(navigation, 'Deliveries'))).toBe('2px solid')

  await press(page, 'g', ',')
  await page.getByRole('navigation', { name: 'Settings sections' }).getByText('Appearance').click()
  const themes = page.getByRole('radiogroup', { name: 'Theme' })
  await themes.getByText('Light', { exact: true }).click()
  await page.getByRole('heading', { name: 'Appearance' }).click()
  const segment = (name: string) => themes.locator('label', { hasText: name })
  expect(await outlineOf(segment('Light'))).toBe('2px solid')
  expect(await outlineOf(segment('Dark'))).toMatch(/none/)
  const wrap = page.getByRole('checkbox', { name: 'Wrap long lines' })
  await wrap.click()
  await expect(wrap).not.toBeChecked()
})

test('at a zoom of 200 %, the rows are beside the delivery', async ({ page }) => {
  await page.setViewportSize({ width: 720, height: 450 })
  const row = rowsWith(page, 'transaction.auth').first()
  await expect(row).toBeInViewport()
  await expect(deliveryIn(page).getByRole('heading').first()).toBeInViewport()
  const event = row.getByText('transaction.auth')
  expect(await event.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true)
  const [left, right] = [await row.boundingBox(), await deliveryIn(page).boundingBox()]
  expect(left!.x + left!.width).toBeLessThanOrEqual(right!.x + 1)
})

test('with reduced motion, nothing moves', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' })
  await press(page, 'Escape', 'j', 'Enter')
  expect(
    await page.evaluate(() =>
      document
        .getAnimations()
        .map(({ effect }) => effect?.getComputedTiming().duration)
        .filter((duration) => typeof duration !== 'number' || duration > 1),
    ),
  ).toEqual([])
})

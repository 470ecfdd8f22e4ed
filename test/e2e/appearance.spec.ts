import type { Locator } from '@playwright/test'
import { samplePayloads } from '../support/sample-payloads.ts'
import { buttonIn, deliveryIn, press, regionIn, tabIn } from './controls.ts'
import { expect, listOf, openRow, rowsWith, test } from './fixtures.ts'

const outlineOf = (element: Locator) =>
  element.evaluate((one) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(one)
    return `${outlineWidth} ${outlineStyle}`
  })

test('at a zoom of 200 % the rows are beside the delivery, with reduced motion nothing moves, and with forced colors buttons have a border, selected ones a thicker one', async ({
  app,
  page,
}) => {
  await app.deliver(await app.importHook('transaction.auth', 'look'), '{"amount":1.50}')
  const detail = await openRow(page, 'transaction.auth')
  await page.setViewportSize({ width: 720, height: 450 })
  const row = rowsWith(page, 'transaction.auth').first()
  await expect(row).toBeInViewport()
  await expect(detail.getByRole('heading').first()).toBeInViewport()
  const event = row.getByText('transaction.auth')
  expect(await event.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true)
  const [left, right] = [await row.boundingBox(), await deliveryIn(page).boundingBox()]
  expect(left!.x + left!.width).toBeLessThanOrEqual(right!.x + 1)
  await page.setViewportSize({ width: 1440, height: 900 })

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

  await page.emulateMedia({ forcedColors: 'active' })
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

test('the first row is within 150 px of the top, after at most 14 controls, and columns keep their place whatever their rows have', async ({
  app,
  page,
}) => {
  const list = listOf(page)
  await app.send('/first', 'x')
  const row = list.getByRole('row').nth(1)
  await expect(row).toHaveAttribute('id', 'delivery-1')
  const top = (await row.boundingBox())?.y ?? Number.POSITIVE_INFINITY
  expect(top).toBeLessThanOrEqual(150)
  const controls = regionIn(page, 'List', { exact: true }).locator(
    ':is(button, input, [role=slider]):not([aria-hidden])',
  )
  const above = await controls.evaluateAll(
    (all, y) =>
      all.flatMap((one) => {
        const { bottom, width } = one.getBoundingClientRect()
        return width > 0 && bottom <= y ? [one.ariaLabel ?? one.textContent] : []
      }),
    top,
  )
  expect(above.length, above.join(', ')).toBeLessThanOrEqual(14)

  const placesOf = (role: 'columnheader' | 'gridcell') =>
    list.getByRole(role).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left))
  const places = await placesOf('columnheader')
  const sample = samplePayloads['transaction.auth'] as Record<string, unknown>
  const long = { ...sample, amount: '-123456789012.123456789', currency: 'LONG'.repeat(9) }
  await app.send(`/${'long'.repeat(40)}`, JSON.stringify(long))
  await expect(list.getByRole('row')).toHaveCount(3)
  expect(await placesOf('columnheader')).toEqual(places)
  expect(await placesOf('gridcell')).toEqual([...places, ...places])
})

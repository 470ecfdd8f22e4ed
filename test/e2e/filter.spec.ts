import {
  buttonIn,
  click,
  fill,
  headingIn,
  menuItemIn,
  press,
  regionIn,
  searchCommands,
} from './controls.ts'
import { expect, listOf, rowsWith, test, type App } from './fixtures.ts'

async function seed(app: App) {
  const payments = await app.importHook('transaction.auth', 'payments')
  const cards = await app.importHook('card.linked', 'cards')
  await app.deliver(payments, '{"kiosk":"coffee bar"}')
  await app.deliver(payments, '{"kiosk":"bakery"}', { body: '{"kiosk":"changed"}' })
  await app.deliver(cards, '{}')
  await app.send('/nobody', 'hello')
  await expect(listOf(app.page)).toHaveAttribute('aria-rowcount', '5')
  return { payments, cards }
}

const filterOf = (app: App) => app.page.getByLabel('Filter deliveries')

/**
 * Writes into the filter after a click behind its chips, which are drawn over the field and hand
 * the click on.
 */
async function writeFilter(app: App, text: string): Promise<void> {
  const filter = filterOf(app)
  const box = await filter.boundingBox()
  await app.page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) - 190, (box?.y ?? 0) + 15)
  await expect(filter).toBeFocused()
  await filter.fill(text)
}

test('the best completion is highlighted at once with its count, and Tab and Enter accept it; invalid syntax is explained with a suggestion; without focus, terms are chips', async ({
  app,
  page,
}) => {
  await seed(app)
  const filter = filterOf(app)
  const count = page.getByTestId('count')
  await filter.pressSequentially('is:in')
  const offered = page.getByRole('option', { name: /is:invalid/ })
  await expect(offered).toHaveAttribute('data-highlighted')
  await expect(offered).toContainText('1 delivery')
  await press(page, 'Tab')
  await expect(filter).toBeFocused()
  await expect(filter).toHaveValue('is:invalid ')
  await expect(count).toHaveText('1 of 4')
  // Between two words nothing is highlighted.
  await press(page, 'Enter')
  await expect(filter).toHaveValue('is:invalid ')
  await expect(page.getByRole('option')).toHaveCount(0)

  await writeFilter(app, '')
  await filter.pressSequentially('kio')
  await expect(page.getByRole('option', { name: /^kiosk:/ })).toHaveAttribute('data-highlighted')
  await press(page, 'Enter')
  await expect(filter).toHaveValue('kiosk:')
  await page.getByRole('option', { name: /coffee bar/ }).click()
  await expect(filter).toHaveValue('kiosk:"coffee bar" ')
  await expect(count).toHaveText('1 of 4')
  await press(page, 'Escape')
  await expect(filter).toHaveValue('kiosk:"coffee bar" ')
  // After clearing the filter from the list, no suggestions cover the list.
  await writeFilter(app, '"coffee bar"')
  await press(page, 'Escape', 'Escape')
  await expect(filter).toHaveValue('')
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '5')
  await expect(page.getByRole('option')).toHaveCount(0)

  await writeFilter(app, 'verdct:invalid coffee')
  await expect(filter).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByRole('alert')).toHaveText(
    /Unknown field "verdct"\. Did you mean verdict:\?/,
  )
  await expect(page.getByTestId('squiggle')).toHaveText('verdct')
  await expect(rowsWith(page, /Valid/)).toHaveCount(2)
  await click(page, 'verdict:', { exact: true })
  await expect(filter).toHaveValue('verdict:invalid coffee')
  await expect(filter).toHaveAttribute('aria-invalid', 'false')
  await expect(count).toHaveText('0 of 4')

  await writeFilter(app, 'path:/h/payments -is:valid kiosk:changed')
  await expect(count).toHaveText('1 of 4')
  await listOf(page).focus()
  await click(page, 'Remove -is:valid')
  await expect(filter).toHaveValue('path:/h/payments kiosk:changed')
  await click(page, 'Edit path:/h/payments')
  await expect(filter).toBeFocused()
  const selected = () =>
    filter.evaluate((input: HTMLInputElement) =>
      input.value.slice(input.selectionStart ?? 0, input.selectionEnd ?? 0),
    )
  await expect.poll(selected).toBe('path:/h/payments')
  await press(page, 'ArrowRight')
  for (let times = 0; times < 4; times++) await press(page, 'Backspace')
  await expect(filter).toHaveValue('path:/h/paym kiosk:changed')
  await page.keyboard.type('*')
  await expect(count).toHaveText('1 of 4')
})

test('built-in views show their counts, keep the time span, and are reached by key, palette and the menu of a narrow window; a search is saved, renamed, opened and deleted, and survives a restart', async ({
  app,
  page,
}) => {
  await seed(app)
  const filter = filterOf(app)
  const view = (name: RegExp) => buttonIn(page.getByRole('toolbar', { name: 'Views' }), name)
  await expect(view(/^All 4/)).toHaveAttribute('aria-pressed', 'true')
  await expect(view(/^Invalid 1/)).toHaveAttribute('aria-pressed', 'false')
  await expect(view(/^Schema errors 2/)).toBeVisible()
  await view(/^Invalid/).click()
  await expect(filter).toHaveValue('is:invalid is:verified')
  await expect(page.getByTestId('count')).toHaveText('1 of 4')
  await expect(view(/^Invalid/)).toHaveAttribute('aria-pressed', 'true')
  await writeFilter(app, 'kiosk:bakery after:today')
  await expect(view(/^All 4/)).toHaveAttribute('aria-pressed', 'false')
  // The empty result replaces the list: keys go to the page.
  await expect(page.getByText('No matching deliveries')).toBeVisible()
  await filter.blur()
  await press(page, 's', 'e')
  await expect(filter).toHaveValue('schema:issues after:today')
  await expect(view(/^Schema errors/)).toHaveAttribute('aria-pressed', 'true')
  await searchCommands(page, 'last hour')
  await press(page, 'Enter')
  await expect(filter).toHaveValue('within:1h')
  await page.setViewportSize({ width: 640, height: 600 })
  await view(/^Last hour/).click()
  await menuItemIn(page, /^Imported/).click()
  await expect(view(/^Imported/)).toHaveAttribute('aria-pressed', 'true')
  await expect(headingIn(page, 'No matching deliveries')).toBeVisible()
  await buttonIn(page.getByRole('main'), 'Clear filter').last().click()
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '5')

  await page.setViewportSize({ width: 1440, height: 900 })
  await writeFilter(app, 'kiosk:changed')
  await press(app.page, 'Enter')
  await expect(app.page.getByTestId('count')).toHaveText('1 of 4')
  await click(app.page.getByRole('toolbar', { name: 'Views' }), 'More')
  await menuItemIn(app.page, 'Save view…').click()
  await fill(app.page, 'Name', 'Changed kiosks')
  await press(app.page, 'Enter')
  await expect(app.page.getByRole('dialog')).toHaveCount(0)
  // It has its place beside the built-in views.
  const own = buttonIn(app.page.getByRole('toolbar', { name: 'Views' }), /^Changed kiosks/)
  await expect(own).toHaveAttribute('aria-pressed', 'true')
  await writeFilter(app, '')
  await press(app.page, 'Enter')
  await expect(app.page.getByTestId('count')).toBeHidden()
  await own.click()
  await expect(filterOf(app)).toHaveValue('kiosk:changed')
  await expect(app.page.getByTestId('count')).toHaveText('1 of 4')

  await click(app.page.getByRole('toolbar', { name: 'Views' }), 'More')
  await menuItemIn(app.page, 'Edit views…').click()
  await click(app.page, 'Edit Changed kiosks')
  await fill(app.page, 'Search', 'kiosk:coffee*', { exact: true })
  await click(app.page, 'Save view', { exact: true })
  await expect(app.page.getByText('kiosk:coffee*')).toBeVisible()
  await click(app.page, 'Done')

  await app.restart()
  await expect(listOf(app.page)).toHaveAttribute('aria-rowcount', '5')
  await searchCommands(app.page, 'changed kio')
  await expect(app.page.getByRole('option', { name: /Changed kiosks/ })).toBeVisible()
  await press(app.page, 'Enter')
  await expect(filterOf(app)).toHaveValue('kiosk:coffee*')
  await expect(app.page.getByTestId('count')).toHaveText('1 of 4')

  await click(app.page.getByRole('toolbar', { name: 'Views' }), 'More')
  await menuItemIn(app.page, 'Edit views…').click()
  await click(app.page, 'Delete Changed kiosks')
  await expect(
    app.page.getByText('No saved views. Save one from the More menu beside the views.'),
  ).toBeVisible()
})

test('dragging over the timeline selects a span, and its bars and statistics have the counts', async ({
  app,
  page,
}) => {
  await seed(app)
  const strip = regionIn(page, 'Timeline')
  const bars = strip.getByRole('slider', { name: /Deliveries over time/ })
  await expect(bars.locator('path:not([d=""])').first()).toBeAttached()
  let box = (await bars.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  // The deliveries may be in two minutes, and the last bar may be of a later one.
  const tip = strip.getByRole('tooltip')
  for (let bar = 0; bar < 5; bar++) {
    await page.mouse.move(box.x + box.width - 3 - (bar * box.width) / 60, box.y + 20)
    if (/: [1-9]/.test((await bars.getAttribute('aria-valuetext')) ?? '')) break
  }
  await expect(tip).toContainText(/Valid\s*2|Unverified\s*1/)
  const hovered = /: (\d+) /.exec((await bars.getAttribute('aria-valuetext')) ?? '')?.[1]
  const parts = await tip.locator('p').allTextContents()
  expect(parts.slice(1).reduce((sum, part) => sum + Number(/\d+$/.exec(part)?.[0]), 0)).toBe(
    Number(hovered),
  )
  await page.mouse.move(box.x + box.width - 80, box.y + 20)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width - 3, box.y + 20, { steps: 4 })
  await page.mouse.up()
  await expect(filterOf(app)).toHaveValue(/^after:\d\d:\d\d$|^after:[-\dT:]+$/)
  await click(strip, 'Statistics')
  const statistics = regionIn(strip, 'Statistics', { exact: true })
  await expect(strip.getByRole('listitem').first()).toHaveText('Valid2')
  await expect(statistics.getByRole('row', { name: /^All 4 25\.0%/ })).toBeVisible()
  await page.setViewportSize({ width: 900, height: 700 })
  await strip.getByText('Response', { exact: true }).click()
  await click(strip, 'Statistics')
  await expect(statistics).toBeHidden()
  await page.mouse.move(0, 0)
  await page.setViewportSize({ width: 1440, height: 900 })
  await click(page, 'Clear the time span')
  await expect(filterOf(app)).toHaveValue('')
  box = (await bars.boundingBox()) ?? box
  // In the middle, a span has two ends, and each can be dragged.
  const drag = async (from: number, to: number) => {
    await page.mouse.move(from, box.y + 20)
    await page.mouse.down()
    await page.mouse.move(to, box.y + 20, { steps: 4 })
    await page.mouse.up()
  }
  await drag(box.x + box.width / 3, box.x + box.width / 2)
  await expect(filterOf(app)).toHaveValue(/^after:\S+ before:\S+$/)
  const [after, before] = (await filterOf(app).inputValue()).split(' ')
  const right = await bars.locator('rect.fill-accent').last().boundingBox()
  await drag((right?.x ?? 0) + 3, box.x + (box.width * 2) / 3)
  await expect(filterOf(app)).toHaveValue(new RegExp(`^${after} before:\\S+$`))
  expect((await filterOf(app).inputValue()).split(' ')[1]).not.toBe(before)
  await click(page, 'Clear the time span')
  await bars.focus()
  await press(page, 'ArrowLeft', 'Shift+ArrowLeft', 'Enter')
  await expect(filterOf(app)).toHaveValue(/^after:/)
  await page.reload()
  await click(strip, 'Statistics')
  await expect(strip.getByRole('radio', { name: 'Response' })).toBeChecked()
  await click(page, 'Clear the time span')
  await fill(page, 'Filter deliveries', 'event:card.failed')
  await expect(strip).toContainText('No statistics: no deliveries in the last hour')
  await expect(statistics).toBeHidden()
  expect((await strip.boundingBox())?.height).toBeLessThan(40)
})

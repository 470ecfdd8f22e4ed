import type { Locator } from '@playwright/test'
import {
  buttonIn,
  dialogIn,
  groupIn,
  headingIn,
  menuItemIn,
  regionIn,
  tabIn,
  deliveryIn,
  click,
  fill,
  chooseInList,
  press,
  goTo,
  searchCommands,
  write,
} from './controls.ts'
import { expect, listOf, openRow, test, type App } from './fixtures.ts'

async function seed(app: App, count: number) {
  const hook = await app.importHook('transaction.auth', 'keys')
  for (let number = 1; number <= count; number++) await app.deliver(hook, `{"number":${number}}`)
  await expect(listOf(app.page)).toHaveAttribute('aria-rowcount', String(count + 1))
}

const selectedRow = (app: App) => listOf(app.page).locator('[aria-selected=true]')

test('the list can be navigated, opened, peeked into and left', async ({ app, page }) => {
  await seed(app, 30)
  const detail = deliveryIn(page)
  await press(page, 'j')
  await expect(selectedRow(app)).toHaveAttribute('aria-rowindex', '2')
  await press(page, 'j')
  await expect(selectedRow(app)).toHaveAttribute('aria-rowindex', '3')
  await press(page, 'k')
  await expect(selectedRow(app)).toHaveAttribute('aria-rowindex', '2')
  await press(page, 'End')
  await expect(selectedRow(app)).toHaveAttribute('aria-rowindex', '31')
  await press(page, 'Home')
  await expect(selectedRow(app)).toHaveAttribute('aria-rowindex', '2')
  await press(page, 'ArrowDown')
  await expect(selectedRow(app)).toHaveAttribute('aria-rowindex', '3')

  await press(page, ' ')
  await expect(headingIn(detail, /Valid/)).toBeVisible()
  await expect(headingIn(detail, /Valid/)).not.toBeFocused()
  await press(page, 'Enter')
  await expect(headingIn(detail, /Valid/)).toBeFocused()
  await press(page, '3')
  await expect(tabIn(detail, 'Body')).toHaveAttribute('aria-selected', 'true')
  await expect(detail.getByText('29', { exact: true })).toBeVisible()
  await press(page, 'j')
  await expect(detail.getByText('28', { exact: true })).toBeVisible()
  await press(page, 't')
  await expect(detail.getByText('"number": 28')).toBeVisible()
  await press(page, 't')
  await expect(detail.getByText('{"number":28}')).toBeVisible()
  await press(page, 'o')
  await expect(page.locator('[inert]')).toHaveCount(1)
  // Nothing covers it: a click reaches the tab.
  await tabIn(detail, 'Headers').click()
  await press(page, 'Escape')
  await expect(page.locator('[inert]')).toHaveCount(0)
  await press(page, 'Escape')
  await expect(detail).toBeHidden()
  await expect(listOf(page)).toBeFocused()
  await press(page, 'Escape')
  await expect(selectedRow(app)).toHaveCount(0)

  // Every screen has an address, which Back, Forward and a reload use.
  await press(page, 'Home', 'Enter', '4', 'j', 'j')
  await expect(selectedRow(app)).toHaveAttribute('aria-rowindex', '4')
  await expect(headingIn(detail, /Valid/)).toBeVisible()
  const opened = await page.evaluate(() => location.hash)
  expect(opened).toMatch(/^#\/deliveries\/[\w-]+\/headers$/)
  await press(page, 'g', 'h')
  await expect(page).toHaveTitle(/^Hooks/)
  await press(page, 'Alt+ArrowLeft')
  await expect(tabIn(detail, 'Headers')).toHaveAttribute('aria-selected', 'true')
  expect(await page.evaluate(() => location.hash)).toBe(opened)
  await page.reload()
  await expect(tabIn(detail, 'Headers')).toHaveAttribute('aria-selected', 'true')
  await expect(selectedRow(app)).toHaveAttribute('aria-rowindex', '4')
  await press(page, 'Alt+ArrowLeft')
  await expect(detail).toBeHidden()
  await press(page, 'Alt+ArrowRight')
  await expect(detail).toBeVisible()
  await press(page, 'Alt+ArrowRight')
  await expect(page).toHaveTitle(/^Hooks/)
})

test('keys reach screens, the palette, a delivery by ID, the shortcuts and the filter; single-key shortcuts can be turned off', async ({
  app,
  page,
}) => {
  await seed(app, 3)
  // After a click on the navigation, Enter works in the screen and not on the button again.
  await goTo(page, 'Hooks')
  await goTo(page, 'Deliveries')
  await press(page, 'j', 'Enter')
  await expect(headingIn(deliveryIn(page), /Valid/)).toBeFocused()
  // With the keyboard, the button keeps the focus.
  const flows = buttonIn(page.getByRole('navigation', { name: 'Navigation' }), 'Flows')
  await flows.focus()
  await press(page, 'Enter')
  await expect(page).toHaveTitle(/^Flows/)
  await expect(flows).toBeFocused()
  await goTo(page, 'Deliveries')
  await press(page, 'Escape')
  await expect(deliveryIn(page)).toBeHidden()

  const places = ['Deliveries', 'Handlers', 'Hooks', 'Flows', 'Sandbox', '', 'Settings']
  await expect(page.getByRole('navigation', { name: 'Navigation' }).getByRole('button')).toHaveText(
    places,
  )
  for (const [keys, title] of [
    ['ge', 'Handlers'],
    ['gw', 'Handlers'],
    ['gk', 'Check'],
    ['gh', 'Hooks'],
  ] as const) {
    for (const key of keys) await press(page, key)
    await expect(headingIn(page, title, { level: 1 })).toBeVisible()
  }
  await press(page, 'g', ',')
  await expect(headingIn(page, 'Settings', { level: 1 })).toBeVisible()
  await searchCommands(page, 'deliver')
  await press(page, 'Enter')
  await expect(page.getByLabel('Search commands')).toBeHidden()
  await expect(listOf(page)).toBeVisible()

  await press(page, 'j', 'Enter')
  const id = await deliveryIn(page).locator('[title*="-7"]').first().getAttribute('title')
  await press(page, 'Escape', 'End', 'ControlOrMeta+k')
  // The short form that the window shows is enough.
  await fill(page, 'Search commands', id?.slice(-8) ?? 'missing')
  await press(page, 'Enter')
  await expect(deliveryIn(page).locator(`[title="${id}"]`)).toBeAttached()
  await press(page, 'Escape')

  await press(page, '?')
  const sheet = dialogIn(page, 'Keyboard shortcuts')
  await expect(sheet).toBeVisible()
  await press(page, 'Escape')
  await expect(sheet).toBeHidden()
  await press(page, '/')
  await expect(page.getByLabel('Filter deliveries')).toBeFocused()
  await page.keyboard.type('jgh')
  await expect(page.getByLabel('Filter deliveries')).toHaveValue('jgh')

  await fill(page, 'Filter deliveries', '')
  await press(page, 'Escape', 'ControlOrMeta+,')
  // The key of the filter focuses the search of the settings.
  await press(page, '/')
  const search = page.getByRole('searchbox', { name: 'Search settings' })
  await expect(search).toBeFocused()
  await page.keyboard.type('receiver-port')
  await expect(groupIn(page, 'HTTPS port')).toContainText(/settings --receiver-port \d+/)
  await expect(groupIn(page, 'HTTPS port')).toContainText(/Set at start to \d+\. Default: 4783\./)
  await write(search, 'no such thing')
  await expect(page.getByText('No settings found')).toBeVisible()
  await write(search, 'F6')
  await expect(groupIn(page, 'Single-key shortcuts')).toContainText('Next pane')
  expect(await page.evaluate(() => location.hash)).toBe('#/settings/environments')
  await page.reload()
  await expect(page.getByRole('navigation', { name: 'Settings sections' })).toBeVisible()
  // After a reload, the first key may come before its listener.
  await page
    .getByRole('contentinfo')
    .getByText(/^\d.* deliver(y|ies)$/)
    .waitFor()
  await press(page, '?')
  await expect(sheet).toContainText('Jump to newest')
  await press(page, 'Escape')
  await expect(sheet).toBeHidden()
  await click(page, 'Keyboard')
  await page.getByRole('checkbox', { name: 'Single-key shortcuts' }).uncheck()
  await click(page, 'Deliveries', { exact: true })
  await expect(listOf(page)).toBeVisible()
  await press(page, 'j')
  await listOf(page).focus()
  await press(page, 'ArrowDown')
  // The first row, not the second.
  await expect(selectedRow(app)).toHaveAttribute('aria-rowindex', '2')
})

test('a dialog focuses its first field, or a harmless button, and restores the focus', async ({
  app,
  page,
}) => {
  await seed(app, 3)
  const dialog = page.getByRole('dialog')
  const leave = async (to: Locator) => {
    await press(page, 'Escape')
    await expect(dialog).toHaveCount(0)
    await expect(to).toBeFocused()
  }
  await listOf(page).focus()
  await press(page, 'ControlOrMeta+a')
  await expect(page.getByText('3 selected')).toBeVisible()
  await press(page, 'e')
  await expect(dialog.getByLabel('Note', { exact: true })).toBeFocused()
  await leave(listOf(page))
  await press(page, '?')
  await expect(buttonIn(dialog, 'Close')).not.toBeFocused()
  await expect(dialog.locator(':focus')).toContainText('Command palette')
  await leave(listOf(page))
  const opener = buttonIn(regionIn(page, 'List', { exact: true }), 'More', { exact: true })
  await chooseInList(page, 'Import deliveries…')
  await expect(buttonIn(dialog, 'Choose a file…')).toBeFocused()
  await leave(opener)
  // This dialog's field takes the focus itself; the previously focused element is still remembered.
  await listOf(page).focus()
  await press(page, 'Shift+R')
  await expect(dialog.getByLabel('Send to')).toBeFocused()
  await leave(listOf(page))

  await goTo(page, 'Hooks')
  const remove = buttonIn(page, 'Delete…')
  await remove.click()
  await expect(buttonIn(dialog, 'Cancel')).toBeFocused()
  await leave(remove)
})

test('the context menu opens by key and by right click, on rows, facts and values, and filters, excludes, copies and pins', async ({
  app,
  page,
}) => {
  await seed(app, 2)
  const other = await app.importHook('card.linked', 'others')
  await app.deliver(other, '{"a":1}')
  await expect(listOf(app.page)).toHaveAttribute('aria-rowcount', '4')
  const menu = page.getByRole('menu', { name: 'Delivery' })
  const filter = page.getByLabel('Filter deliveries')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await listOf(page).focus()
  await press(page, 'j', 'Shift+F10')
  await expect(menu).toBeVisible()
  // Letters choose an entry here; they aren't shortcuts.
  await press(page, 'u', 'p')
  await expect(menuItemIn(menu, 'Pin')).toBeFocused()
  await press(page, 'Enter')
  await expect(menu).toHaveCount(0)
  await expect(selectedRow(app).getByText('pinned', { exact: false })).toBeAttached()
  await expect(listOf(page)).toBeFocused()

  const event = () => listOf(page).getByRole('gridcell', { name: 'transaction.auth' }).first()
  await event().click({ button: 'right' })
  await expect(menu.getByText('transaction.auth')).toBeVisible()
  await menuItemIn(menu, 'Copy value').click()
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe('transaction.auth')
  await event().click({ button: 'right' })
  await menuItemIn(menu, 'Open').click()
  await expect(deliveryIn(page)).toBeVisible()
  await press(page, 'Escape')
  await event().click({ button: 'right' })
  await menuItemIn(menu, 'Exclude this').click()
  await expect(filter).toHaveValue('-event:transaction.auth')
  await expect(page.getByTestId('count')).toHaveText('1 of 3')
  await listOf(page).getByRole('gridcell', { name: '/h/others' }).click({ button: 'right' })
  await menuItemIn(menu, 'Filter by this').click()
  await expect(filter).toHaveValue('-event:transaction.auth path:/h/others')

  // The same menu opens on the facts of the Overview and on the values of the body.
  const detail = await openRow(page, 'card.linked', 'Overview')
  await detail
    .getByRole('definition')
    .filter({ hasText: `POST /h/others` })
    .click({ button: 'right' })
  await expect(menu.getByText('Path', { exact: true })).toBeVisible()
  await expect(menuItemIn(menu, 'Copy shrink command')).toBeVisible()
  await menuItemIn(menu, 'Exclude this').click()
  await expect(filter).toHaveValue('-event:transaction.auth -path:/h/others')
  await tabIn(detail, /^Body/).click()
  await detail.getByRole('treeitem').filter({ hasText: '"a"' }).click({ button: 'right' })
  const ofValue = page.getByRole('menu', { name: 'Value and delivery' })
  await menuItemIn(ofValue, 'Copy as Markdown').click()
  await expect(regionIn(page, 'Notifications')).toContainText('Copied as Markdown')
})

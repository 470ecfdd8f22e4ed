/** Uses the application without a mouse. */
import type { Locator } from '@playwright/test'
import { startRawEndpoint } from '../support/replay-fixture.ts'
import { expectNoViolations } from './accessible.ts'
import { expect, listOf, openRow, test, type App } from './fixtures.ts'

async function seed(app: App, count: number) {
  const hook = await app.importHook('transaction.auth', 'keys')
  for (let number = 1; number <= count; number++) await app.deliver(hook, `{"number":${number}}`)
  await expect(listOf(app.page)).toHaveAttribute('aria-rowcount', String(count + 1))
}

const selectedRow = (app: App) => listOf(app.page).locator('[aria-selected=true]')

test('the list can be navigated, opened, peeked into and left', async ({ app }) => {
  await seed(app, 30)
  const { keyboard } = app.page
  const detail = app.page.getByRole('region', { name: 'Delivery', exact: true })
  await keyboard.press('j')
  await expect(selectedRow(app)).toHaveAttribute('aria-rowindex', '2')
  await keyboard.press('j')
  await expect(selectedRow(app)).toHaveAttribute('aria-rowindex', '3')
  await keyboard.press('k')
  await expect(selectedRow(app)).toHaveAttribute('aria-rowindex', '2')
  await keyboard.press('End')
  await expect(selectedRow(app)).toHaveAttribute('aria-rowindex', '31')
  await keyboard.press('Home')
  await expect(selectedRow(app)).toHaveAttribute('aria-rowindex', '2')
  await keyboard.press('ArrowDown')
  await expect(selectedRow(app)).toHaveAttribute('aria-rowindex', '3')

  await keyboard.press(' ')
  await expect(detail.getByRole('heading', { name: /Valid/ })).toBeVisible()
  await expect(detail.getByRole('heading', { name: /Valid/ })).not.toBeFocused()
  await keyboard.press('Enter')
  await expect(detail.getByRole('heading', { name: /Valid/ })).toBeFocused()
  await keyboard.press('3')
  await expect(detail.getByRole('tab', { name: 'Body' })).toHaveAttribute('aria-selected', 'true')
  await expect(detail.getByText('29', { exact: true })).toBeVisible()
  await keyboard.press('j')
  await expect(detail.getByText('28', { exact: true })).toBeVisible()
  await keyboard.press('t')
  await expect(detail.getByText('"number": 28')).toBeVisible()
  await keyboard.press('t')
  await expect(detail.getByText('{"number":28}')).toBeVisible()
  await keyboard.press('o')
  await expect(app.page.getByRole('button', { name: 'Show beside the list' })).toBeVisible()
  // Nothing covers it: a click reaches the tab.
  await detail.getByRole('tab', { name: 'Headers' }).click()
  await keyboard.press('Escape')
  await expect(app.page.getByRole('button', { name: 'Full width' })).toBeVisible()
  await keyboard.press('Escape')
  await expect(detail).toBeHidden()
  await expect(listOf(app.page)).toBeFocused()
  await keyboard.press('Escape')
  await expect(selectedRow(app)).toHaveCount(0)

  // Every screen has an address, which Back, Forward and a reload use.
  await keyboard.press('Home')
  await keyboard.press('Enter')
  await keyboard.press('4')
  await keyboard.press('j')
  await keyboard.press('j')
  await expect(selectedRow(app)).toHaveAttribute('aria-rowindex', '4')
  await expect(detail.getByRole('heading', { name: /Valid/ })).toBeVisible()
  const opened = await app.page.evaluate(() => location.hash)
  expect(opened).toMatch(/^#\/deliveries\/[\w-]+\/headers$/)
  await keyboard.press('g')
  await keyboard.press('h')
  await expect(app.page).toHaveTitle(/^Hooks/)
  await keyboard.press('Alt+ArrowLeft')
  await expect(detail.getByRole('tab', { name: 'Headers' })).toHaveAttribute(
    'aria-selected',
    'true',
  )
  expect(await app.page.evaluate(() => location.hash)).toBe(opened)
  await app.page.reload()
  await expect(detail.getByRole('tab', { name: 'Headers' })).toHaveAttribute(
    'aria-selected',
    'true',
  )
  await expect(selectedRow(app)).toHaveAttribute('aria-rowindex', '4')
  await keyboard.press('Alt+ArrowLeft')
  await expect(detail).toBeHidden()
  await keyboard.press('Alt+ArrowRight')
  await expect(detail).toBeVisible()
  await keyboard.press('Alt+ArrowRight')
  await expect(app.page).toHaveTitle(/^Hooks/)
  // The form of older versions.
  await app.page.evaluate(() => {
    location.hash = '#sandbox'
  })
  await expect(app.page).toHaveTitle(/^Sandbox/)
  expect(await app.page.evaluate(() => location.hash)).toBe('#/sandbox/trigger')
})

test('keys reach screens, the palette, a delivery by ID, the shortcuts and the filter; single-key shortcuts can be turned off', async ({
  app,
}) => {
  await seed(app, 3)
  const { page } = app
  const places = [
    'Deliveries',
    'Compare',
    'Flows',
    'Handlers',
    'Forward',
    'Hooks',
    'Check',
    'Sandbox',
    '',
    'Settings',
  ]
  await expect(page.getByRole('navigation', { name: 'Navigation' }).getByRole('button')).toHaveText(
    places,
  )
  for (const [keys, title] of [
    ['ge', 'Handlers'],
    ['gw', 'Forward'],
    ['gh', 'Hooks'],
  ] as const) {
    for (const key of keys) await page.keyboard.press(key)
    await expect(page.getByRole('heading', { name: title, level: 1 })).toBeVisible()
  }
  await page.keyboard.press('g')
  await page.keyboard.press(',')
  await expect(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByLabel('Search commands').fill('deliver')
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Search commands')).toBeHidden()
  await expect(listOf(page)).toBeVisible()

  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const id = await page
    .getByRole('region', { name: 'Delivery', exact: true })
    .locator('[title*="-7"]')
    .first()
    .getAttribute('title')
  await page.keyboard.press('Escape')
  await page.keyboard.press('End')
  await page.keyboard.press('ControlOrMeta+k')
  // The short form that the window shows is enough.
  await page.getByLabel('Search commands').fill(id?.slice(-8) ?? 'missing')
  await page.keyboard.press('Enter')
  await expect(
    page.getByRole('region', { name: 'Delivery', exact: true }).locator(`[title="${id}"]`),
  ).toBeVisible()
  await page.keyboard.press('Escape')

  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(sheet).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(sheet).toBeHidden()
  await page.keyboard.press('/')
  await expect(page.getByLabel('Filter deliveries')).toBeFocused()
  await page.keyboard.type('jgh')
  await expect(page.getByLabel('Filter deliveries')).toHaveValue('jgh')

  await page.getByLabel('Filter deliveries').fill('')
  await page.keyboard.press('Escape')
  await page.keyboard.press('ControlOrMeta+,')
  // The key of the filter focuses the search of the settings.
  await page.keyboard.press('/')
  const search = page.getByRole('searchbox', { name: 'Search settings' })
  await expect(search).toBeFocused()
  await page.keyboard.type('receiver-port')
  await expect(page.getByRole('group', { name: 'HTTPS port' })).toContainText(
    /settings --receiver-port \d+/,
  )
  const port = page.getByRole('group', { name: 'HTTPS port' })
  const enterPort = async (text: string, message: string) => {
    await port.getByRole('textbox', { name: 'HTTPS port' }).fill(text)
    await page.keyboard.press('Enter')
    await expect(port.getByRole('status')).toContainText(message)
  }
  const other = await startRawEndpoint()
  await enterPort('70000', 'Enter a port from 1 to 65535, or leave it empty.')
  await enterPort(String(other.port), `Port ${other.port} is in use`)
  await expect(page.getByText('Saved', { exact: true })).toHaveCount(0)
  await other.close()
  await enterPort(String(other.port), `Restart Countersign to use port ${other.port}.`)
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  expect(JSON.parse(await app.command('settings', '--json'))).toMatchObject({
    ports: { receiver: other.port },
  })
  await search.fill('no such thing')
  await expect(page.getByText('No settings found')).toBeVisible()
  await search.fill('F6')
  await expect(page.getByRole('group', { name: 'Single-key shortcuts' })).toContainText('Next pane')
  expect(await page.evaluate(() => location.hash)).toBe('#/settings/environments')
  await page.reload()
  await expect(page.getByRole('navigation', { name: 'Settings sections' })).toBeVisible()
  // After a reload, the first key may come before its listener.
  await expect(async () => {
    await page.keyboard.press('?')
    await expect(sheet).toContainText('Jump to newest', { timeout: 2_000 })
  }).toPass()
  await page.keyboard.press('Escape')
  await expect(sheet).toBeHidden()
  // The commands run last come first, also after a reload.
  await page.keyboard.press('ControlOrMeta+k')
  const palette = page.getByRole('dialog', { name: 'Command palette' })
  await expect(palette.getByRole('group').first()).toHaveAccessibleName('Recent')
  await expect(palette.getByRole('option').first()).toContainText('Go to Deliveries')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Keyboard' }).click()
  await page.getByRole('checkbox', { name: 'Single-key shortcuts' }).uncheck()
  await page.getByRole('button', { name: 'Deliveries', exact: true }).click()
  await expect(listOf(page)).toBeVisible()
  await page.keyboard.press('j')
  await listOf(page).focus()
  await page.keyboard.press('ArrowDown')
  // The first row, not the second.
  await expect(selectedRow(app)).toHaveAttribute('aria-rowindex', '2')
})

test('a dialog focuses its first field, or a harmless button, and restores the focus', async ({
  app,
}) => {
  await seed(app, 3)
  const { page } = app
  const { keyboard } = page
  const dialog = page.getByRole('dialog')
  const leave = async (to: Locator) => {
    await keyboard.press('Escape')
    await expect(dialog).toHaveCount(0)
    await expect(to).toBeFocused()
  }
  await listOf(page).focus()
  await keyboard.press('ControlOrMeta+a')
  await expect(page.getByText('3 selected')).toBeVisible()
  await keyboard.press('e')
  await expect(dialog.getByLabel('Note', { exact: true })).toBeFocused()
  await leave(listOf(page))
  await keyboard.press('?')
  await expect(dialog.getByRole('button', { name: 'Close' })).not.toBeFocused()
  await expect(dialog.locator(':focus')).toContainText('Command palette')
  await leave(listOf(page))
  const opener = page.getByRole('button', { name: 'Import deliveries…' })
  await opener.click()
  await expect(dialog.getByRole('button', { name: 'Choose a file…' })).toBeFocused()
  await leave(opener)
  // This dialog's field takes the focus itself; the previously focused element is still remembered.
  await listOf(page).focus()
  await keyboard.press('Shift+R')
  await expect(dialog.getByLabel('Send to')).toBeFocused()
  await leave(listOf(page))

  await page
    .getByRole('navigation', { name: 'Navigation' })
    .getByRole('button', { name: 'Hooks' })
    .click()
  const remove = page.getByRole('button', { name: 'Delete…' })
  await remove.click()
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await leave(remove)
})

test('the context menu opens by key and by right click, on rows, facts and values, and filters, excludes, copies and pins', async ({
  app,
}) => {
  await seed(app, 2)
  const other = await app.importHook('card.linked', 'others')
  await app.deliver(other, '{"a":1}')
  await expect(listOf(app.page)).toHaveAttribute('aria-rowcount', '4')
  const { page } = app
  const { keyboard } = page
  const menu = page.getByRole('menu', { name: 'Delivery' })
  const filter = page.getByLabel('Filter deliveries')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await listOf(page).focus()
  await keyboard.press('j')
  await keyboard.press('Shift+F10')
  await expect(menu).toBeVisible()
  await expectNoViolations(app, "a delivery's menu", '[role=menu]')
  // Letters choose an entry here; they aren't shortcuts.
  await keyboard.press('u')
  await keyboard.press('p')
  await expect(menu.getByRole('menuitem', { name: 'Pin' })).toBeFocused()
  await keyboard.press('Enter')
  await expect(menu).toHaveCount(0)
  await expect(selectedRow(app).getByText('pinned', { exact: false })).toBeAttached()
  await expect(listOf(page)).toBeFocused()

  const event = () => listOf(page).getByRole('gridcell', { name: 'transaction.auth' }).first()
  await event().click({ button: 'right' })
  await expect(menu.getByText('transaction.auth')).toBeVisible()
  await menu.getByRole('menuitem', { name: 'Copy value' }).click()
  await expect
    .poll(() => page.evaluate(() => navigator.clipboard.readText()))
    .toBe('transaction.auth')
  await event().click({ button: 'right' })
  await menu.getByRole('menuitem', { name: 'Open' }).click()
  await expect(page.getByRole('region', { name: 'Delivery', exact: true })).toBeVisible()
  await keyboard.press('Escape')
  await event().click({ button: 'right' })
  await menu.getByRole('menuitem', { name: 'Exclude this' }).click()
  await expect(filter).toHaveValue('-event:transaction.auth')
  await expect(page.getByTestId('count')).toHaveText('1 of 3')
  await listOf(page).getByRole('gridcell', { name: '/h/others' }).click({ button: 'right' })
  await menu.getByRole('menuitem', { name: 'Filter by this' }).click()
  await expect(filter).toHaveValue('-event:transaction.auth path:/h/others')

  // The same menu opens on the facts of the Overview and on the values of the body.
  const detail = await openRow(page, 'card.linked', 'Overview')
  const all = [
    'Open',
    'Replay',
    'Replay with changes…',
    'Compare with previous',
    'Filter by this',
    'Exclude this',
    'Copy value',
    'Copy ID',
    'Copy body',
    'Copy as cURL (re-signed)',
    'Copy shrink command',
    'Copy as Markdown',
    'Export…',
    'Unpin',
    'Add note…',
    'Delete',
  ]
  const names = () =>
    menu
      .getByRole('menuitem')
      .evaluateAll((items) => items.map((item) => item.querySelector('.flex-1')?.textContent))
  await detail
    .getByRole('definition')
    .filter({ hasText: `POST /h/others` })
    .click({ button: 'right' })
  await expect(menu.getByText('Path', { exact: true })).toBeVisible()
  expect(await names()).toEqual(all)
  await menu.getByRole('menuitem', { name: 'Exclude this' }).click()
  await expect(filter).toHaveValue('-event:transaction.auth -path:/h/others')
  await detail.getByRole('tab', { name: /^Body/ }).click()
  await detail.getByRole('treeitem').filter({ hasText: '"a"' }).click({ button: 'right' })
  const ofValue = page.getByRole('menu', { name: 'Value and delivery' })
  for (const name of all)
    await expect(ofValue.getByRole('menuitem', { name }).first()).toBeVisible()
  await ofValue.getByRole('menuitem', { name: 'Copy as Markdown' }).click()
  await expect(page.getByRole('region', { name: 'Notifications' })).toContainText(
    'Copied as Markdown',
  )
})

test('arrow keys walk the list of hooks, which is a single tab stop', async ({ app }) => {
  const { page } = app
  await app.importHook('transaction.auth', 'one')
  await app.importHook('card.linked', 'two')
  await page.getByRole('navigation').getByRole('button', { name: 'Hooks' }).click()
  const list = page.getByRole('region', { name: 'Hook list' })
  const heading = page
    .getByRole('region', { name: 'Hook', exact: true })
    .getByRole('heading', { level: 2 })
  await list.getByRole('button', { name: 'card.linked' }).focus()
  await page.keyboard.press('ArrowDown')
  await expect(list.getByRole('button', { name: 'transaction.auth' })).toBeFocused()
  await expect(heading).toContainText('transaction.auth')
  await page.keyboard.press('Home')
  await expect(heading).toContainText('card.linked')
  await expect(list.locator('[data-hook-row][tabindex="0"]')).toHaveCount(1)
})

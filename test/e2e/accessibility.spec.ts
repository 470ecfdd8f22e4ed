/** axe finds no violations on any screen, in either theme. */
import { expectNothingHidden, expectNoViolationsInBothThemes } from './accessible.ts'
import {
  buttonIn,
  dialogIn,
  headingIn,
  regionIn,
  tabIn,
  deliveryIn,
  click,
  fill,
  chooseInList,
  press,
  goTo,
} from './controls.ts'
import { expect, listOf, openRow, test } from './fixtures.ts'

test('every screen and overlay is accessible, dark and light', async ({ app, page }) => {
  // Each axe run takes seconds on a busy computer.
  test.slow()
  await expect(headingIn(page, 'Receive your first webhook')).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'first run')

  const hook = await app.importHook('transaction.auth', 'axe')
  await app.deliver(hook, '{"amount":10.00,"list":[true,null,"text"]}')
  await app.deliver(hook, '{"amount":10.00}', { timestamp: String(Date.now() - 600_000) })
  await app.deliver(hook, '{"amount":1}', { body: '{"amount":2}' })
  await app.send('/nobody', 'plain text', [], 'PUT')
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '5')
  const detail = await openRow(page, 'Invalid')
  for (const tab of ['Overview', 'Signature', 'Body', 'Headers', 'Attempts', 'Raw']) {
    await tabIn(detail, tab).click()
    await expectNoViolationsInBothThemes(
      app,
      tab,
      tab === 'Overview' ? 'html' : '[aria-label="Delivery"]',
    )
  }
  await openRow(page, 'stale')
  await tabIn(detail, 'Signature').click()
  await expectNoViolationsInBothThemes(app, 'stale', '[aria-label="Delivery"]')
  await click(page, 'Full width')
  await expectNoViolationsInBothThemes(app, 'full width')
  await click(page, 'Show beside the list')
  await chooseInList(page, 'Pause capture')
  await expect(page.getByText('Capture paused.')).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'paused')
  await fill(page, 'Filter deliveries', 'is:nonsense ')
  await expect(page.getByRole('alert')).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'filter refused')

  await click(page, 'Hooks', { exact: true })
  await expectNoViolationsInBothThemes(app, 'hooks')
  await click(page, 'Import hook')
  await click(page, 'Import hook')
  await expectNoViolationsInBothThemes(app, 'import dialog')
  await press(page, 'Escape')
  await click(page, 'Settings')
  const sections = page.getByRole('navigation', { name: 'Settings sections' }).getByRole('button')
  await expect(sections).toHaveText([
    /^Environments/,
    /^Receiver/,
    /^Handlers/,
    /^Appearance/,
    /^Keyboard/,
    /^Secrets/,
    /^Storage/,
    /^Retention/,
    /^Import and export/,
    /^Remote access/,
    /^About/,
  ])
  for (const section of await sections.all()) {
    await section.click()
    await expectNoViolationsInBothThemes(
      app,
      `settings: ${await section.textContent()}`,
      'section[aria-label="Settings"]',
    )
  }
  for (const search of ['port', 'nothing like this']) {
    await page.getByRole('searchbox', { name: 'Search settings' }).fill(search)
    await expectNoViolationsInBothThemes(
      app,
      `settings found by ${search}`,
      'section[aria-label="Settings"]',
    )
  }
  // From a button: in the search field, keys are text.
  await sections.filter({ hasText: 'Environments' }).click()
  await press(page, 'ControlOrMeta+k')
  await expect(page.getByLabel('Search commands')).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'palette')
  await page.keyboard.type('t')
  await expectNoViolationsInBothThemes(app, 'palette with a word', '[role=dialog]')
  await press(page, 'Escape')
  await expect(page.getByLabel('Search commands')).toBeHidden()
  await press(page, '?')
  await expect(dialogIn(page, 'Keyboard shortcuts')).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'shortcuts')
})

test('every menu of the list and of a delivery is accessible, dark and light', async ({
  app,
  page,
}) => {
  test.slow()
  const hook = await app.importHook('transaction.auth', 'menus')
  await app.command('handlers', 'add', 'local', '--url', 'http://127.0.0.1:9/webhooks')
  await app.deliver(hook, '{"amount":10.00}')
  const list = listOf(page)
  await expect(list).toHaveAttribute('aria-rowcount', '2')
  const check = async (name: string, open: () => Promise<void>) => {
    await open()
    await expect(page.getByRole('menu').first()).toBeVisible()
    await expectNoViolationsInBothThemes(app, name, '[role=menu]')
    await press(page, 'Escape')
    await expect(page.getByRole('menu')).toHaveCount(0)
  }
  const rightClick = { button: 'right' } as const
  const views = page.getByRole('toolbar', { name: 'Views' })
  await check('of a row', () => list.getByRole('gridcell', { name: 'Valid' }).click(rightClick))
  await check('of the list', () =>
    click(regionIn(page, 'List', { exact: true }), 'More', { exact: true }),
  )
  await check('of the time range', () => click(page, /^Time range/))
  await fill(page, 'Filter deliveries', 'amount:10')
  await page.setViewportSize({ width: 640, height: 700 })
  await check('of views', () => views.getByRole('button').last().click())
  await page.setViewportSize({ width: 1440, height: 900 })
  const detail = await openRow(page, 'Valid', 'Overview')
  await check('of replays', () => click(detail, 'More replay options'))
  await check('of a delivery', () => click(detail, 'More', { exact: true }))
  await check('of a fact', () =>
    detail.getByRole('definition').filter({ hasText: 'POST /h/menus' }).click(rightClick),
  )
  await tabIn(detail, /^Body/).click()
  await check('of a value', () =>
    detail.getByRole('treeitem').filter({ hasText: '"amount"' }).click(rightClick),
  )
})

test('the page beside an open list of suggestions stays reachable for screen readers', async ({
  app,
  page,
}) => {
  test.slow()
  await app.command('handlers', 'add', 'local', '--url', 'http://127.0.0.1:9/webhooks')
  await app.deliver(await app.importHook('transaction.auth', 'beside'), '{"amount":1}')
  await openRow(page, 'Valid', 'Overview')

  await fill(page, 'Filter deliveries', 'is:')
  await expect(page.getByRole('option').first()).toBeVisible()
  await expectNothingHidden(app, 'completions')
  await expect(deliveryIn(page)).toBeVisible()
  await press(page, 'Escape')
  await expect(page.getByRole('option')).toHaveCount(0)
  await fill(page, 'Filter deliveries', '')
  await press(page, 'Escape')

  await listOf(page).focus()
  await press(page, 'R')
  const composer = dialogIn(page, 'Replay with changes')
  const saved = page.getByRole('listbox', { name: 'Saved and recent' })
  await click(composer, 'Show saved handlers')
  await expect(saved).toBeVisible()
  await expectNothingHidden(app, 'saved handlers')
  await expect(composer.getByRole('combobox', { name: 'Tamper' })).toBeVisible()
  // The dialog still hides the page behind it.
  await expect(page.getByRole('navigation', { name: 'Navigation' })).toHaveCount(0)
  await press(page, 'Escape')
  await expect(saved).toBeHidden()
  expect(await page.locator('body > [aria-live="off"]').count()).toBe(0)
  await press(page, 'Escape')
  await expect(composer).toBeHidden()
})

test.describe('in a narrow window', () => {
  test.use({
    look: { colorScheme: 'dark', viewport: { width: 900, height: 700 }, reducedMotion: 'reduce' },
  })

  test('hooks and their dialogs are accessible, dark and light', async ({ app, page }) => {
    // Each axe run takes seconds on a busy computer.
    test.slow()
    await goTo(page, 'Hooks')
    await expect(headingIn(page, 'No hooks yet')).toBeVisible()
    await expectNoViolationsInBothThemes(app, 'no hooks')
    await click(page, 'Register your first hook…')
    const dialog = dialogIn(page, 'Register hook')
    // Wait for the suggestion first: filled in at the same moment, the two texts would be joined.
    await expect(dialog.getByLabel('URL')).toHaveValue(/\/h\//)
    await fill(dialog, 'URL', 'http://x.test')
    await expect(dialog.getByLabel('URL')).toHaveAttribute('aria-invalid', 'true')
    await click(dialog, 'Add header')
    await expectNoViolationsInBothThemes(app, 'register, with findings')
    await buttonIn(dialog, /^spec/).first().click()
    await expect(dialogIn(page, 'Service spec')).toBeVisible()
    await expectNoViolationsInBothThemes(app, 'the section of a rule')
    await press(page, 'Escape')
    await expect(dialog).toBeVisible()
    await press(page, 'Escape')

    await app.importHook('transaction.auth', 'one')
    await app.importHook('card.linked', 'two')
    await expect(regionIn(page, 'Hook list').getByRole('row')).toHaveCount(3)
    await expectNoViolationsInBothThemes(app, 'list and detail')
    for (const [button, title] of [
      ['Edit…', 'Edit hook'],
      ['Delete…', 'Delete hook'],
      ['Rotate…', 'Rotate secret'],
      ['Sync', 'Sync hooks'],
      ['Set public URL…', 'Public URL'],
    ] as const) {
      await click(page, button)
      await expect(dialogIn(page, title)).toBeVisible()
      await expectNoViolationsInBothThemes(app, title)
      await press(page, 'Escape')
      await expect(dialogIn(page, title)).toBeHidden()
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(900)
  })

  test('the sandbox and its dialogs are accessible, dark and light', async ({ app, page }) => {
    test.slow()
    const kind = (name: RegExp) => page.getByRole('radio', { name }).check({ force: true })
    await goTo(page, 'Sandbox')
    const editor = page.getByRole('textbox', { name: 'Payload of transaction.auth' })
    await expect(editor).toBeVisible()
    await expectNoViolationsInBothThemes(app, 'without a hook')
    await app.importHook('transaction.auth', 'one')
    await press(page, '3')
    await expect(headingIn(page, /^No deliveries sent in /)).toBeVisible()
    await expectNoViolationsInBothThemes(app, 'nothing sent')
    await press(page, '1')
    await editor.fill('{ "amount": }')
    await expect(editor).toHaveAttribute('aria-invalid', 'true')
    await expectNoViolationsInBothThemes(app, 'a payload that cannot be read')
    await editor.fill('{ "amount": 1 }')
    await click(page, 'Send transaction.auth', { exact: true })
    await expect(regionIn(page, 'Result')).toContainText('Valid')
    await click(page, '1 pending')
    await expectNoViolationsInBothThemes(app, 'sent, and what waits')
    await press(page, 'Escape')
    await page.getByRole('radio', { name: 'Log' }).check({ force: true })
    await expect(page.getByRole('grid', { name: 'Notifications, newest first' })).toBeVisible()
    await expectNoViolationsInBothThemes(app, 'log')
    await page.getByRole('radio', { name: 'Objects' }).check({ force: true })
    for (const name of ['Locations', 'Offers', 'Transactions', 'Cards']) {
      await kind(new RegExp(`^${name}`))
      await expect(page.getByRole('grid', { name })).toBeVisible()
      await expectNoViolationsInBothThemes(app, name)
    }
    for (const [button, title] of [
      ['Edit…', 'Edit card'],
      ['Create a card…', 'Create object'],
      ['Set…', 'Set sandbox clock'],
      ['Reset…', 'Reset sandbox'],
    ] as const) {
      await click(page, button, { exact: true })
      await expect(dialogIn(page, title)).toBeVisible()
      await expectNoViolationsInBothThemes(app, title)
      await press(page, 'Escape')
      await expect(dialogIn(page, title)).toBeHidden()
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(900)
  })
})

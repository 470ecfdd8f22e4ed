/** axe finds no violations on any screen, in either theme. */
import { expectNothingHidden, expectNoViolationsInBothThemes } from './accessible.ts'
import { expect, listOf, openRow, test } from './fixtures.ts'

test('every screen and overlay is accessible, dark and light', async ({ app }) => {
  // Each axe run takes seconds on a busy computer.
  test.slow()
  const { page } = app
  await expect(page.getByRole('heading', { name: 'Receive your first webhook' })).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'first run')

  const hook = await app.importHook('transaction.auth', 'axe')
  await app.deliver(hook, '{"amount":10.00,"list":[true,null,"text"]}')
  await app.deliver(hook, '{"amount":10.00}', { timestamp: String(Date.now() - 600_000) })
  await app.deliver(hook, '{"amount":1}', { body: '{"amount":2}' })
  await app.send('/nobody', 'plain text', [], 'PUT')
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '5')
  const detail = await openRow(page, 'Invalid')
  for (const tab of ['Overview', 'Signature', 'Body', 'Headers', 'Attempts', 'Raw']) {
    await detail.getByRole('tab', { name: tab }).click()
    await expectNoViolationsInBothThemes(
      app,
      tab,
      tab === 'Overview' ? 'html' : '[aria-label="Delivery"]',
    )
  }
  await openRow(page, 'stale')
  await detail.getByRole('tab', { name: 'Signature' }).click()
  await expectNoViolationsInBothThemes(app, 'stale', '[aria-label="Delivery"]')
  await page.getByRole('button', { name: 'Full width' }).click()
  await expectNoViolationsInBothThemes(app, 'full width')
  await page.getByRole('button', { name: 'Show beside the list' }).click()
  await page.getByRole('button', { name: 'Pause capture' }).click()
  await expect(page.getByText('Capture paused.')).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'paused')
  await page.getByLabel('Filter deliveries').fill('is:nonsense ')
  await expect(page.getByRole('alert')).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'filter refused')

  await page.getByRole('button', { name: 'Hooks', exact: true }).click()
  await expectNoViolationsInBothThemes(app, 'hooks')
  await page.getByRole('button', { name: 'Import hook' }).click()
  await page.getByRole('button', { name: 'Import hook' }).click()
  await expectNoViolationsInBothThemes(app, 'import dialog')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Settings' }).click()
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
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByLabel('Search commands')).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'palette')
  await page.keyboard.type('t')
  await expectNoViolationsInBothThemes(app, 'palette with a word', '[role=dialog]')
  await page.keyboard.press('Escape')
  await expect(page.getByLabel('Search commands')).toBeHidden()
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  await expectNoViolationsInBothThemes(app, 'shortcuts')
})

test('every menu of the list and of a delivery is accessible, dark and light', async ({ app }) => {
  test.slow()
  const { page } = app
  const hook = await app.importHook('transaction.auth', 'menus')
  await app.command('handlers', 'add', 'local', '--url', 'http://127.0.0.1:9/webhooks')
  await app.deliver(hook, '{"amount":10.00}')
  const list = listOf(page)
  await expect(list).toHaveAttribute('aria-rowcount', '2')
  const check = async (name: string, open: () => Promise<void>) => {
    await open()
    await expect(page.getByRole('menu').first()).toBeVisible()
    await expectNoViolationsInBothThemes(app, name, '[role=menu]')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('menu')).toHaveCount(0)
  }
  const rightClick = { button: 'right' } as const
  const views = page.getByRole('toolbar', { name: 'Views' })
  await check('of a row', () => list.getByRole('gridcell', { name: 'Valid' }).click(rightClick))
  await check('of columns', () => page.getByRole('button', { name: 'Columns' }).click())
  await check('that deletes', () =>
    page.getByRole('button', { name: 'Delete all that is not pinned…' }).click(),
  )
  await check('of the time range', () => page.getByRole('button', { name: /^Time range/ }).click())
  await page.getByLabel('Filter deliveries').fill('amount:10')
  await page.setViewportSize({ width: 640, height: 700 })
  await check('of views', () => views.getByRole('button').last().click())
  await page.setViewportSize({ width: 1440, height: 900 })
  const detail = await openRow(page, 'Valid', 'Overview')
  await check('of replays', () =>
    detail.getByRole('button', { name: 'More replay options' }).click(),
  )
  await check('of a delivery', () =>
    detail.getByRole('button', { name: 'More', exact: true }).click(),
  )
  await check('of a fact', () =>
    detail.getByRole('definition').filter({ hasText: 'POST /h/menus' }).click(rightClick),
  )
  await detail.getByRole('tab', { name: /^Body/ }).click()
  await check('of a value', () =>
    detail.getByRole('treeitem').filter({ hasText: '"amount"' }).click(rightClick),
  )
})

test('the page beside an open list of suggestions stays reachable for screen readers', async ({
  app,
}) => {
  test.slow()
  const { page } = app
  await app.command('handlers', 'add', 'local', '--url', 'http://127.0.0.1:9/webhooks')
  await app.deliver(await app.importHook('transaction.auth', 'beside'), '{"amount":1}')
  await openRow(page, 'Valid', 'Overview')

  await page.getByLabel('Filter deliveries').fill('is:')
  await expect(page.getByRole('option').first()).toBeVisible()
  await expectNothingHidden(app, 'completions')
  await expect(page.getByRole('region', { name: 'Delivery', exact: true })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('option')).toHaveCount(0)
  await page.getByLabel('Filter deliveries').fill('')
  await page.keyboard.press('Escape')

  await listOf(page).focus()
  await page.keyboard.press('R')
  const composer = page.getByRole('dialog', { name: 'Replay with changes' })
  const saved = page.getByRole('listbox', { name: 'Saved and recent' })
  await composer.getByRole('button', { name: 'Show saved handlers' }).click()
  await expect(saved).toBeVisible()
  await expectNothingHidden(app, 'saved handlers')
  await expect(composer.getByRole('combobox', { name: 'Tamper' })).toBeVisible()
  // The dialog still hides the page behind it.
  await expect(page.getByRole('navigation', { name: 'Navigation' })).toHaveCount(0)
  await page.keyboard.press('Escape')
  await expect(saved).toBeHidden()
  expect(await page.locator('body > [aria-live="off"]').count()).toBe(0)
  await page.keyboard.press('Escape')
  await expect(composer).toBeHidden()
})

test.describe('in a narrow window', () => {
  test.use({
    look: { colorScheme: 'dark', viewport: { width: 900, height: 700 }, reducedMotion: 'reduce' },
  })

  test('hooks and their dialogs are accessible, dark and light', async ({ app }) => {
    // Each axe run takes seconds on a busy computer.
    test.slow()
    const { page } = app
    await page.getByRole('navigation').getByRole('button', { name: 'Hooks' }).click()
    await expect(page.getByRole('heading', { name: 'No hooks yet' })).toBeVisible()
    await expectNoViolationsInBothThemes(app, 'no hooks')
    await page.getByRole('button', { name: 'Register your first hook…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Register hook' })
    // Wait for the suggestion first: filled in at the same moment, the two texts would be joined.
    await expect(dialog.getByLabel('URL')).toHaveValue(/\/h\//)
    await dialog.getByLabel('URL').fill('http://x.test')
    await expect(dialog.getByLabel('URL')).toHaveAttribute('aria-invalid', 'true')
    await dialog.getByRole('button', { name: 'Add header' }).click()
    await expectNoViolationsInBothThemes(app, 'register, with findings')
    await dialog.getByRole('button', { name: /^spec/ }).first().click()
    await expect(page.getByRole('dialog', { name: 'Service spec' })).toBeVisible()
    await expectNoViolationsInBothThemes(app, 'the section of a rule')
    await page.keyboard.press('Escape')
    await expect(dialog).toBeVisible()
    await page.keyboard.press('Escape')

    await app.importHook('transaction.auth', 'one')
    await app.importHook('card.linked', 'two')
    await expect(page.getByRole('region', { name: 'Hook list' }).getByRole('row')).toHaveCount(3)
    await expectNoViolationsInBothThemes(app, 'list and detail')
    for (const [button, title] of [
      ['Edit…', 'Edit hook'],
      ['Delete…', 'Delete hook'],
      ['Rotate…', 'Rotate secret'],
      ['Set public URL…', 'Public URL'],
    ] as const) {
      await page.getByRole('button', { name: button }).click()
      await expect(page.getByRole('dialog', { name: title })).toBeVisible()
      await expectNoViolationsInBothThemes(app, title)
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog', { name: title })).toBeHidden()
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(900)
  })

  test('the sandbox and its dialogs are accessible, dark and light', async ({ app }) => {
    test.slow()
    const { page } = app
    const kind = (name: RegExp) => page.getByRole('radio', { name }).check({ force: true })
    await page.getByRole('navigation').getByRole('button', { name: 'Sandbox' }).click()
    const editor = page.getByRole('textbox', { name: 'Payload of transaction.auth' })
    await expect(editor).toBeVisible()
    await expectNoViolationsInBothThemes(app, 'without a hook')
    await app.importHook('transaction.auth', 'one')
    await page.keyboard.press('3')
    await expect(page.getByRole('heading', { name: /^No deliveries sent in / })).toBeVisible()
    await expectNoViolationsInBothThemes(app, 'nothing sent')
    await page.keyboard.press('1')
    await editor.fill('{ "amount": }')
    await expect(editor).toHaveAttribute('aria-invalid', 'true')
    await expectNoViolationsInBothThemes(app, 'a payload that cannot be read')
    await editor.fill('{ "amount": 1 }')
    await page.getByRole('button', { name: 'Send transaction.auth', exact: true }).click()
    await expect(page.getByRole('region', { name: 'Result' })).toContainText('Valid')
    await page.getByRole('button', { name: '1 pending' }).click()
    await expectNoViolationsInBothThemes(app, 'sent, and what waits')
    await page.keyboard.press('Escape')
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
      await page.getByRole('button', { name: button, exact: true }).click()
      await expect(page.getByRole('dialog', { name: title })).toBeVisible()
      await expectNoViolationsInBothThemes(app, title)
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog', { name: title })).toBeHidden()
    }
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(900)
  })
})

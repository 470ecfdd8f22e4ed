/** Compares two deliveries: selected with keys, in four views, with ignored fields and export. */
import { expectNoViolations } from './accessible.ts'
import { expect, listOf, openRow, rowsWith, test, type App } from './fixtures.ts'
import { makePurchase } from './purchase.ts'

const comparison = (app: App) => app.page.getByRole('region', { name: 'Comparison', exact: true })
const sentence = (app: App, text: string) =>
  comparison(app).getByRole('status').filter({ hasText: text })

test('an auth and its clearing are compared, as the clearing suggests', async ({ app }) => {
  await makePurchase(app)
  const { page } = app
  const detail = await openRow(page, 'transaction.auth')
  await page.keyboard.press('1')
  await detail.getByRole('button', { name: "this auth's clearing" }).click()
  await expect(sentence(app, '1 changed, 1 ignored')).toBeVisible()
  const screen = comparison(app)
  await expect(screen.getByRole('list').getByText('1 ignored: updated')).toBeVisible()
  const row = screen.getByRole('listitem').filter({ hasText: 'cleared' })
  await expect(row).toContainText('changed: clearedfalsetrue')
  await expectNoViolations(app, 'compare: structure')

  await page.keyboard.press('i')
  await expect(sentence(app, '2 changed')).toBeVisible()
  await expect(screen.getByText('Difference 1 of 2')).toBeVisible()
  await page.keyboard.press('n')
  await expect(screen.getByText('Difference 2 of 2')).toBeVisible()
  await page.keyboard.press('n')
  await expect(screen.getByText('Difference 1 of 2')).toBeVisible()
  await page.keyboard.press('N')
  await expect(screen.getByText('Difference 2 of 2')).toBeVisible()
  await page.keyboard.press('s')
  await expect(row).toContainText('changed: clearedtruefalse')
  await page.keyboard.press('u')
  await expect(row).toHaveCount(1)
  await expect(screen.getByRole('button', { name: 'Side by side' })).toBeVisible()

  await screen.getByRole('tab', { name: 'Text' }).click()
  await expect(sentence(app, '2 changed')).toBeVisible()
  await expectNoViolations(app, 'compare: text')
  await screen.getByRole('tab', { name: 'Headers' }).click()
  await expect(screen.getByText('x-service-timestamp').first()).toBeVisible()
  await screen.getByRole('tab', { name: 'Signature inputs' }).click()
  await expect(screen.getByText(/First difference at byte \d+/)).toBeVisible()
  await expectNoViolations(app, 'compare: signature inputs')
})

test('a key compares two selected deliveries; one stays A until another becomes B', async ({
  app,
}) => {
  const hook = await app.importHook('transaction.auth', 'picked')
  for (const n of [1, 2, 3]) await app.deliver(hook, `{"n":${n},"amount":10.00}`)
  await expect(listOf(app.page)).toHaveAttribute('aria-rowcount', '4')
  const { keyboard } = app.page
  await keyboard.press('j')
  await keyboard.press('x')
  await expect(app.page.getByText('1 selected')).toBeVisible()
  await listOf(app.page).focus()
  await keyboard.press('Shift+ArrowDown')
  await expect(app.page.getByText('2 selected')).toBeVisible()
  await keyboard.press('c')
  await expect(sentence(app, '1 changed')).toBeVisible()
  // The older delivery is on the left.
  await expect(comparison(app).getByRole('listitem').filter({ hasText: 'changed:' })).toContainText(
    'n23',
  )

  await keyboard.press('g')
  await keyboard.press('d')
  await listOf(app.page).focus()
  await keyboard.press('Escape')
  await expect(app.page.getByText('2 selected')).toHaveCount(0)
  await keyboard.press('Home')
  await keyboard.press('c')
  await expect(app.page.getByText(/is transaction\.auth at/)).toBeVisible()
  await keyboard.press('End')
  await keyboard.press('c')
  await expect(comparison(app).getByRole('listitem').filter({ hasText: 'changed:' })).toContainText(
    'n31',
  )

  // Ctrl+click adds to the selection; [ and ] step through the deliveries of one hook and event.
  await keyboard.press('g')
  await keyboard.press('d')
  await rowsWith(app.page, 'transaction.auth')
    .nth(0)
    .click({ modifiers: ['ControlOrMeta'] })
  await rowsWith(app.page, 'transaction.auth')
    .nth(2)
    .click({ modifiers: ['ControlOrMeta'] })
  await expect(app.page.getByText('2 selected')).toBeVisible()
  await expectNoViolations(app, 'a selection')
  await rowsWith(app.page, 'transaction.auth').nth(0).click()
  await keyboard.press('[')
  await expect(listOf(app.page).locator('[aria-rowindex="3"]')).toHaveAttribute(
    'aria-selected',
    'true',
  )
})

test('ignored fields can be edited per hook, stored, and reset', async ({ app }) => {
  const { page } = app
  const hook = await app.importHook('transaction.auth', 'edited')
  await app.deliver(hook, '{"id":"1","amount":10.00}')
  await app.deliver(hook, '{"id":"2","amount":10}')
  await expect(rowsWith(page, 'transaction.auth')).toHaveCount(2)
  await openRow(page, 'transaction.auth')
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  // Without a selection, the other side is the previous delivery of the event.
  await expect(sentence(app, '1 reformatted, 1 ignored')).toBeVisible()
  await comparison(app).getByRole('button', { name: 'Edit ignored fields' }).click()
  const dialog = page.getByRole('dialog', { name: 'Ignored fields' })
  await expectNoViolations(app, 'what is ignored')
  await dialog.getByLabel('Body fields').fill('amount')
  await dialog.getByRole('button', { name: 'Save for this hook' }).click()
  await expect(sentence(app, '1 changed, 1 ignored')).toBeVisible()
  await page.reload()
  // Keys pressed before the page listens are lost; a click waits for its target.
  await page.getByRole('navigation').getByRole('button', { name: 'Deliveries' }).click()
  await openRow(page, 'transaction.auth')
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  await expect(sentence(app, '1 changed, 1 ignored')).toBeVisible()
  await comparison(app).getByRole('button', { name: 'Edit ignored fields' }).click()
  await dialog.getByRole('button', { name: 'Restore defaults' }).click()
  await expect(sentence(app, '1 reformatted, 1 ignored')).toBeVisible()
})

test('pasted text can be a side, and the difference is exported', async ({ app }) => {
  const { page } = app
  const hook = await app.importHook('transaction.auth', 'pasted')
  await app.deliver(hook, '{"items":["a","b","c"]}')
  await page.keyboard.press('g')
  await page.keyboard.press('c')
  const screen = comparison(app)
  await expect(
    screen.getByRole('heading', { name: 'See what changed between two deliveries' }),
  ).toBeVisible()
  await expectNoViolations(app, 'compare: empty')
  await screen.getByRole('button', { name: 'Choose… A' }).click()
  const dialog = page.getByRole('dialog', { name: 'Choose A' })
  await expectNoViolations(app, 'choosing a side')
  await dialog.getByRole('button', { name: /transaction\.auth/ }).click()
  await screen.getByRole('button', { name: 'Choose… B' }).click()
  // The dialog grows when its deliveries load, and its controls move.
  await expect(
    page.getByRole('dialog').getByRole('button', { name: /transaction\.auth/ }),
  ).not.toHaveCount(0)
  await page.getByRole('dialog').getByRole('radio', { name: 'Pasted text' }).check({ force: true })
  await page.getByRole('dialog').getByLabel('Text', { exact: true }).fill('{"items":["c","a","b"]}')
  await page.getByRole('dialog').getByRole('button', { name: 'Use this text' }).click()
  await expect(sentence(app, '1 moved')).toBeVisible()
  await screen.getByRole('button', { name: 'Export' }).click()
  const written = page.getByLabel('Exported text', { exact: true })
  await expect(written).toContainText('> items[0]: "c"  (moved from 2 to 0)')
  await page.getByRole('dialog').getByText('JSON Patch').click()
  await expect(written).toHaveText('[ {"op":"move","from":"/items/2","path":"/items/0"} ]')
  await expectNoViolations(app, 'the export')
  await page.keyboard.press('Escape')
  await screen.getByRole('tab', { name: 'Headers' }).click()
  await expect(screen.getByText(/Pasted text has no headers/)).toBeVisible()
})

test('one side is shown before the other is chosen, and a deleted delivery is named with a way to another', async ({
  app,
}) => {
  const { page } = app
  const hook = await app.importHook('transaction.auth', 'sides')
  for (const n of [1, 2]) await app.deliver(hook, `{"n":${n}}`)
  await expect(rowsWith(page, 'transaction.auth')).toHaveCount(2)
  await page
    .getByRole('navigation', { name: 'Navigation' })
    .getByRole('button', { name: 'Compare' })
    .click()
  const screen = comparison(app)
  const choose = page.getByRole('dialog')
  const older = choose.getByRole('button', { name: /^Valid transaction\.auth/ }).last()
  await screen.getByRole('button', { name: 'Choose A…' }).last().click()
  await older.click()
  await expect(screen.getByText('transaction.auth')).toHaveCount(1)
  await expect(screen.getByRole('heading', { name: 'Choose the other side' })).toBeVisible()

  // The other delivery is deleted while it can still be selected.
  await screen.getByRole('button', { name: 'Choose B…' }).last().click()
  const newer = choose.getByRole('button', { name: /^Valid transaction\.auth/ }).first()
  await expect(newer).toBeVisible()
  await app.command('delete', 'latest')
  await newer.click()
  await expect(screen.getByRole('heading', { name: 'Delivery B no longer exists' })).toBeVisible()
  await expect(screen.getByText('No longer exists', { exact: true })).toBeVisible()
  await expect(screen.getByText('transaction.auth')).toHaveCount(1)
  await expectNoViolations(app, 'compare: a side that is gone')
  await screen.getByRole('alert').getByRole('button', { name: 'Choose B…' }).click()
  // The dialog grows when its deliveries load, and its controls move.
  await expect(older).toBeVisible()
  await choose.getByRole('radio', { name: 'Pasted text' }).check({ force: true })
  await choose.getByRole('textbox', { name: 'Text' }).fill('{"n":3}')
  await choose.getByRole('button', { name: 'Use this text' }).click()
  await expect(sentence(app, '1 changed')).toBeVisible()
})

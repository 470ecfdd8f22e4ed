import {
  buttonIn,
  choose,
  click,
  dialogIn,
  fill,
  goTo,
  headingIn,
  press,
  regionIn,
  tabIn,
  write,
} from './controls.ts'
import { expect, listOf, openRow, rowsWith, test, type App } from './fixtures.ts'

const comparison = (app: App) => regionIn(app.page, 'Comparison', { exact: true })
const sentence = (app: App, text: string) =>
  comparison(app).getByRole('status').filter({ hasText: text })

test('a key compares two selected deliveries; one stays A until another becomes B', async ({
  app,
  page,
}) => {
  const hook = await app.importHook('transaction.auth', 'picked')
  for (const n of [1, 2, 3]) await app.deliver(hook, `{"n":${n},"amount":10.00}`)
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '4')
  await press(page, 'j', 'x')
  await expect(page.getByText('1 selected')).toBeVisible()
  await listOf(page).focus()
  await press(page, 'Shift+ArrowDown')
  await expect(page.getByText('2 selected')).toBeVisible()
  await press(page, 'c')
  await expect(sentence(app, '1 changed')).toBeVisible()
  // The older delivery is on the left.
  await expect(comparison(app).getByRole('listitem').filter({ hasText: 'changed:' })).toContainText(
    'n23',
  )

  // The head of B is above its column.
  const marks = comparison(app).getByText('B', { exact: true })
  const [head, value] = [await marks.first().boundingBox(), await marks.last().boundingBox()]
  expect(Math.abs((head?.x ?? 0) - (value?.x ?? NaN))).toBeLessThan(4)
  await click(comparison(app), 'Back to Deliveries')
  await listOf(page).focus()
  await press(page, 'Escape')
  await expect(page.getByText('2 selected')).toHaveCount(0)
  await press(page, 'Home', 'c')
  await expect(page.getByText(/is transaction\.auth at/)).toBeVisible()
  await press(page, 'End', 'c')
  await expect(comparison(app).getByRole('listitem').filter({ hasText: 'changed:' })).toContainText(
    'n31',
  )

  // Ctrl+click adds to the selection; [ and ] step through the deliveries of one hook and event.
  await press(page, 'g', 'h', 'g', 'c')
  await expect(buttonIn(comparison(app), 'Back to Hooks')).toBeVisible()
  await press(page, 'Escape')
  await expect(page).toHaveTitle(/^Hooks/)
  await press(page, 'g', 'd')
  await rowsWith(page, 'transaction.auth')
    .nth(0)
    .click({ modifiers: ['ControlOrMeta'] })
  await rowsWith(page, 'transaction.auth')
    .nth(2)
    .click({ modifiers: ['ControlOrMeta'] })
  await expect(page.getByText('2 selected')).toBeVisible()
  await rowsWith(page, 'transaction.auth').nth(0).click()
  await press(page, '[')
  await expect(listOf(page).locator('[aria-rowindex="3"]')).toHaveAttribute('aria-selected', 'true')
})

test('ignored fields can be edited per hook, stored, and reset', async ({ app, page }) => {
  const hook = await app.importHook('transaction.auth', 'edited')
  await app.deliver(hook, '{"id":"1","amount":10.00}')
  await app.deliver(hook, '{"id":"2","amount":10}')
  await expect(rowsWith(page, 'transaction.auth')).toHaveCount(2)
  await openRow(page, 'transaction.auth')
  await press(page, 'g', 'c')
  // Without a selection, the other side is the previous delivery of the event.
  await expect(sentence(app, '1 reformatted, 1 ignored')).toBeVisible()
  await click(comparison(app), 'Edit ignored fields')
  const dialog = dialogIn(page, 'Ignored fields')
  await fill(dialog, 'Body fields', 'amount')
  await click(dialog, 'Save for this hook')
  await expect(sentence(app, '1 changed, 1 ignored')).toBeVisible()
  await page.reload()
  // Keys pressed before the page listens are lost; a click waits for its target.
  await goTo(page, 'Deliveries')
  await openRow(page, 'transaction.auth')
  await press(page, 'g', 'c')
  await expect(sentence(app, '1 changed, 1 ignored')).toBeVisible()
  await click(comparison(app), 'Edit ignored fields')
  await click(dialog, 'Restore defaults')
  await expect(sentence(app, '1 reformatted, 1 ignored')).toBeVisible()
})

test('one side is shown before the other is chosen, a deleted delivery is named with a way to another, and pasted text can be a side; the difference is exported', async ({
  app,
  page,
}) => {
  const hook = await app.importHook('transaction.auth', 'sides')
  for (const n of [1, 2]) await app.deliver(hook, `{"n":${n},"items":["a","b","c"]}`)
  await expect(rowsWith(page, 'transaction.auth')).toHaveCount(2)
  await press(page, 'g', 'c')
  const screen = comparison(app)
  await expect(headingIn(screen, 'See what changed between two deliveries')).toBeVisible()
  const dialog = page.getByRole('dialog')
  const older = buttonIn(dialog, /^Valid transaction\.auth/).last()
  await click(screen, 'Choose… A')
  await older.click()
  await expect(screen.getByText('transaction.auth')).toHaveCount(1)
  await expect(headingIn(screen, 'Choose the other side')).toBeVisible()

  // The other delivery is deleted while its address is kept.
  await buttonIn(screen, 'Choose B…').last().click()
  await expect(older).toBeVisible()
  await buttonIn(dialog, /^Valid transaction\.auth/)
    .first()
    .click()
  await expect(sentence(app, '1 changed')).toBeVisible()
  await app.command('delete', 'latest')
  await page.reload()
  await expect(headingIn(screen, 'Delivery B no longer exists')).toBeVisible()
  await expect(screen.getByText('No longer exists', { exact: true })).toBeVisible()
  await expect(screen.getByText('transaction.auth')).toHaveCount(1)
  await expect(screen.getByRole('alert')).toHaveCSS('opacity', '1')
  await click(screen.getByRole('alert'), 'Choose B…')
  // The dialog grows when its deliveries load, and its controls move.
  await expect(older).toBeVisible()
  await choose(dialog, 'Pasted text')
  await write(dialog.getByRole('textbox', { name: 'Text' }), '{"n":1,"items":["c","a","b"]}')
  await click(dialog, 'Use this text')
  await expect(sentence(app, '1 moved')).toBeVisible()

  await click(screen, 'Export')
  const written = page.getByLabel('Exported text', { exact: true })
  await expect(written).toContainText('> items[0]: "c"  (moved from 2 to 0)')
  await press(page, 'Escape')
  await tabIn(screen, 'Headers').click()
  await expect(screen.getByText(/Pasted text has no headers/)).toBeVisible()
})

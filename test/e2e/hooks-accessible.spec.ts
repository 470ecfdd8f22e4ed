/** The Hooks screen and its dialogs with the keyboard only, checked by axe, and in a narrow window. */
import type { Locator } from '@playwright/test'
import { expectNoViolationsInBothThemes } from './accessible.ts'
import { expect, test } from './fixtures.ts'

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
})

test('arrow keys walk the list, which is a single tab stop', async ({ app }) => {
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

  // Other lists keep the focus themselves: the ring is on the row where keys act, not on the whole list.
  for (const name of ['one', 'two'])
    await app.command('handlers', 'add', name, '--url', `http://127.0.0.1:9/${name}`)
  const lookOf = (part: Locator, name: 'outline-style' | 'box-shadow') =>
    part.evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), name)
  const expectRingOnRow = async (widget: Locator, role: 'option' | 'row') => {
    await widget.focus()
    await page.keyboard.press('ArrowDown')
    await expect
      .poll(() => lookOf(widget.getByRole(role, { selected: true }), 'box-shadow'))
      .toContain('0px 0px 0px 1px inset')
    expect(await lookOf(widget, 'outline-style')).toBe('none')
  }
  for (const key of ['g', 'e']) await page.keyboard.press(key)
  await expectRingOnRow(page.getByRole('listbox', { name: 'Saved handlers' }), 'option')
  for (const key of ['g', 's', '2']) await page.keyboard.press(key)
  await page.getByRole('radio', { name: /^Cards/ }).check({ force: true })
  await expectRingOnRow(page.getByRole('grid', { name: 'Cards' }), 'row')
})

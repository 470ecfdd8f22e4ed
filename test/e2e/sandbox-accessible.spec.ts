/** The Sandbox screen and its dialogs checked by axe, in both themes and widths, with the keyboard only, and with a lot of data. */
import { expectNoViolations } from './accessible.ts'
import { expect, test, type App } from './fixtures.ts'

async function openSandbox({ page }: App): Promise<void> {
  await page.getByRole('navigation').getByRole('button', { name: 'Sandbox' }).click()
  await expect(page.getByRole('textbox', { name: 'Payload of transaction.auth' })).toBeVisible()
}

for (const [colorScheme, width] of [
  ['dark', 1440],
  ['light', 900],
] as const) {
  test.describe(`in the ${colorScheme} theme`, () => {
    test.use({ look: { colorScheme, viewport: { width, height: 760 }, reducedMotion: 'reduce' } })

    test(`the trigger form is accessible, ${width} pixels wide`, async ({ app }) => {
      const { page } = app
      await openSandbox(app)
      await expectNoViolations(app, 'without a hook')
      await app.importHook('transaction.auth', 'one')
      const editor = page.getByRole('textbox', { name: 'Payload of transaction.auth' })
      await editor.fill('{ "amount": }')
      await expect(editor).toHaveAttribute('aria-invalid', 'true')
      await expectNoViolations(app, 'a payload that cannot be read')
      await editor.fill('{ "amount": 1 }')
      await page.getByRole('radio', { name: /^card\.linked/ }).check({ force: true })
      await page.getByRole('radio', { name: /^transaction\.auth 1/ }).check({ force: true })
      await page.getByRole('button', { name: 'Send transaction.auth', exact: true }).click()
      await expect(page.getByRole('region', { name: 'Result' })).toContainText('Valid')
      await page.getByRole('button', { name: '1 pending' }).click()
      await expectNoViolations(app, 'sent, and what waits')
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        width,
      )
    })

    test(`the log and the objects are accessible, ${width} pixels wide`, async ({ app }) => {
      const { page } = app
      await app.importHook('transaction.auth', 'one')
      await openSandbox(app)
      await page.keyboard.press('3')
      await expect(page.getByRole('heading', { name: /^No deliveries sent in / })).toBeVisible()
      await expectNoViolations(app, 'nothing sent')
      await page.keyboard.press('1')
      await page.getByRole('button', { name: 'Send transaction.auth', exact: true }).click()
      await expect(page.getByRole('region', { name: 'Result' })).toContainText('Acknowledged')
      await page.keyboard.press('3')
      await expect(page.getByRole('grid', { name: 'Notifications, newest first' })).toBeVisible()
      await expectNoViolations(app, 'log')
      await page.keyboard.press('2')
      for (const kind of ['Locations', 'Offers', 'Transactions']) {
        await page.getByRole('radio', { name: new RegExp(`^${kind}`) }).check({ force: true })
        await expect(page.getByRole('grid', { name: kind })).toBeVisible()
        await expectNoViolations(app, kind)
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
        width,
      )
    })

    test(`the dialogs are accessible, ${width} pixels wide`, async ({ app }) => {
      const { page } = app
      await openSandbox(app)
      await page.keyboard.press('2')
      await page.getByRole('radio', { name: /^Cards/ }).check({ force: true })
      for (const [button, title] of [
        ['Edit…', 'Edit card'],
        ['Create a card…', 'Create object'],
        ['Set…', 'Set sandbox clock'],
        ['Reset…', 'Reset sandbox'],
      ] as const) {
        await page.getByRole('button', { name: button, exact: true }).click()
        await expect(page.getByRole('dialog', { name: title })).toBeVisible()
        await expectNoViolations(app, title)
        await page.keyboard.press('Escape')
        await expect(page.getByRole('dialog', { name: title })).toBeHidden()
      }
    })
  })
}

test('an event is sent, and its log entry reached, using only the keyboard', async ({ app }) => {
  const { page } = app
  await app.importHook('card.linked', 'keys')
  await page.keyboard.press('g')
  await page.keyboard.press('s')
  await expect(page.getByRole('heading', { name: 'Sandbox', exact: true })).toBeVisible()
  await page.getByRole('radio', { name: /^transaction\.auth no/ }).focus()
  for (let step = 0; step < 3; step++) await page.keyboard.press('ArrowUp')
  await expect(page.getByRole('radio', { name: /^card\.linked/ })).toBeChecked()
  await expect(page.getByRole('button', { name: 'Send card.linked' })).toBeEnabled()
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page.getByRole('region', { name: 'Result' })).toContainText('Acknowledged')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page.getByRole('contentinfo')).toContainText('2 deliveries')
  await page.keyboard.press('3')
  const log = page.getByRole('grid', { name: 'Notifications, newest first' })
  await expect(log.getByRole('row')).toHaveCount(3)
  await log.focus()
  await page.keyboard.press('j')
  await expect(log.getByRole('row').nth(2)).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('ArrowUp')
  await expect(log.getByRole('row').nth(1)).toHaveAttribute('aria-selected', 'true')
})

test('hundreds of objects can be listed, navigated and searched', async ({ app }) => {
  const { page } = app
  await app.importHook('transaction.auth', 'many')
  const seeds = Array.from({ length: 12 }, (_, index) => String(index + 1))
  // Each creates its own brands, locations, cards and an offer.
  for (const seed of seeds) await app.command('sandbox', 'create', 'program', '--seed', seed)
  await page.getByRole('navigation').getByRole('button', { name: 'Sandbox' }).click()
  await page.keyboard.press('2')
  await page.getByRole('radio', { name: /^Locations/ }).check({ force: true })
  const grid = page.getByRole('grid', { name: 'Locations' })
  await expect(grid).toHaveAttribute('aria-rowcount', String(13 * 5 + 1))
  expect(await grid.getByRole('row').count()).toBeLessThan(60)
  await grid.focus()
  await page.keyboard.press('End')
  await expect(grid.locator('[aria-selected="true"]')).toBeInViewport()
  await expect(grid.locator('[aria-selected="true"]')).toHaveAttribute(
    'aria-rowindex',
    String(13 * 5 + 1),
  )
  await page.keyboard.press('/')
  await expect(page.getByLabel('Filter locations')).toBeFocused()
  await page.keyboard.type('tokyo')
  await expect(grid.getByRole('row').nth(1)).toContainText('Tokyo')
  await page.keyboard.press('Escape')
  await expect(grid).toHaveAttribute('aria-rowcount', String(13 * 5 + 1))
})

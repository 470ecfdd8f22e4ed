/** Pins and notes; deleting and restoring; clearing; and the limits in Settings. */
import { expectNoViolations } from './accessible.ts'
import { expect, listOf, rowsWith, test, type App } from './fixtures.ts'

async function seed(app: App, count: number, filler = '') {
  const hook = await app.importHook('transaction.auth', 'payments')
  for (let index = 0; index < count; index++)
    await app.deliver(hook, `{"n":${index},"filler":"${filler}"}`)
  await expect(listOf(app.page)).toHaveAttribute('aria-rowcount', String(count + 1))
  await listOf(app.page).focus()
}

const rows = ({ page }: App) => listOf(page).getByRole('row')
/** A row by position: the newest is 0, and the header is separate. */
const rowAt = (app: App, index: number) => app.page.locator(`[aria-rowindex="${index + 2}"]`)
const toast = ({ page }: App, text: string) => page.getByText(text, { exact: true })

test('a delivery is pinned and given a note, which its row shows and a search finds', async ({
  app,
}) => {
  await seed(app, 3)
  const { page } = app
  await page.keyboard.press('j')
  await page.keyboard.press('p')
  await expect(rowAt(app, 0)).toContainText('pinned')
  await page.keyboard.press('ControlOrMeta+z')
  await expect(rowAt(app, 0)).not.toContainText('pinned')
  await page.keyboard.press('p')
  await expect(rowAt(app, 0)).toContainText('pinned')
  await page.keyboard.press('e')
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.getByLabel('Note', { exact: true }).fill('Nadia asked about this one')
  await expectNoViolations(app, 'the note')
  await page.keyboard.press('ControlOrMeta+Enter')
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(rowAt(app, 0)).toContainText('Nadia asked')
  await page.keyboard.press('Enter')
  const detail = page.getByRole('region', { name: 'Delivery' })
  await expect(detail).toContainText('Nadia asked about this one')
  await expectNoViolations(app, 'a delivery with marks')
  await page.getByLabel('Filter deliveries').fill('is:pinned note:nadia')
  await expect(page.getByTestId('count')).toHaveText('1 of 3')
})

test('the selection is deleted, and restored with the button or the key', async ({ app }) => {
  await seed(app, 4)
  const { page } = app
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await expect(page.getByText('2 selected')).toBeVisible()
  await expectNoViolations(app, 'deliveries selected')
  await page.keyboard.press('Delete')
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '3')
  await expect(toast(app, '2 deliveries deleted')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '5')

  // A newer notice replaces the older one, and undo still reaches both deletions.
  await listOf(page).focus()
  for (const left of ['4', '3']) {
    await page.keyboard.press('j')
    await page.keyboard.press('Delete')
    await expect(listOf(page)).toHaveAttribute('aria-rowcount', left)
    await expect(toast(app, '1 delivery deleted')).toHaveCount(1)
  }
  await expect(page.getByRole('button', { name: 'Undo' })).toHaveCount(1)
  for (const left of ['4', '5']) {
    await page.keyboard.press('ControlOrMeta+z')
    await expect(listOf(page)).toHaveAttribute('aria-rowcount', left)
  }
})

test('a pinned delivery is deleted only after a confirmation, and clearing keeps it', async ({
  app,
}) => {
  await seed(app, 3)
  const { page } = app
  await page.keyboard.press('j')
  await page.keyboard.press('p')
  await expect(rowAt(app, 0)).toContainText('pinned')
  await page.keyboard.press('Delete')
  await expect(page.getByRole('dialog', { name: 'Delete pinned delivery?' })).toBeVisible()
  await expectNoViolations(app, 'the question')
  await page.keyboard.press('Escape')
  // Keys pressed while the dialog closes go to the dialog.
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '4')
  await page.keyboard.press('ControlOrMeta+Shift+Backspace')
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '2')
  await expect(rowsWith(page, 'pinned')).toHaveCount(1)
  await expect(toast(app, '2 deliveries deleted')).toBeVisible()
  await expect(page.getByText('1 delivery is pinned and was kept.')).toBeVisible()

  await listOf(page).focus()
  await page.keyboard.press('j')
  await page.keyboard.press('Delete')
  await page.getByRole('button', { name: 'Delete 1 delivery' }).click()
  await expect(rows(app)).toHaveCount(0)
  await expectNoViolations(app, 'deleted')
})

test('a limit shows what it would remove, is saved, and removes it; Storage shows the sizes', async ({
  app,
}) => {
  await seed(app, 5, 'x'.repeat(200_000))
  const { page } = app
  await page.keyboard.press('g')
  await page.keyboard.press(',')
  await page.getByRole('button', { name: 'Retention' }).click()
  const limits = page.getByRole('form', { name: 'Retention limits' })
  await limits.getByLabel('Deliveries').fill('0')
  await expect(limits.getByRole('button', { name: 'Save limits' })).toBeDisabled()
  await expectNoViolations(app, 'a limit that cannot be set')
  await limits.getByLabel('Deliveries').fill('2')
  await expect(limits.getByRole('status')).toHaveText('Removes 3 deliveries now.')
  await expectNoViolations(app, 'limits')
  await limits.getByRole('button', { name: 'Save limits' }).click()
  await page.keyboard.press('g')
  await page.keyboard.press('d')
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '3')
  await page.keyboard.press('g')
  await page.keyboard.press(',')
  await expect(limits.getByLabel('Deliveries')).toHaveValue('2')
  await page
    .getByRole('navigation', { name: 'Settings sections' })
    .getByRole('button', { name: 'Storage' })
    .click()
  await expect(page.getByText(/free for reuse$/)).toBeVisible()
})

test('a notice covers no control, at 1440 and at 900 pixels with a delivery open', async ({
  app,
}) => {
  await seed(app, 24)
  const { page } = app
  for (const width of [1440, 900]) {
    await page.setViewportSize({ width, height: 700 })
    await listOf(page).focus()
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.keyboard.press('x')
    await page.keyboard.press('j')
    await page.keyboard.press('Delete')
    // The replaced notice stays in the page, hidden.
    await expect(toast(app, '1 delivery deleted').filter({ visible: true })).toHaveCount(1)
    // Only the ticked delivery is deleted: the open one stays open.
    await expect(page.getByRole('tab', { name: 'Signature' })).toBeVisible()
    const covered = await page.evaluate(() => {
      const strip = document.querySelector('[role="region"][aria-label="Notifications"]')
      const area = strip?.getBoundingClientRect()
      if (area === undefined || area.height === 0) return ['no notice']
      const control =
        'button, a, input, textarea, [tabindex], [role="row"], [role="tab"], [role="separator"]'
      const found = new Set<string>()
      for (let x = area.left + 4; x < area.right; x += 16)
        for (let y = area.top + 2; y < area.bottom; y += 4)
          for (const element of document.elementsFromPoint(x, y)) {
            const hit = element.closest(control)
            if (hit !== null && strip?.contains(hit) === false)
              found.add(hit.outerHTML.slice(0, 120))
          }
      return [...found]
    })
    expect(covered, `${width} pixels`).toEqual([])
  }
})

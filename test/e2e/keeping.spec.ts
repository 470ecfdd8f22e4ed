/** Pins and notes; deleting and restoring; clearing; and the limits in Settings. */
import { buttonIn, click, deliveryIn, dialogIn, fill, groupIn, press, tabIn } from './controls.ts'
import { expect, listOf, rowsWith, test, type App } from './fixtures.ts'

async function seed(app: App, count: number, filler = '') {
  const hook = await app.importHook('transaction.auth', 'payments')
  for (let index = 0; index < count; index++)
    await app.deliver(hook, `{"n":${index},"filler":"${filler}"}`)
  await expect(listOf(app.page)).toHaveAttribute('aria-rowcount', String(count + 1))
  await listOf(app.page).focus()
}

const rows = ({ page }: App) => listOf(page).getByRole('row')
/** Finds a row by position: the newest is 0, and the header is separate. */
const rowAt = (app: App, index: number) => app.page.locator(`[aria-rowindex="${index + 2}"]`)
const toast = ({ page }: App, text: string) => page.getByText(text, { exact: true })

test('a delivery is pinned and given a note, which its row shows and a search finds; it is deleted only after a confirmation, and clearing keeps it', async ({
  app,
  page,
}) => {
  await seed(app, 3)
  await press(page, 'j', 'p')
  await expect(rowAt(app, 0)).toContainText('pinned')
  await press(page, 'ControlOrMeta+z')
  await expect(rowAt(app, 0)).not.toContainText('pinned')
  await press(page, 'p')
  await expect(rowAt(app, 0)).toContainText('pinned')
  await press(page, 'e')
  await expect(page.getByRole('dialog')).toBeVisible()
  await fill(page, 'Note', 'Nadia asked about this one', { exact: true })
  // Escape discards nothing.
  await press(page, 'Escape')
  await expect(page.getByRole('dialog')).toBeHidden()
  await press(page, 'e')
  await expect(page.getByLabel('Note', { exact: true })).toHaveValue('Nadia asked about this one')
  await press(page, 'ControlOrMeta+Enter')
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(rowAt(app, 0)).toContainText('Nadia asked')
  await press(page, 'Enter')
  const detail = deliveryIn(page)
  await expect(detail).toContainText('Nadia asked about this one')
  await fill(page, 'Filter deliveries', 'is:pinned note:nadia')
  await expect(page.getByTestId('count')).toHaveText('1 of 3')

  await fill(page, 'Filter deliveries', '')
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '4')
  await listOf(page).focus()
  await press(page, 'Home', 'Delete')
  await expect(dialogIn(page, 'Delete pinned delivery?')).toBeVisible()
  await press(page, 'Escape')
  // Keys pressed while the dialog closes go to the dialog.
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '4')
  await press(page, 'ControlOrMeta+Shift+Backspace')
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '2')
  await expect(rowsWith(page, 'pinned')).toHaveCount(1)
  await expect(toast(app, '2 deliveries deleted')).toBeVisible()
  await expect(page.getByText('1 delivery is pinned and was kept.')).toBeVisible()

  await listOf(page).focus()
  await press(page, 'j', 'Delete')
  await click(page, 'Delete 1 delivery')
  await expect(rows(app)).toHaveCount(0)
})

test('the selection is deleted, and restored with the button; a notice covers no control, at 1440 and at 900 pixels with a delivery open', async ({
  app,
  page,
}) => {
  await seed(app, 24)
  await press(page, 'j', 'x', 'j', 'x')
  await expect(page.getByText('2 selected')).toBeVisible()
  await press(page, 'Delete')
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '23')
  await expect(toast(app, '2 deliveries deleted')).toBeVisible()
  await click(page, 'Undo')
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '25')

  for (const width of [1440, 900]) {
    await page.setViewportSize({ width, height: 700 })
    await listOf(page).focus()
    await press(page, 'j', 'Enter', 'x', 'j', 'Delete')
    // The replaced notice stays in the page, hidden.
    await expect(toast(app, '1 delivery deleted').filter({ visible: true })).toHaveCount(1)
    // Only the ticked delivery is deleted: the open one stays open.
    await expect(tabIn(page, 'Signature')).toBeVisible()
    const covered = await page.evaluate(async () => {
      // The window makes room for the notice when the frame is drawn.
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
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

test('a limit shows what it would remove, is saved, and removes it; Storage shows the sizes', async ({
  app,
  page,
}) => {
  await seed(app, 5, 'x'.repeat(200_000))
  await press(page, 'g', ',')
  await click(page, 'Retention')
  const limits = page.getByRole('form', { name: 'Retention limits' })
  await fill(limits, 'Deliveries', '0')
  await expect(buttonIn(limits, 'Save limits')).toBeDisabled()
  await fill(limits, 'Deliveries', '2')
  await expect(limits.getByRole('status')).toHaveText('Removes 3 deliveries now.')
  await click(limits, 'Save limits')
  await press(page, 'g', 'd')
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '3')
  await press(page, 'g', ',')
  await expect(limits.getByLabel('Deliveries')).toHaveValue('2')
  await click(page.getByRole('navigation', { name: 'Settings sections' }), 'Storage')
  await expect(page.getByText(/free for reuse$/)).toBeVisible()
  await expect(groupIn(page, 'Space used')).toContainText(/Total[\d.]+ MB/)
})

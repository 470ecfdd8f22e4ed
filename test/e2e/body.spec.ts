import { brotliCompressSync } from 'node:zlib'
import { samplePayloads } from '../support/sample-payloads.ts'
import { buttonIn, click, menuItemIn, press, tabIn } from './controls.ts'
import { expect, openRow, test, type App } from './fixtures.ts'

const sample = samplePayloads['transaction.auth'] as Record<string, unknown>

async function openBody(app: App, text: string) {
  const detail = await openRow(app.page, text)
  await tabIn(detail, 'Body').click()
  const tree = detail.getByRole('tree', { name: 'Body' })
  return {
    detail,
    tree,
    item: (name: string | RegExp) => tree.getByRole('treeitem').filter({ hasText: name }),
  }
}

test('the tree can be navigated, folded, copied from and filtered by with the keyboard', async ({
  app,
  page,
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await app.send(
    '/h/tree',
    '{"card":{"lastNumbers":"4001","a b":[10.00,20]},"amount":12.50,"currency":"GBP"}',
  )
  const { detail, tree, item } = await openBody(app, '/h/tree')
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
  await expect(tree.getByRole('treeitem')).toHaveCount(8)
  await tree.focus()
  await press(page, 'ArrowDown', 'ArrowLeft')
  await expect(tree.getByRole('treeitem')).toHaveCount(4)
  await expect(item('"card"')).toHaveAttribute('aria-expanded', 'false')
  await press(page, 'ArrowRight', 'ArrowRight')
  await expect(item('"lastNumbers"')).toHaveAttribute('aria-selected', 'true')
  await press(page, 'Control+c')
  await expect.poll(clipboard).toBe('4001')
  await press(page, 'C')
  await expect.poll(clipboard).toBe('card.lastNumbers')
  await press(page, 'ArrowDown', 'ArrowDown', 'C')
  await expect.poll(clipboard).toBe('$.card["a b"][0]')
  await click(detail, 'Copy as sent')
  await expect.poll(clipboard).toBe('10.00')
  await tree.focus()
  await press(page, 'Home', 'Shift+ArrowLeft')
  await expect(tree.getByRole('treeitem')).toHaveCount(1)
  await press(page, '*')
  await expect(tree.getByRole('treeitem')).toHaveCount(8)
  await item('"lastNumbers"').click({ button: 'right' })
  await menuItemIn(page, 'Filter by this').click()
  await expect(page.getByLabel('Filter deliveries')).toHaveValue('card.lastNumbers:4001')
})

test('findings, missing and new fields appear in place, amounts and times are explained; invalid JSON names the position; a compressed body is decoded', async ({
  app,
  page,
}) => {
  const hook = await app.importHook('transaction.auth', 'purchases')
  await app.deliver(hook, JSON.stringify(sample))
  const { programId: _, ...rest } = sample
  await app.deliver(
    hook,
    JSON.stringify({ ...rest, cardPresent: 'yes', amount: 1050, currency: 'EUR', loyalty: 1 }),
  )
  await expect(page.getByRole('row', { name: /transaction\.auth/ })).toHaveCount(2)
  const { detail, tree, item } = await openBody(app, 'transaction.auth')
  await expect(item('programId').filter({ hasText: 'Missing required field' })).toBeVisible()
  await expect(tree.getByText('must be true or false')).toBeVisible()
  await expect(item('"amount"')).toContainText('EUR 1,050.00 · EUR 10.50 if in minor units')
  await expect(item('"datetime"')).toContainText('no time zone; the location is in Europe/London')
  await expect(item('"loyalty"')).toContainText('new')
  await expect(item('"currency"')).not.toContainText('new')
  // The meaning of a value ends in view; only values scroll.
  const view = page.viewportSize() ?? { width: 1280, height: 800 }
  await page.setViewportSize({ width: 900, height: view.height })
  const edge = await tree.boundingBox()
  for (const words of ['must be true or false', 'no time zone; the location']) {
    const box = await tree.getByText(words).first().boundingBox()
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(
      (edge?.x ?? 0) + (edge?.width ?? 0) + 1,
    )
  }
  await page.setViewportSize(view)
  await buttonIn(detail, 'spec 2.6').first().click()
  await expect(page.getByRole('dialog')).toContainText('section 2.6')
  await press(page, 'Escape')

  const lines = Array.from({ length: 200 }, (_none, index) => `  "field${index}": ${index},`)
  await app.send('/h/stops', ['{', ...lines, '  "last": 1,', '}'].join('\n'))
  await openBody(app, '/h/stops')
  await expect(detail.getByText('Not JSON, shown as sent')).toBeVisible()
  await expect(detail.getByText('Invalid JSON at 203:1: unexpected }.')).toBeVisible()
  const mark = detail.locator('.cm-problem')
  await expect(mark).toBeHidden()
  await click(detail, 'Go to error')
  await expect(mark).toHaveText('}')
  await detail.getByText('As sent', { exact: true }).click()
  await expect(mark).toBeHidden()
  await detail.getByText('Formatted', { exact: true }).click()
  const json = JSON.stringify({ name: 'café', filler: 'x'.repeat(4_000) })
  await app.send('/h/br', brotliCompressSync(json), [['content-encoding', 'br']])
  await openBody(app, '/h/br')
  await detail.getByText('Tree', { exact: true }).click()
  await expect(detail.getByText(/^Decoded from br: \d+ B → 4\.0 kB\.$/)).toBeVisible()
  await expect(item('"name"')).toContainText('"café"')
  await click(detail, 'Show as received')
  await expect(detail.getByText(/^As received, compressed with br: \d+ B\.$/)).toBeVisible()
})

test('search from the tree finds folded values; keys switch view and wrapping; a selection is copied exactly', async ({
  app,
  page,
}) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const sent = `{"a": {"b":{"needle":"hay Needle\u202e\u200b hay"}},\r\n"list":["needle",10.00]}`
  await app.send('/h/search', sent)
  const { detail, tree } = await openBody(app, '/h/search')
  await expect(tree.getByTitle('zero-width space')).toHaveText('\\u{200b}')
  await click(detail, 'Collapse all')
  await tree.focus()
  await press(page, 'Control+f')
  const field = detail.getByRole('textbox', { name: 'Search', exact: true })
  await expect(field).toBeFocused()
  await expect(detail.getByRole('radio', { name: 'Formatted' })).toBeChecked()
  await page.keyboard.type('needle')
  await expect(detail.locator('.cm-searchMatch')).toHaveCount(3)
  await press(page, 'Enter', 'Enter')
  await expect(detail.locator('.cm-searchMatch-selected')).toHaveText(/needle/i)
  await press(page, 'Escape')
  await expect(field).toBeHidden()
  await press(page, 't')
  await expect(detail.getByRole('radio', { name: 'As sent' })).toBeChecked()
  await expect(detail.getByText('\\u{202e}')).toBeVisible()
  await detail.getByRole('textbox', { name: 'Body', exact: true }).click()
  await press(page, 'ControlOrMeta+a', 'ControlOrMeta+c')
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(sent)
  await press(page, 'w')
  await expect(buttonIn(detail, 'Wrap lines')).toBeVisible()
})

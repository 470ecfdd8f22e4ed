/** Reading a body: the tree by keyboard, findings in place, copying, searching, filtering, decoding, and bodies of any size. */
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { samplePayloads } from '../support/sample-payloads.ts'
import { expectNoViolations } from './accessible.ts'
import { expect, openRow, test, type App } from './fixtures.ts'

const sample = samplePayloads['transaction.auth'] as Record<string, unknown>

async function openBody(app: App, text: string) {
  const detail = await openRow(app.page, text)
  await detail.getByRole('tab', { name: 'Body' }).click()
  const tree = detail.getByRole('tree', { name: 'Body' })
  return {
    detail,
    tree,
    item: (name: string | RegExp) => tree.getByRole('treeitem').filter({ hasText: name }),
  }
}

test('the tree can be navigated, folded, copied from and filtered by with the keyboard', async ({
  app,
}) => {
  const { page } = app
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await app.send(
    '/h/tree',
    '{"card":{"lastNumbers":"4001","a b":[10.00,20]},"amount":12.50,"currency":"GBP"}',
  )
  const { detail, tree, item } = await openBody(app, '/h/tree')
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText())
  await expect(tree.getByRole('treeitem')).toHaveCount(8)
  await tree.focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowLeft')
  await expect(tree.getByRole('treeitem')).toHaveCount(4)
  await expect(item('"card"')).toHaveAttribute('aria-expanded', 'false')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect(item('"lastNumbers"')).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Control+c')
  await expect.poll(clipboard).toBe('4001')
  await page.keyboard.press('C')
  await expect.poll(clipboard).toBe('card.lastNumbers')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('C')
  await expect.poll(clipboard).toBe('$.card["a b"][0]')
  await detail.getByRole('button', { name: 'Copy as sent, with quotes and escapes' }).click()
  await expect.poll(clipboard).toBe('10.00')
  await tree.focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('Shift+ArrowLeft')
  await expect(tree.getByRole('treeitem')).toHaveCount(1)
  await page.keyboard.press('*')
  await expect(tree.getByRole('treeitem')).toHaveCount(8)
  await item('"lastNumbers"').click({ button: 'right' })
  await page.getByRole('menuitem', { name: 'Filter by this' }).click()
  await expect(page.getByLabel('Filter deliveries')).toHaveValue('card.lastNumbers:4001')
})

test('findings, missing fields and new fields appear in place; amounts and times are explained', async ({
  app,
}) => {
  const hook = await app.importHook('transaction.auth', 'purchases')
  await app.deliver(hook, JSON.stringify(sample))
  const { programId: _, ...rest } = sample
  await app.deliver(
    hook,
    JSON.stringify({ ...rest, cardPresent: 'yes', amount: 1050, currency: 'EUR', loyalty: 1 }),
  )
  await expect(app.page.getByRole('row', { name: /transaction\.auth/ })).toHaveCount(2)
  const { detail, tree, item } = await openBody(app, 'transaction.auth')
  await expect(item('programId').filter({ hasText: 'Missing required field' })).toBeVisible()
  const rows = await tree.getByRole('treeitem').allTextContents()
  const place = (text: string) => rows.findIndex((row) => row.includes(text))
  expect(place('Missing required field programId')).toBe(place('"accountId"') + 1)
  expect(place('must be true or false')).toBe(place('"cardPresent"') + 1)
  await expect(item('"amount"')).toContainText('EUR 1,050.00 · EUR 10.50 if in minor units')
  await expect(item('"datetime"')).toContainText('no time zone; the location is in Europe/London')
  await expect(item('"loyalty"')).toContainText('new')
  await expect(item('"currency"')).not.toContainText('new')
  await expectNoViolations(app, 'tree with findings')
  await detail.getByRole('button', { name: 'spec 2.6' }).first().click()
  await expect(app.page.getByRole('dialog')).toContainText('section 2.6')
})

test('search looks into folded parts and every text view; keys switch view and wrapping', async ({
  app,
}) => {
  const { page } = app
  await app.send(
    '/h/search',
    JSON.stringify({ a: { b: { needle: 'hay Needle hay' } }, list: ['needle'] }),
  )
  const { detail, tree, item } = await openBody(app, '/h/search')
  await detail.getByRole('button', { name: 'Collapse all' }).click()
  await tree.focus()
  await page.keyboard.press('Control+f')
  const field = detail.getByRole('textbox', { name: 'Search body' })
  await field.fill('needle')
  await expect(detail.getByText('1 of 3')).toBeVisible()
  await expect(item('"needle"').first()).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Shift+Enter')
  await expect(detail.getByText('3 of 3')).toBeVisible()
  await expectNoViolations(app, 'search')
  await page.keyboard.press('Escape')
  await expect(field).toBeHidden()
  await page.keyboard.press('t')
  await expect(detail.getByRole('radio', { name: 'Formatted' })).toBeChecked()
  await page.keyboard.press('t')
  await expect(detail.getByRole('radio', { name: 'As sent' })).toBeChecked()
  await page.keyboard.press('w')
  await expect(detail.getByRole('button', { name: 'Wrap lines' })).toBeVisible()
  await page.keyboard.press('t')
  await expect(detail.getByRole('radio', { name: 'Hex' })).toBeChecked()
  await page.keyboard.press('t')
  await expect(tree).toBeVisible()
})

test('invalid JSON names the position, marks the character, and scrolls to it', async ({ app }) => {
  const lines = Array.from({ length: 200 }, (_, index) => `  "field${index}": ${index},`)
  await app.send('/h/stops', ['{', ...lines, '  "last": 1,', '}'].join('\n'))
  const { detail } = await openBody(app, '/h/stops')
  await expect(detail.getByText('Not JSON, shown as sent')).toBeVisible()
  await expect(detail.getByText('Invalid JSON at 203:1: unexpected }')).toBeVisible()
  const mark = detail.getByTitle('Invalid JSON from here')
  await expect(mark).toBeHidden()
  await detail.getByRole('button', { name: 'Go to error' }).click()
  await expect(mark).toHaveText('}')
  await expectNoViolations(app, 'a body that stops being JSON')
  await detail.getByText('As sent', { exact: true }).click()
  await expect(mark).toBeHidden()
  await detail.getByText('Formatted', { exact: true }).click()
  await app.send('/h/early', '{"a":[1,')
  await openBody(app, '/h/early')
  await expect(detail.getByText('Incomplete JSON: ends at 1:9')).toBeVisible()
})

test('a compressed body is decoded, its raw bytes stay available, and a decompression bomb stops early', async ({
  app,
}) => {
  const json = JSON.stringify({ name: 'café', filler: 'x'.repeat(4_000) })
  await app.send('/h/br', brotliCompressSync(json), [['content-encoding', 'br']])
  const { detail, item } = await openBody(app, '/h/br')
  await expect(detail.getByText(/^Decoded from br: \d+ B → 4\.0 kB\.$/)).toBeVisible()
  await expect(item('"name"')).toContainText('"café"')
  await detail.getByRole('button', { name: 'Show as received' }).click()
  await expect(detail.getByText(/^As received, compressed with br: \d+ B\.$/)).toBeVisible()
  await app.send('/h/bomb', gzipSync(Buffer.alloc(200_000_000)), [['content-encoding', 'gzip']])
  await openBody(app, '/h/bomb')
  await expect(detail.getByText('Decoding stopped after', { exact: false })).toBeVisible()
  await app.send('/h/lie', '{"a":1}', [['content-encoding', 'gzip']])
  await openBody(app, '/h/lie')
  await expect(detail.getByText("This isn't gzip (", { exact: false })).toBeVisible()
  await expect(item('"a"')).toBeVisible()
  await app.send('/h/unnamed', gzipSync(json))
  await openBody(app, '/h/unnamed')
  await expect(
    detail.getByText('No content-encoding names it, but this is gzip.', { exact: false }),
  ).toBeVisible()
  await expect(item('"name"')).toContainText('"café"')
})

/** Why a signature is invalid: the cause, trying secrets and URLs, a developer's own digest, and the verification program. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { secretKey, signDelivery } from '../../src/core/signature/sign.ts'
import { expectNoViolations } from './accessible.ts'
import { expect, newerOf, openRow, rowsWith, test, type App } from './fixtures.ts'

const BODY = '{"amount":10.00,"name":"Café"}'
const SECTIONS = [
  'Try another secret or URL',
  'Does your code compute another digest?',
  'Verify in your code',
] as const

/** A delivery signed with an unknown secret, at a fixed time. */
async function deliverSignedElsewhere(app: App, secret: string) {
  const hook = await app.importHook('transaction.auth', 'diagnosis')
  const timestamp = String(Date.now())
  const sign = (key: string) =>
    signDelivery({ body: Buffer.from(BODY), url: hook.url, timestamp, key: secretKey(key) })
  await app.deliver({ ...hook, secret }, BODY, { timestamp })
  return { hook, right: sign(hook.secret), other: sign(secret) }
}

async function openSection(app: App, name: (typeof SECTIONS)[number]) {
  await app.page.getByRole('button', { name }).click()
}

test("an unknown secret can be tried, and isn't stored", async ({ app }) => {
  const { page } = app
  await deliverSignedElsewhere(app, 'another-secret-4711')
  const detail = await openRow(page, 'Invalid')
  await expect(detail.getByText("Signature doesn't match this hook's secret.")).toBeVisible()
  await openSection(app, 'Try another secret or URL')
  await expect(detail.getByRole('button', { name: 'Verify', exact: true })).toBeDisabled()
  await detail.getByLabel('Secret', { exact: true }).fill('wrong-secret')
  await page.keyboard.press('Enter')
  await expect(detail.getByText('Not valid with this secret and URL.')).toBeVisible()
  await detail.getByLabel('Secret', { exact: true }).fill('another-secret-4711')
  await detail.getByRole('button', { name: 'Verify', exact: true }).click()
  await expect(detail.getByText('Valid with these values.')).toBeVisible()
  await expect(detail.getByText('Identical.')).toBeVisible()
  // The typed text is gone after closing and reopening, and for another delivery.
  await openSection(app, 'Try another secret or URL')
  await openSection(app, 'Try another secret or URL')
  await expect(detail.getByLabel('Secret', { exact: true })).toHaveValue('')
  expect(
    await page.evaluate(() =>
      JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
    ),
  ).not.toContain('4711')
  expect(() => execFileSync('grep', ['-rqa', 'another-secret-4711', app.dataFolder])).toThrow()
})

test('the verification program runs as shown', async ({ app }) => {
  const hook = await app.importHook('transaction.auth', 'program')
  await app.deliver(hook, BODY)
  const detail = await openRow(app.page, 'Valid')
  await openSection(app, 'Verify in your code')
  await expect(detail.getByLabel('Program in Node')).toContainText('WEBHOOK_SECRET')
  const program = await detail.getByLabel('Program in Node').textContent()
  const folder = mkdtempSync(join(tmpdir(), 'countersign-program-'))
  try {
    const file = join(folder, 'verify.mjs')
    writeFileSync(file, program ?? '')
    const env = { ...process.env, WEBHOOK_SECRET: hook.secret }
    expect(execFileSync(process.execPath, [file], { env, encoding: 'utf8' })).toBe('valid\n')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  await detail.getByText('Python', { exact: true }).click()
  await expect(detail.getByLabel('Program in Python')).toContainText('hmac.compare_digest')
  expect(await detail.textContent()).not.toContain(hook.secret)
})

test('v verifies again, with the hooks known by then', async ({ app }) => {
  const { page } = app
  const slug = 'later'
  await app.deliver(
    { url: `${app.receiver}/h/${slug}`, secret: `secret-of-${slug}-0123456789` },
    BODY,
  )
  const detail = await openRow(page, 'Unknown hook')
  await detail.getByRole('tab', { name: 'Body' }).click()
  await page.keyboard.press('v')
  await expect(
    detail.getByText(/^Verified again at .*: still without a matching hook\.$/),
  ).toBeVisible()
  await app.importHook('transaction.auth', slug)
  await page.keyboard.press('v')
  await expect(
    detail.getByText(/now valid, signed with the transaction\.auth hook's secret/),
  ).toBeVisible()
  await expect(detail.getByRole('heading', { name: 'Unknown hook' })).toBeVisible()
})

/** A complete transaction.auth with one required field less. */
const FLAWED = JSON.stringify({
  amount: 10,
  currency: 'GBP',
  datetime: '2026-01-01T10:00:00',
  auth: true,
})

test("each action of the Overview's summary does what its button says", async ({ app }) => {
  const { page } = app
  const own = await app.importHook('transaction.auth', 'own')
  const detail = page.getByRole('region', { name: 'Delivery', exact: true })
  const summary = detail.getByRole('region', { name: 'Summary' })
  const dialog = page.getByRole('dialog')
  const rows = rowsWith(page, /Valid|Invalid|Unsigned|Unknown/)
  const act = async (button: string | RegExp) => {
    await rows.first().click()
    await detail.getByRole('tab', { name: 'Overview' }).click()
    await summary.getByRole('button', { name: button }).click()
  }
  const close = async () => {
    await page.keyboard.press('Escape')
    await expect(dialog).toBeHidden()
  }
  /** While a delivery is open, the list holds still. */
  const arrives = async (sent: Promise<number>, count: number) => {
    await sent
    await newerOf(page).click()
    await expect(rows).toHaveCount(count)
  }

  await app.deliver(own, BODY, { url: `${own.url}/` })
  await expect(rows).toHaveCount(1)
  await act('Update hook URL…')
  await expect(dialog.getByLabel('URL', { exact: true })).toHaveValue(`${own.url}/`)
  await close()

  const elsewhere = { url: `${app.receiver}/h/elsewhere`, secret: 'secret-of-elsewhere-0123456789' }
  await arrives(app.deliver(elsewhere, BODY), 2)
  await act('Import the hook…')
  await expect(dialog.getByLabel('Registered URL')).toHaveValue(elsewhere.url)
  await close()

  await arrives(app.deliver(own, FLAWED), 3)
  await act('Show in body')
  await expect(detail.getByRole('tab', { name: 'Body' })).toHaveAttribute('aria-selected', 'true')
  await expect(detail.getByRole('tree')).toBeVisible()

  await arrives(app.send('/h/own', BODY), 4)
  await act('Send a signed sample')
  await newerOf(page).click()
  await expect(rows.first()).toContainText('Valid')
})

test.describe('in the light theme, 900 px wide', () => {
  test.use({
    look: { colorScheme: 'light', viewport: { width: 900, height: 900 }, reducedMotion: 'reduce' },
  })

  test('every section is accessible and fits the pane', async ({ app }) => {
    const { right } = await deliverSignedElsewhere(app, 'another-secret-4711')
    const detail = await openRow(app.page, 'Invalid')
    for (const name of SECTIONS) await openSection(app, name)
    await detail.getByLabel('Secret', { exact: true }).fill('x')
    await detail.getByRole('button', { name: 'Verify', exact: true }).click()
    await expect(detail.getByText('Not valid with this secret and URL.')).toBeVisible()
    await detail.getByLabel("Your code's digest").fill(right.signature.slice(0, 20))
    await detail.getByRole('button', { name: 'Explain digest' }).click()
    await expect(detail.getByText('encoding:cut')).toBeVisible()
    await app.page.getByRole('button', { name: 'Verify again with current hooks' }).click()
    await expect(detail.getByText('Verified again at')).toBeVisible()
    await expectNoViolations(app, 'signature')
    const scroller = detail.getByRole('group', { name: 'Signature' })
    expect(await scroller.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
  })
})

/** Why a signature is invalid: the cause, trying secrets and URLs, a developer's own digest, and the verification program. */
import { execFileSync } from 'node:child_process'
import { secretKey, signDelivery } from '../../src/core/signature/sign.ts'
import { buttonIn, click, fill, groupIn, headingIn, press, regionIn, tabIn } from './controls.ts'
import { expect, openRow, test, type App } from './fixtures.ts'

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
  await click(app.page, name)
}

test("an unknown secret can be tried, and isn't stored", async ({ app, page }) => {
  await deliverSignedElsewhere(app, 'another-secret-4711')
  const detail = await openRow(page, 'Invalid')
  await expect(detail.getByText("Signature doesn't match this hook's secret")).toBeVisible()
  await openSection(app, 'Try another secret or URL')
  await expect(buttonIn(detail, 'Verify', { exact: true })).toBeDisabled()
  await fill(detail, 'Secret', 'wrong-secret', { exact: true })
  await press(page, 'Enter')
  await expect(detail.getByText('Not valid with this secret and URL.')).toBeVisible()
  await fill(detail, 'Secret', 'another-secret-4711', { exact: true })
  await click(detail, 'Verify', { exact: true })
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

test('the verification program is shown for each language, without the secret', async ({
  app,
  page,
}) => {
  const hook = await app.importHook('transaction.auth', 'program')
  await app.deliver(hook, BODY)
  const detail = await openRow(page, 'Valid')
  await openSection(app, 'Verify in your code')
  await expect(detail.getByLabel('Program in Node')).toContainText('WEBHOOK_SECRET')
  await detail.getByText('Python', { exact: true }).click()
  await expect(detail.getByLabel('Program in Python')).toContainText('hmac.compare_digest')
  expect(await detail.textContent()).not.toContain(hook.secret)
})

test('v verifies again, with the hooks known by then', async ({ app, page }) => {
  const slug = 'later'
  await app.deliver(
    { url: `${app.receiver}/h/${slug}`, secret: `secret-of-${slug}-0123456789` },
    BODY,
  )
  const detail = await openRow(page, 'Unknown hook')
  await tabIn(detail, 'Body').click()
  await press(page, 'v')
  const notices = regionIn(page, 'Notifications')
  await expect(notices.getByText('Verified again: still without a matching hook')).toBeVisible()
  await app.importHook('transaction.auth', slug)
  await press(page, 'v')
  await expect(notices.getByText('Verified again: now valid')).toBeVisible()
  await expect(
    notices.getByText("Signed with the transaction.auth hook's secret. The original verdict"),
  ).toBeVisible()
  await expect(headingIn(detail, 'Unknown hook')).toBeVisible()
})

test.describe('in the light theme, 900 px wide', () => {
  test.use({
    appearance: {
      colorScheme: 'light',
      viewport: { width: 900, height: 900 },
      reducedMotion: 'reduce',
    },
  })

  test('every section is accessible and fits the pane', async ({ app, page }) => {
    const { right } = await deliverSignedElsewhere(app, 'another-secret-4711')
    const detail = await openRow(page, 'Invalid')
    for (const name of SECTIONS) await openSection(app, name)
    await fill(detail, 'Secret', 'x', { exact: true })
    await click(detail, 'Verify', { exact: true })
    await expect(detail.getByText('Not valid with this secret and URL.')).toBeVisible()
    await fill(detail, "Your code's digest", right.signature.slice(0, 20))
    await click(detail, 'Explain digest')
    await expect(detail.getByText('encoding:cut')).toBeVisible()
    await click(page, 'Verify again with current hooks')
    await expect(page.getByText('Verified again: still invalid')).toBeVisible()
    const scroller = groupIn(detail, 'Signature')
    expect(await scroller.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0)
  })
})

import type { Locator } from '@playwright/test'
import { samplePayloads } from '../support/sample-payloads.ts'
import {
  buttonIn,
  click,
  goTo,
  groupIn,
  headingIn,
  menuItemIn,
  press,
  regionIn,
  tabIn,
} from './controls.ts'
import { expect, openRow, rowsWith, test } from './fixtures.ts'

test('each tab, row and editor of a delivery takes a click', async ({ app, endpoint, page }) => {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const hook = await app.importHook('transaction.auth', 'clicked')
  await app.command('handlers', 'add', 'local', '--url', `${endpoint.origin}/hooks`)
  const { programId: _, ...rest } = samplePayloads['transaction.auth'] as Record<string, unknown>
  await app.deliver(hook, JSON.stringify(rest))
  const detail = await openRow(page, 'transaction.auth', 'Overview')

  // One row: verdict, event, time and ID; then what to do.
  await expect(headingIn(detail, /Valid.*transaction\.auth/)).toBeVisible()
  await click(detail, 'Replay to @local')
  await expect.poll(() => endpoint.requests.length).toBe(1)
  // The failed check and where it is; the passed ones are folded.
  await expect(detail.getByText('1 schema error').first()).toBeVisible()
  const passed = buttonIn(detail, /checks? passed/)
  await expect(passed).toHaveAttribute('aria-expanded', 'false')
  await passed.click()
  await expect(detail.getByRole('list', { name: 'Passed checks' })).toContainText('Signature valid')
  await click(detail, 'Show in body: programId')
  await expect(tabIn(detail, /^Body/)).toHaveAttribute('aria-selected', 'true')

  const tree = detail.getByRole('tree', { name: 'Body' })
  const missing = tree.getByRole('treeitem').filter({ hasText: 'programId' })
  await expect(missing).toHaveAttribute('aria-selected', 'true')
  await tabIn(detail, 'Headers').click()
  await detail.getByRole('rowheader', { name: 'content-type' }).click()
  await tabIn(detail, 'Signature').click()
  await click(detail, 'Verify again with current hooks')
  await expect(regionIn(page, 'Notifications')).toContainText('Verified again: still valid')
  await click(detail, 'Verify in your code')
  await expect(detail.getByLabel('Program in Node')).toContainText('WEBHOOK_SECRET')
  await detail.getByText('Python', { exact: true }).click()
  await expect(detail.getByLabel('Program in Python')).toContainText('hmac.compare_digest')
  expect(await detail.textContent()).not.toContain(hook.secret)

  await tabIn(detail, 'History').click()
  await expect(groupIn(detail, 'History')).toContainText('this delivery')
  const replay = buttonIn(detail, /^Replay: /)
  await expect(replay).toHaveAttribute('aria-expanded', 'true')
  const response = detail.getByRole('textbox', { name: 'Response', exact: true })
  const result = regionIn(detail, 'Result')
  await result.getByText('Request', { exact: true }).click()
  await result.getByRole('textbox', { name: 'Request' }).getByText('POST /hooks').click()
  await expect(response).toHaveCount(0)
  await replay.click()
  await expect(result).toHaveCount(0)
  await buttonIn(groupIn(detail, 'History'), /^Valid/).click()

  await tabIn(detail, 'Raw').click()
  await detail.getByRole('textbox', { name: 'Request', exact: true }).getByText('POST /h').click()
  await detail.getByText('Response', { exact: true }).click()
  await expect(detail.getByText(/^Responded 200/)).toBeVisible()

  await click(detail, 'More', { exact: true })
  await menuItemIn(page, 'Full width').click()
  await expect(page.locator('[inert]')).toHaveCount(1)
  await click(detail, 'Close')
  await expect(detail).toBeHidden()
  await rowsWith(page, 'transaction.auth').first().click()
  await expect(tabIn(detail, 'Raw')).toHaveAttribute('aria-selected', 'true')
})

/** Returns where the line below the bar that a control is in ends, in pixels. */
const lineBelow = (control: Locator) =>
  control.evaluate((element) => {
    let bar = element.parentElement
    while (bar !== null && getComputedStyle(bar).borderBottomWidth === '0px')
      bar = bar.parentElement
    return bar?.getBoundingClientRect().bottom
  })

/** Returns the buttons and links that are lower than 24 pixels. */
const lowTargets = (part: Locator) =>
  part
    .locator('button, a[href], [role=switch]')
    .filter({ visible: true })
    .evaluateAll((all) =>
      all
        .filter((one) => one.getBoundingClientRect().height < 24)
        .map((one) => one.ariaLabel ?? one.textContent),
    )

test("the title of a stale delivery says so, its bar and the list's end at one height, replays name the handler, and line ends of the request are quiet", async ({
  app,
  endpoint,
  page,
}) => {
  const hook = await app.importHook('transaction.auth', 'stale')
  await app.command('handlers', 'add', 'local', '--url', `${endpoint.origin}/hooks`)
  await app.deliver(hook, '{"amount":1.50}', { timestamp: String(Date.now() - 600_000) })
  const detail = await openRow(page, 'Stale', 'Overview')
  const title = headingIn(detail, /Stale.*transaction\.auth/)
  await expect(title).toBeVisible()
  expect(await lowTargets(detail)).toEqual([])
  const bars = [await lineBelow(title), await lineBelow(buttonIn(page, 'Send sample'))]
  expect(bars).toEqual([48, 48])

  await click(detail, 'Replay to @local')
  await tabIn(detail, /^History/).click()
  await expect(buttonIn(detail, /^Replay: /)).toContainText('@local')
  await tabIn(detail, 'Raw').click()
  const request = detail.getByRole('textbox', { name: 'Request', exact: true })
  const lineEnd = request.getByTitle('carriage return').first()
  await expect(lineEnd).toHaveText(String.raw`\r`)
  await expect(lineEnd).toHaveCSS('background-color', 'rgba(0, 0, 0, 0)')
  await request.click()
  await press(page, 'ControlOrMeta+f')
  const search = detail.getByRole('textbox', { name: 'Search' })
  await page.keyboard.type('amount')
  await expect(detail.getByRole('status').filter({ hasText: '1 match' })).toBeVisible()
  const borderOf = (field: Locator) => field.evaluate((one) => getComputedStyle(one).borderTopColor)
  await page.mouse.move(0, 0)
  expect(await borderOf(search)).toBe(await borderOf(page.getByLabel('Filter deliveries')))
  await press(page, 'Escape')

  await click(detail, 'Compare')
  expect(await lineBelow(headingIn(page, 'Compare', { level: 1 }))).toBe(48)
  await goTo(page, 'Settings')
  expect(await lineBelow(headingIn(page, 'Environments', { level: 2 }))).toBe(48)
})

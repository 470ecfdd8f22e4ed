/**
 * The window's error states. These tests change messages between page and core, so they run in a browser, where they can intercept
 * the connection.
 */
import { expectNoViolations, expectNoViolationsInBothThemes } from './accessible.ts'
import { expect, listOf, openRow, rowsWith, test } from './fixtures.ts'
import { hasWire, onTheWire, type Response } from './wire.ts'

test.skip(!hasWire, 'the messages of this host pass no wire')

test("if the store can't be written, the window says so and what happens to deliveries", async ({
  app,
}) => {
  await onTheWire(app.page, (message) => {
    if (message.output?.store !== undefined)
      Object.assign(message.output.store, { state: 'failing', problem: 'The disk is full.' })
    return message
  })
  await expect(app.page.getByText("Couldn't store deliveries.")).toBeVisible()
  await expect(app.page.getByText(/The disk is full\. New deliveries get a 503/)).toBeVisible()
})

test("if the receiver isn't listening, the window says why", async ({ app }) => {
  await onTheWire(app.page, (message) => {
    const problem = 'Port 4783 is taken by node (process 77). Stop it, or choose another port.'
    if (message.output?.receiver !== undefined)
      Object.assign(message.output.receiver, { state: 'failed', url: null, problem })
    return message
  })
  await expect(app.page.getByText("The receiver isn't listening.")).toBeVisible()
  await expect(app.page.getByText(/Port 4783 is taken by node/)).toBeVisible()
  await expect(app.page.getByRole('button', { name: 'Pause capture' })).toHaveCount(0)
  const start = app.page.getByRole('region', { name: 'Get started' })
  await expect(start).not.toContainText('/h/my-hook')
  await start.getByRole('button', { name: 'Change port…' }).click()
  await expect(app.page.getByRole('textbox', { name: 'HTTPS port' })).toBeVisible()
})

test('if no sandbox is running, its screen says so and how to start one', async ({ app }) => {
  const { page } = app
  await onTheWire(page, (message) => {
    if (message.output?.sandbox !== undefined) message.output.sandbox = null
    return message
  })
  await page.getByRole('navigation').getByRole('button', { name: 'Sandbox' }).click()
  await expect(page.getByRole('heading', { name: "The sandbox isn't running" })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Reset…' })).toHaveCount(0)
  await expectNoViolations(app, 'no sandbox')
})

test('slow loading shows a placeholder, and no empty state', async ({ app }) => {
  const seen = Promise.withResolvers<undefined>()
  await onTheWire(app.page, async (message) => {
    await seen.promise
    return message
  })
  await expect(app.page.getByRole('status', { name: 'Loading deliveries' })).toBeVisible()
  await expect(app.page.getByRole('heading', { name: 'Receive your first webhook' })).toHaveCount(0)
  seen.resolve(undefined)
  await expect(app.page.getByRole('heading', { name: 'Receive your first webhook' })).toBeVisible()
})

test('a lost connection keeps the shown data, reconnects automatically, and catches up', async ({
  app,
}) => {
  app.provokes(/net::ERR_FAILED .*\/session$/)
  const hook = await app.importHook('transaction.auth', 'lost')
  await app.deliver(hook, '{"n":1}')
  let blocked = false
  const routes = await onTheWire(app.page, (message) => message)
  await app.page.route('**/session', (route) => (blocked ? route.abort() : route.fallback()))
  await expect(rowsWith(app.page, 'Valid')).toHaveCount(1)
  blocked = true
  await routes.at(-1)?.close()
  await expect(app.page.getByText('Connection lost. Reconnecting…')).toBeVisible()
  // The receiver's state is unknown now, so nothing green claims that it receives.
  await expect(app.page.getByText('Disconnected').first()).toBeVisible()
  await expect(app.page.getByText('Receiving', { exact: true })).toBeHidden()
  await expect(app.page.getByRole('button', { name: 'Pause capture' })).toBeHidden()
  await expect(rowsWith(app.page, 'Valid')).toHaveCount(1)
  await app.deliver(hook, '{"n":2}')
  blocked = false
  await expect(app.page.getByText('Connection lost. Reconnecting…')).toBeHidden()
  await expect(app.page.getByText('Receiving', { exact: true })).toBeVisible()
  await expect(listOf(app.page)).toHaveAttribute('aria-rowcount', '3')
  await app.deliver(hook, '{"n":3}')
  await expect(listOf(app.page)).toHaveAttribute('aria-rowcount', '4')
})

test('an expired session names the command that opens a new one, with the data folder if the page knows it', async ({
  app,
}) => {
  app.provokes(/status of 403 .*\/session$/)
  const routes = await onTheWire(app.page, (message) => message)
  await expect(app.page.getByText('Receiving', { exact: true })).toBeVisible()
  await app.page.route('**/session', (route) => route.fulfill({ status: 403 }))
  await routes.at(-1)?.close()
  await expect(app.page.getByRole('heading', { name: 'Session expired' })).toBeVisible()
  await expect(
    app.page.getByText(`npx countersign open --data '${app.dataFolder}'`, { exact: true }),
  ).toBeVisible()
  await expectNoViolations(app, 'a session that is over')
  await app.page.reload()
  await expect(app.page.getByText('npx countersign open', { exact: true })).toBeVisible()
  await expect(app.page.getByText('add the same option')).toBeVisible()
})

test("nothing claims to be zero before it is counted, and a delivery that can't be loaded offers a retry", async ({
  app,
}) => {
  const { page } = app
  await app.deliver(await app.importHook('transaction.auth', 'broken'), '{"n":1}')
  const counted = Promise.withResolvers<undefined>()
  let fails = true
  await onTheWire(page, async (message) => {
    const has = (member: string) => Object.hasOwn(message.output ?? {}, member)
    if (has('bins')) await counted.promise
    return fails && has('cause')
      ? { ...message, ok: false, output: null, error: { code: 'INTERNAL', message: 'Broken.' } }
      : message
  })
  const legend = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem')
  await expect(legend.first()).toHaveText('Valid')
  expect(await legend.allTextContents()).toEqual([
    'Valid',
    'Stale',
    'Unverified',
    'Invalid',
    'Malformed',
  ])
  counted.resolve(undefined)
  await expect(legend.first()).toHaveText('Valid1')

  await rowsWith(page, 'Valid').first().click()
  const detail = page.getByRole('region', { name: 'Delivery', exact: true })
  await expect(detail.getByRole('heading', { name: "Couldn't load this delivery" })).toBeVisible()
  await expect(detail.getByText('Broken.')).toBeVisible()
  await expectNoViolationsInBothThemes(app, "a delivery that can't be loaded")
  fails = false
  await detail.getByRole('button', { name: 'Try again' }).click()
  await expect(detail.getByRole('heading', { name: /transaction\.auth/ })).toBeVisible()
})

test('a failure stays beside later notices until it is dismissed', async ({ app }) => {
  const { page } = app
  await app.deliver(await app.importHook('transaction.auth', 'kept'), '{"n":1}')
  await openRow(page, 'Valid')
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('blocked'))
    document.execCommand = () => false
  })
  const notices = page.getByRole('region', { name: 'Notifications' })
  const failure = notices.getByText("Couldn't copy", { exact: true })
  await page.keyboard.press('y')
  await expect(failure).toHaveCount(1)
  await page.keyboard.press('y')
  await page.keyboard.press('Delete')
  await expect(notices.getByText('Deleted')).toBeVisible()
  await expect(failure).toHaveCount(1)
  await expect(failure).toBeVisible()
  await expectNoViolations(app, 'a failure beside another notice')
  await notices.getByRole('button', { name: 'Undo' }).click()
  await expect(failure).toBeVisible()
  await notices
    .getByRole('alert')
    .filter({ hasText: "Couldn't copy" })
    .getByRole('button', { name: 'Dismiss' })
    .click()
  await expect(failure).toBeHidden()
  // It can still be read and copied, from the status bar and from the palette.
  const recent = page.getByRole('dialog', { name: 'Recent failures' })
  await page.getByRole('contentinfo').getByRole('button', { name: '1 recent failure' }).click()
  await expect(recent.getByRole('listitem')).toHaveText([
    /^\d\d:\d\d:\d\d.*Couldn't copy \(2 times\)/,
  ])
  await expectNoViolations(app, 'recent failures')
  await page.evaluate(() => {
    navigator.clipboard.writeText = (text) => {
      document.title = text
      return Promise.resolve()
    }
  })
  await recent.getByRole('button', { name: /^Copy "Couldn't copy"/ }).click()
  await expect(page).toHaveTitle(/^\d{4}-\d\d-\d\d .*Couldn't copy: \S/)
  await page.keyboard.press('Escape')
  await expect(recent).toBeHidden()
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByLabel('Search commands').fill('recent failures')
  await page.keyboard.press('Enter')
  await expect(recent).toBeVisible()
})

test("hooks, sandbox and environments that can't be loaded show the error, with a retry", async ({
  app: { page },
}) => {
  let failing = true
  await onTheWire(page, ({ id, ...message }): Response => {
    if (!failing || message.output?.hooks === undefined)
      return { ...message, ...(id === undefined ? {} : { id }) }
    const error = { code: 'INTERNAL', message: 'The database is not to be read.' }
    return { kind: 'response', ok: false, error, ...(id === undefined ? {} : { id }) }
  })
  await page.getByRole('navigation').getByRole('button', { name: 'Hooks' }).click()
  await expect(page.getByRole('alert')).toContainText('The database is not to be read.')
  await expect(page.getByRole('button', { name: 'Register hook' })).toBeDisabled()
  await page.getByRole('button', { name: 'Sandbox' }).click()
  await expect(page.getByRole('alert')).toContainText("Couldn't load the sandbox")
  await page.getByRole('button', { name: 'Settings' }).click()
  await expect(page.getByRole('alert')).toContainText("Couldn't load environments")
  failing = false
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('list', { name: 'Environments' }).getByRole('listitem')).toHaveCount(
    2,
  )
  await page.getByRole('navigation').getByRole('button', { name: 'Hooks' }).click()
  await expect(page.getByRole('heading', { name: 'No hooks yet' })).toBeVisible()
})

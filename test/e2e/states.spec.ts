/**
 * The window's error states. These tests change messages between page and core, so they run in a browser, where they can intercept
 * the connection.
 */
import type { Page, WebSocketRoute } from '@playwright/test'
import { expectNoViolations, expectNoViolationsInBothThemes } from './accessible.ts'
import {
  buttonIn,
  click,
  deliveryIn,
  dialogIn,
  goTo,
  headingIn,
  press,
  regionIn,
  searchCommands,
} from './controls.ts'
import { expect, listOf, openRow, rowsWith, test } from './fixtures.ts'
import { hostName } from './hosts/launch-desktop.ts'

interface Response {
  kind: string
  id?: number
  ok?: boolean
  output?: {
    store?: Record<string, unknown>
    receiver?: Record<string, unknown>
    sandbox?: string | null
    hooks?: unknown
  } | null
  error?: { code: string; message: string }
}

/** Forwards everything, messages from the core through `change` (null: dropped). */
async function onTheWire(
  page: Page,
  change: (message: Response) => Response | null | Promise<Response | null>,
): Promise<WebSocketRoute[]> {
  const routes: WebSocketRoute[] = []
  await page.routeWebSocket(/\/rpc$/, (route) => {
    routes.push(route)
    const core = route.connectToServer()
    route.onMessage((text) => {
      core.send(text)
    })
    core.onMessage(async (text) => {
      const message = await change(JSON.parse(String(text)) as Response)
      if (message !== null) route.send(JSON.stringify(message))
    })
  })
  await page.reload()
  return routes
}

test.skip(hostName !== 'loopback', 'the messages of this host pass no wire')

test("if the store can't be written, the window says so and what happens to deliveries", async ({
  page,
}) => {
  await onTheWire(page, (message) => {
    if (message.output?.store !== undefined)
      Object.assign(message.output.store, { state: 'failing', problem: 'The disk is full.' })
    return message
  })
  await expect(page.getByText("Couldn't store deliveries.")).toBeVisible()
  await expect(page.getByText(/The disk is full\. New deliveries get a 503/)).toBeVisible()
})

test("if the receiver isn't listening, the window says why", async ({ page }) => {
  await onTheWire(page, (message) => {
    const problem = 'Port 4783 is taken by node (process 77). Stop it, or choose another port.'
    if (message.output?.receiver !== undefined)
      Object.assign(message.output.receiver, { state: 'failed', url: null, problem })
    return message
  })
  await expect(page.getByText("The receiver isn't listening.")).toBeVisible()
  await expect(page.getByText(/Port 4783 is taken by node/)).toBeVisible()
  const start = regionIn(page, 'Get started')
  await expect(start).not.toContainText('/h/my-hook')
  await click(start, 'Change port…')
  await expect(page.getByRole('textbox', { name: 'HTTPS port' })).toBeVisible()
})

test('if no sandbox is running, its screen says so and how to start one', async ({ app, page }) => {
  await onTheWire(page, (message) => {
    if (message.output?.sandbox !== undefined) message.output.sandbox = null
    return message
  })
  await goTo(page, 'Sandbox')
  await expect(headingIn(page, "The sandbox isn't running")).toBeVisible()
  await expect(buttonIn(page, 'Reset…')).toHaveCount(0)
  await expectNoViolations(app, 'no sandbox')
})

test('slow loading shows a placeholder, and no empty state', async ({ page }) => {
  const seen = Promise.withResolvers<undefined>()
  await onTheWire(page, async (message) => {
    await seen.promise
    return message
  })
  await expect(page.getByRole('status', { name: 'Loading deliveries' })).toBeVisible()
  await expect(headingIn(page, 'Receive your first webhook')).toHaveCount(0)
  seen.resolve(undefined)
  await expect(headingIn(page, 'Receive your first webhook')).toBeVisible()
})

test('a lost connection keeps the shown data, reconnects automatically, and catches up', async ({
  app,
  page,
}) => {
  app.provokes(/net::ERR_FAILED .*\/session$/)
  const hook = await app.importHook('transaction.auth', 'lost')
  await app.deliver(hook, '{"n":1}')
  let blocked = false
  const routes = await onTheWire(page, (message) => message)
  await page.route('**/session', (route) => (blocked ? route.abort() : route.fallback()))
  await expect(rowsWith(page, 'Valid')).toHaveCount(1)
  blocked = true
  await routes.at(-1)?.close()
  await expect(page.getByText('Connection lost. Reconnecting…')).toBeVisible()
  // The receiver's state is unknown now, so nothing green claims that it receives.
  await expect(page.getByText('Disconnected').first()).toBeVisible()
  await expect(page.getByText('Receiving', { exact: true })).toBeHidden()
  await expect(rowsWith(page, 'Valid')).toHaveCount(1)
  await app.deliver(hook, '{"n":2}')
  blocked = false
  await expect(page.getByText('Connection lost. Reconnecting…')).toBeHidden()
  await expect(page.getByText('Receiving', { exact: true })).toBeVisible()
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '3')
  await app.deliver(hook, '{"n":3}')
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '4')
})

test('an expired session names the command that opens a new one, with the data folder if the page knows it', async ({
  app,
  page,
}) => {
  app.provokes(/status of 403 .*\/session$/)
  const routes = await onTheWire(page, (message) => message)
  await expect(page.getByText('Receiving', { exact: true })).toBeVisible()
  await page.route('**/session', (route) => route.fulfill({ status: 403 }))
  await routes.at(-1)?.close()
  await expect(headingIn(page, 'Session expired')).toBeVisible()
  await expect(
    page.getByText(`npx countersign open --data '${app.dataFolder}'`, { exact: true }),
  ).toBeVisible()
  await expectNoViolations(app, 'a session that is over')
  await page.reload()
  await expect(page.getByText('npx countersign open', { exact: true })).toBeVisible()
  await expect(page.getByText('add the same option')).toBeVisible()
})

test("nothing claims to be zero before it is counted, and a delivery that can't be loaded offers a retry", async ({
  app,
  page,
}) => {
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
  await click(regionIn(page, 'Timeline'), 'Statistics')
  const legend = regionIn(page, 'Timeline').getByRole('listitem')
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
  const detail = deliveryIn(page)
  await expect(headingIn(detail, "Couldn't load this delivery")).toBeVisible()
  await expect(detail.getByText('Broken.')).toBeVisible()
  await expectNoViolationsInBothThemes(app, "a delivery that can't be loaded")
  fails = false
  await click(detail, 'Try again')
  await expect(headingIn(detail, /transaction\.auth/)).toBeVisible()
})

test('a failure stays beside later notices until it is dismissed', async ({ app, page }) => {
  await app.deliver(await app.importHook('transaction.auth', 'kept'), '{"n":1}')
  await openRow(page, 'Valid')
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('blocked'))
    document.execCommand = () => false
  })
  const notices = regionIn(page, 'Notifications')
  const failure = notices.getByText("Couldn't copy", { exact: true })
  await press(page, 'y')
  await expect(failure).toHaveCount(1)
  await press(page, 'y', 'Delete')
  await expect(notices.getByText('Deleted')).toBeVisible()
  await expect(failure).toHaveCount(1)
  await expect(failure).toBeVisible()
  await expectNoViolations(app, 'a failure beside another notice')
  await click(notices, 'Undo')
  await expect(failure).toBeVisible()
  await click(notices.getByRole('alert').filter({ hasText: "Couldn't copy" }), 'Dismiss')
  await expect(failure).toBeHidden()
  // It can still be read and copied, from the status bar and from the palette.
  const recent = dialogIn(page, 'Recent failures')
  await click(page.getByRole('contentinfo'), '1 recent failure')
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
  await click(recent, /^Copy "Couldn't copy"/)
  await expect(page).toHaveTitle(/^\d{4}-\d\d-\d\d .*Couldn't copy: \S/)
  await press(page, 'Escape')
  await expect(recent).toBeHidden()
  await searchCommands(page, 'recent failures')
  await press(page, 'Enter')
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
  await goTo(page, 'Hooks')
  await expect(page.getByRole('alert')).toContainText('The database is not to be read.')
  await expect(buttonIn(page, 'Register hook')).toBeDisabled()
  await click(page, 'Sandbox')
  await expect(page.getByRole('alert')).toContainText("Couldn't load the sandbox")
  await click(page, 'Settings')
  await expect(page.getByRole('alert')).toContainText("Couldn't load environments")
  failing = false
  await click(page, 'Try again')
  await expect(page.getByRole('list', { name: 'Environments' }).getByRole('listitem')).toHaveCount(
    2,
  )
  await goTo(page, 'Hooks')
  await expect(headingIn(page, 'No hooks yet')).toBeVisible()
})

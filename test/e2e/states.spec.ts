/**
 * The window when something fails and works again. These tests change messages between page and
 * core, so they run in a browser, where they can intercept the connection. What each state shows is
 * tested beside the app (src/renderer/app/app.test.ts).
 */
import type { Page, WebSocketRoute } from '@playwright/test'
import { click, deliveryIn, headingIn, press, regionIn } from './controls.ts'
import { expect, listOf, rowsWith, test } from './fixtures.ts'
import { hostName } from './hosts/launch-desktop.ts'

interface Response {
  ok?: boolean
  output?: object | null
  error?: { code: string; message: string }
}

/** Forwards everything, messages from the core through `change`. */
async function onTheWire(
  page: Page,
  change: (message: Response) => Response | Promise<Response>,
): Promise<WebSocketRoute[]> {
  const routes: WebSocketRoute[] = []
  await page.routeWebSocket(/\/rpc$/, (route) => {
    routes.push(route)
    const core = route.connectToServer()
    route.onMessage((text) => {
      core.send(text)
    })
    core.onMessage(async (text) => {
      route.send(JSON.stringify(await change(JSON.parse(String(text)) as Response)))
    })
  })
  await page.reload()
  return routes
}

test.skip(hostName !== 'loopback', 'the messages of this host pass no wire')

test('a lost connection keeps the shown data, reconnects and catches up; a page that was signed out names the command that opens it again', async ({
  app,
  page,
}) => {
  app.provokes(/(net::ERR_FAILED|status of 403) .*\/session$/)
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

  await page.unroute('**/session')
  await page.route('**/session', (route) => route.fulfill({ status: 403 }))
  await routes.at(-1)?.close()
  await expect(headingIn(page, 'Signed out')).toBeVisible()
  await expect(
    page.getByText(`npx countersign open --data '${app.dataFolder}'`, { exact: true }),
  ).toBeVisible()
})

test("nothing claims to be zero before it is counted, and a delivery that can't be loaded offers a retry; a failure stays until it is dismissed", async ({
  app,
  page,
}) => {
  await app.deliver(await app.importHook('transaction.auth', 'broken'), '{"n":1}')
  const counted = Promise.withResolvers<undefined>()
  let failing = ['cause']
  await onTheWire(page, async (message) => {
    const has = (member: string) => Object.hasOwn(message.output ?? {}, member)
    if (has('bins')) await counted.promise
    return failing.some(has)
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
  failing = []
  await click(detail, 'Try again')
  await expect(headingIn(detail, /transaction\.auth/)).toBeVisible()

  // A failure stays beside later notices until it is dismissed.
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
  await click(notices, 'Undo')
  await expect(failure).toBeVisible()
  await click(notices.getByRole('alert').filter({ hasText: "Couldn't copy" }), 'Dismiss')
  await expect(failure).toBeHidden()

  // A flow that can't be opened has its bar, too, with the title that the list has.
  failing = ['flow']
  for (const [name, title] of [
    ['purchase-visa', 'Visa purchase and clearing'],
    ['nothing', 'nothing'],
  ] as const) {
    await page.evaluate((flow) => (location.hash = `#/flows/${flow}`), name)
    await expect(headingIn(page, "Couldn't open the flow")).toBeVisible()
    await expect(headingIn(page, title, { exact: true })).toBeVisible()
  }

  // Flows that can't be loaded offer no run.
  failing = ['flow', 'flows']
  await page.reload()
  await page.evaluate(() => (location.hash = '#/flows'))
  await expect(headingIn(page, "Couldn't load flows")).toBeVisible()
  await expect(page.getByRole('button', { name: 'Run all' })).toBeHidden()
  await page.evaluate(() => (location.hash = '#/flows/nothing'))
  await expect(headingIn(page, "Couldn't open the flow")).toBeVisible()
  await click(page, 'All flows')
  await expect(headingIn(page, 'nothing')).toBeHidden()
})

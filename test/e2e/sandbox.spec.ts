import type { Locator, Page } from '@playwright/test'
import {
  buttonIn,
  choose,
  click,
  deliveryIn,
  dialogIn,
  fill,
  goTo,
  groupIn,
  headingIn,
  menuItemIn,
  select,
  press,
  regionIn,
  retype,
  tabIn,
  textOf,
} from './controls.ts'
import { expect, rowsWith, test, type App } from './fixtures.ts'

const sandboxOf = (page: Page) => regionIn(page, 'Sandbox', { exact: true })
const payloadOf = (page: Page) => page.getByRole('textbox', { name: /^Payload of/ })
const resultOf = (page: Page) => regionIn(page, 'Result')
const logOf = (page: Page) => page.getByRole('grid', { name: 'Notifications, newest first' })

async function openSandbox(app: App, view?: 'Trigger' | 'Objects' | 'Log'): Promise<Locator> {
  await goTo(app.page, 'Sandbox')
  if (view !== undefined) await show(app.page, view)
  return sandboxOf(app.page)
}

const chooseIn = (page: Page, group: string, name: string | RegExp) =>
  choose(page.getByRole('radiogroup', { name: group }), name)
const show = (page: Page, view: string) => chooseIn(page, 'View', view)

async function payload(page: Page): Promise<Record<string, unknown>> {
  await expect(payloadOf(page)).toContainText('{')
  return JSON.parse(await textOf(payloadOf(page))) as Record<string, unknown>
}

async function send(page: Page, event: string): Promise<void> {
  await click(page, `Send ${event}`, { exact: true })
}

test('from an empty start: a hook for the event, an edited payload, the log, and the delivery; another event creates its hook', async ({
  app,
  page,
}) => {
  const sandbox = await openSandbox(app)
  await expect(sandbox.getByText('Local unless you allow a host')).toBeVisible()
  await click(sandbox.getByRole('note'), 'Register hook…')
  const dialog = dialogIn(page, 'Register hook')
  await expect(dialog.getByLabel('Environment')).toHaveText('sandbox-test (test)')
  await expect(dialog.getByLabel('Event')).toHaveValue('transaction.auth')
  await click(dialog, 'Register in sandbox-test')
  await expect(dialog).toBeHidden()
  await expect(sandbox.getByRole('note')).toHaveCount(0)

  const { approvalCode: _, ...made } = await payload(page)
  await retype(
    payloadOf(page),
    JSON.stringify({ ...made, amount: 12.5, wallet: 'phone', loyalty: { tier: 2 } }, null, 2),
  )
  await expect(buttonIn(sandbox, 'Undo 4 edits')).toBeVisible()
  // Sent unchanged, before its preview has loaded and even though the view closes immediately.
  await press(page, 'ControlOrMeta+Enter')
  await show(page, 'Objects')
  await show(page, 'Trigger')
  await expect(resultOf(page).getByText('Acknowledged')).toBeVisible()
  await click(resultOf(page), 'Show transaction.auth in the log')
  await expect(logOf(page).getByRole('row')).toHaveCount(2)
  const notification = regionIn(page, 'Notification', { exact: true })
  await expect(notification.getByRole('listitem')).toContainText('200')
  await click(notification, /^Valid/)
  await tabIn(page, 'Signature').click()
  await expect(page.getByText("Signed with the transaction.auth hook's secret")).toBeVisible()
  await tabIn(page, 'Body').click()
  const delivery = deliveryIn(page)
  await expect(delivery).toContainText('12.5')
  await expect(delivery).toContainText('"phone"')
  await expect(delivery).toContainText('loyalty')
  await expect(delivery).not.toContainText('"approvalCode"')
  await expect(delivery).toContainText(String(made['id']))

  // Without a hook for another event, sending it creates one.
  await openSandbox(app, 'Trigger')
  await chooseIn(page, 'Event', /^card\.linked/)
  await expect(sandbox.getByRole('note')).toContainText(
    'No hook in sandbox-test for this event. Sending registers one for this receiver.',
  )
  await send(page, 'card.linked')
  await expect(page.getByText('Added a card.linked hook in sandbox-test')).toBeVisible()
  await expect(resultOf(page).getByText('Acknowledged')).toBeVisible()
  await expect(sandbox.getByRole('note')).toHaveCount(0)
})

test('a refund keeps its purchase chosen; program, seed and fault are under More', async ({
  app,
  page,
}) => {
  for (const event of ['transaction.auth', 'transaction.clearing', 'transaction.refund'])
    await app.importHook(event, event.replace('.', '-'))
  const sandbox = await openSandbox(app)
  for (const _ of [1, 2]) {
    await send(page, 'transaction.auth')
    await expect(resultOf(page).getByText('Acknowledged')).toBeVisible()
  }
  await show(page, 'Objects')
  const object = regionIn(page, 'Object', { exact: true })
  await click(object, 'Send clearing…')
  await send(page, 'transaction.clearing')
  await click(resultOf(page), /^transaction [0-9a-z]{8}$/)
  const purchase = await object.getByRole('heading', { level: 2 }).innerText()
  await click(object, 'Send refund…')
  const chosen = sandbox.getByRole('combobox', { name: 'Purchase' })
  await expect(chosen).toContainText(purchase.split(' · ')[0] ?? '')
  const text = await chosen.innerText()
  await send(page, 'transaction.refund')
  await expect(resultOf(page).getByText('Acknowledged').first()).toBeVisible()
  await expect(chosen).toHaveText(text)

  await click(sandbox, /^More Program, seed, fault/)
  await fill(sandbox, 'Seed', '7', { exact: true })
  await select(sandbox, 'Fault', 'Stale')
  await expect(buttonIn(sandbox, /^More seed 7 · stale/)).toBeVisible()
  await click(sandbox, 'New random seed')
  await expect(buttonIn(sandbox, /^More stale/)).toBeVisible()
  await select(sandbox, 'Purchase', 'Unknown purchase (unmatched refund)')
  await expect(chosen).toHaveText('Unknown purchase (unmatched refund)')
})

test('objects are created, changed and found; related objects are linked, and lead to their next event', async ({
  app,
  page,
}) => {
  await app.importHook('transaction.auth', 'auths')
  const sandbox = await openSandbox(app, 'Objects')
  await expect(headingIn(sandbox, 'No transactions in sandbox-test yet')).toBeVisible()
  await chooseIn(page, 'Kind', /^Offers/)
  await click(sandbox, 'Create an offer…')
  const dialog = dialogIn(page, 'Create an offer')
  const offered = dialog.getByRole('textbox', { name: 'Fields as JSON' })
  await retype(offered, '{ "minimumAmount": "much" }')
  await click(dialog, 'Create an offer in sandbox-test')
  await expect(dialog.getByRole('alert')).toContainText('minimumAmount')
  await retype(offered, '{ "minimumAmount": 25 }')
  await click(dialog, 'Create an offer in sandbox-test')
  await expect(dialog).toBeHidden()
  const object = regionIn(page, 'Object', { exact: true })
  await expect(object.getByLabel('All fields as JSON')).toContainText('"minimumAmount": 25')
  await expect(buttonIn(object, /Rewards|Perks|Club/)).toBeVisible()

  await chooseIn(page, 'Kind', /^Cards/)
  const cards = page.getByRole('grid', { name: 'Cards' })
  const last = await cards.getByRole('row').last().locator('.truncate, span').first().innerText()
  await cards.getByRole('row').last().click()
  await expect(object.getByRole('heading', { level: 2 })).toContainText(last)
  await click(object, 'Edit…')
  const change = dialogIn(page, 'Edit card')
  const fields = change.getByRole('textbox', { name: 'Fields as JSON' })
  await retype(
    fields,
    (await textOf(fields)).replace(/"lastNumbers": "\d+"/, '"lastNumbers": "0007"'),
  )
  await expect(change.getByRole('status').last()).toContainText('Sets lastNumbers.')
  // Escape and a click beside the dialog discard nothing unasked.
  await press(page, 'Escape')
  const unsaved = groupIn(change, 'Unsaved changes')
  await expect(buttonIn(unsaved, 'Keep editing')).toBeFocused()
  await press(page, 'Escape')
  await page.mouse.click(5, 400)
  await click(unsaved, 'Keep editing')
  await expect(fields).toContainText('"0007"')
  await click(change, 'Save in sandbox-test')
  await expect(change).toBeHidden()
  await expect(object.getByRole('heading', { level: 2 })).toContainText('…0007')

  await click(object, 'Send payment…')
  await expect(payloadOf(page)).toContainText(/"lastNumbers": "0007"/)
  await send(page, 'transaction.auth')
  await click(resultOf(page), /^transaction [0-9a-z]{8}$/)
  await expect(object.getByRole('heading', { level: 2 })).toContainText('pending')
  await click(object, /…0007/)
  await expect(page.getByRole('grid', { name: 'Cards' })).toBeVisible()
  await click(object, /· pending/)
  await expect(
    page.getByRole('grid', { name: 'Transactions' }).getByRole('row', { selected: true }),
  ).toContainText('pending')
  await fill(sandbox, 'Filter transactions', 'nothing like this')
  await expect(headingIn(sandbox, 'No matching transaction')).toBeVisible()
})

test('advancing the clock triggers the clearing, and pending events are shown first; a reset asks for the name, and restores everything', async ({
  app,
  page,
}) => {
  await app.importHook('transaction.auth', 'auths')
  await app.importHook('transaction.clearing', 'clearings')
  const sandbox = await openSandbox(app)
  const clock = regionIn(sandbox, 'Sandbox clock')
  await expect(buttonIn(clock, 'Next clearing')).toBeDisabled()
  await send(page, 'transaction.auth')
  await click(clock, '1 pending')
  await expect(clock.getByRole('listitem')).toContainText('transaction.clearing')
  const due = await clock.getByRole('listitem').innerText()
  await click(clock, 'Pause clock')
  // It stops only once the core has confirmed it.
  await expect(buttonIn(clock, 'Resume clock')).toBeVisible()
  const before = await clock.getByRole('time').getAttribute('datetime')
  await click(clock, '+24 h')
  await expect(clock.getByRole('time')).toHaveAttribute(
    'datetime',
    new Date(Date.parse(before ?? '') + 24 * 3_600_000).toISOString(),
  )
  await click(clock, 'Next clearing')
  await expect(clock.getByRole('time')).toHaveText(due.slice(0, 19))
  await expect(buttonIn(clock, 'Nothing pending')).toBeVisible()
  await show(page, 'Log')
  await expect(logOf(page).getByRole('row', { name: /transaction\.clearing/ })).toContainText(
    'Acknowledged',
  )
  const notification = regionIn(page, 'Notification', { exact: true })
  await expect(notification.getByRole('heading', { level: 2 })).toContainText('clearing')
  await logOf(page)
    .getByRole('row', { name: /transaction\.auth/ })
    .click()
  await expect(notification.getByRole('heading', { level: 2 })).toContainText('transaction.auth')
  await goTo(page, 'Deliveries')
  await expect(rowsWith(page, 'transaction.clearing')).toContainText('Valid')

  await openSandbox(app)
  await click(clock, 'More', { exact: true })
  await page.getByRole('menuitemradio', { name: '60× speed' }).click()
  await expect(clock.getByText('60×')).toBeVisible()
  await click(clock, 'More', { exact: true })
  await menuItemIn(page, 'Set time…').click()
  const dialog = dialogIn(page, 'Set sandbox clock')
  await fill(dialog, 'Time (UTC)', '2020-01-01 12:00')
  await click(dialog, 'Set clock')
  await expect(dialog.getByRole('alert')).toContainText("can't go back")
  await click(dialog, 'Cancel')
  await expect(dialog).toBeHidden()

  await click(sandbox, 'Reset…')
  const question = dialogIn(page, 'Reset sandbox')
  const button = buttonIn(question, 'Reset sandbox (test and live)')
  await expect(button).toBeDisabled()
  await fill(question, /^Type sandbox-live/, 'sandbox-live')
  await button.click()
  await click(dialogIn(page, 'Allow live mode?'), 'Allow sandbox-live (live)')
  await expect(question).toBeHidden()
  await expect(sandbox.getByText('· real time')).toBeVisible()
  await show(page, 'Log')
  await chooseIn(page, 'Environment', 'sandbox-live')
  await expect(headingIn(sandbox, 'No deliveries sent in sandbox-live yet')).toBeVisible()
  await expect(sandbox.getByText('live', { exact: true })).toBeVisible()
})

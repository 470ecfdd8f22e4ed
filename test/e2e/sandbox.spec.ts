/** The sandbox in the window: triggering events, its objects, its log, its clock, and confirmations for live mode. */
import type { Locator, Page } from '@playwright/test'
import { expect, rowsWith, test, type App } from './fixtures.ts'

const sandboxOf = (page: Page) => page.getByRole('region', { name: 'Sandbox', exact: true })
const payloadOf = (page: Page) => page.getByRole('textbox', { name: /^Payload of/ })
const resultOf = (page: Page) => page.getByRole('region', { name: 'Result' })
const logOf = (page: Page) => page.getByRole('grid', { name: 'Notifications, newest first' })

async function openSandbox(app: App, view?: 'Trigger' | 'Objects' | 'Log'): Promise<Locator> {
  await app.page.getByRole('navigation').getByRole('button', { name: 'Sandbox' }).click()
  if (view !== undefined) await show(app.page, view)
  return sandboxOf(app.page)
}

/** A radio button is below the label that is clicked. */
async function choose(page: Page, group: string, name: string | RegExp): Promise<void> {
  await page
    .getByRole('radiogroup', { name: group })
    .getByRole('radio', { name })
    .check({ force: true })
}

const show = (page: Page, view: string) => choose(page, 'View', view)

/** The payload as shown in the window, once loaded. */
async function payload(page: Page): Promise<Record<string, unknown>> {
  await expect(payloadOf(page)).not.toHaveValue('')
  return JSON.parse(await payloadOf(page).inputValue()) as Record<string, unknown>
}

async function send(page: Page, event: string): Promise<void> {
  await page.getByRole('button', { name: `Send ${event}`, exact: true }).click()
}

test('from an empty start: a hook for the event, an edited payload, the log, and the delivery; another event creates its hook', async ({
  app,
}) => {
  const { page } = app
  const sandbox = await openSandbox(app)
  await expect(sandbox.getByText('Local: no real service is called')).toBeVisible()
  await sandbox.getByRole('note').getByRole('button', { name: 'Register hook…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Register hook' })
  await expect(dialog.getByLabel('Environment')).toHaveValue('sandbox-test')
  await expect(dialog.getByLabel('Event')).toHaveValue('transaction.auth')
  await dialog.getByRole('button', { name: 'Register in sandbox-test' }).click()
  await expect(dialog).toBeHidden()
  await expect(sandbox.getByRole('note')).toHaveCount(0)

  const { approvalCode: _, ...made } = await payload(page)
  await payloadOf(page).fill(
    JSON.stringify({ ...made, amount: 12.5, wallet: 'phone', loyalty: { tier: 2 } }, null, 2),
  )
  await expect(sandbox.getByRole('button', { name: 'Undo 4 edits' })).toBeVisible()
  // Sent unchanged, before its preview has loaded and even though the view closes immediately.
  await page.keyboard.press('ControlOrMeta+Enter')
  await show(page, 'Objects')
  await show(page, 'Trigger')
  await expect(resultOf(page).getByText('Acknowledged')).toBeVisible()
  await resultOf(page).getByRole('button', { name: 'Show transaction.auth in the log' }).click()
  await expect(logOf(page).getByRole('row')).toHaveCount(2)
  const notification = page.getByRole('region', { name: 'Notification', exact: true })
  await expect(notification.getByRole('listitem')).toContainText('200')
  await notification.getByRole('button', { name: /^Valid/ }).click()
  await page.getByRole('tab', { name: 'Signature' }).click()
  await expect(
    page.getByText("Valid. Signed with the transaction.auth hook's secret."),
  ).toBeVisible()
  await page.getByRole('tab', { name: 'Body' }).click()
  const delivery = page.getByRole('region', { name: 'Delivery', exact: true })
  await expect(delivery).toContainText('12.5')
  await expect(delivery).toContainText('"phone"')
  await expect(delivery).toContainText('loyalty')
  await expect(delivery).not.toContainText('"approvalCode"')
  await expect(delivery).toContainText(String(made['id']))

  // Without a hook for another event, sending it creates one.
  await openSandbox(app, 'Trigger')
  await choose(page, 'Event', /^card\.linked/)
  await expect(sandbox.getByRole('note')).toContainText(
    'No hook in sandbox-test for this event. Sending registers one for this receiver.',
  )
  await send(page, 'card.linked')
  await expect(page.getByText('Added a card.linked hook in sandbox-test')).toBeVisible()
  await expect(resultOf(page).getByText('Acknowledged')).toBeVisible()
  await expect(sandbox.getByRole('note')).toHaveCount(0)
})

test('sending errors appear at their place: a typo in the JSON, a name with a dot, a rejected value', async ({
  app,
}) => {
  const { page } = app
  await app.importHook('location.status', 'status')
  const sandbox = await openSandbox(app)
  await choose(page, 'Event', /^location\.status/)
  await expect(payloadOf(page)).toHaveAccessibleName('Payload of location.status')
  const button = sandbox.getByRole('button', { name: 'Send location.status' })
  await expect(button).toBeEnabled()
  await expect(sandbox.getByRole('tab')).toHaveCount(3)
  const text = await payloadOf(page).inputValue()

  await payloadOf(page).fill(text.replace('"preonboard": false', '"preonboard": maybe'))
  await expect(payloadOf(page)).toHaveAccessibleDescription(
    /Invalid JSON at \d+:19: unexpected maybe,/,
  )
  await expect(button).toBeDisabled()
  await sandbox.getByRole('button', { name: 'Go to error' }).click()
  const atCursor = () =>
    payloadOf(page).evaluate((field: HTMLTextAreaElement) =>
      field.value.slice(field.selectionStart).slice(0, 5),
    )
  await expect.poll(atCursor).toBe('maybe')

  await payloadOf(page).fill(text.replace('"preonboard"', '"pre.onboard"'))
  await expect(payloadOf(page)).toHaveAccessibleDescription(
    /pre\.onboard by path: names must not be empty or contain a dot/,
  )
  await expect(button).toBeDisabled()

  // A location is always active in test mode (section 6.2): the sandbox itself says so.
  await payloadOf(page).fill(
    text.replace('"status": "location.active"', '"status": "location.failed"'),
  )
  await expect(payloadOf(page)).toHaveAccessibleDescription(/always as location\.active/)
  await expect(button).toBeDisabled()
  await sandbox.getByRole('button', { name: 'Undo 1 edit' }).click()
  await expect(payloadOf(page)).toHaveValue(/"status": "location.active"/)
  await expect(button).toBeEnabled()
})

/**
 * Replaces the amount in place, in one edit: after each send the sandbox shows another payload, so pasting an older one would edit
 * all its fields.
 */
async function typeAmount(page: Page, literal: string): Promise<void> {
  await payloadOf(page).evaluate((field: HTMLTextAreaElement, amount) => {
    const { index = 0, 0: found = '' } = /(?<="amount": )[^,]+/.exec(field.value) ?? {}
    field.focus()
    field.setRangeText(amount, index, index + found.length)
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }, literal)
}

test('a number typed in the payload is sent exactly as typed', async ({ app }) => {
  const { page } = app
  await app.importHook('transaction.auth', 'literal')
  const sandbox = await openSandbox(app)
  await expect(payloadOf(page)).toHaveValue(/"amount": [\d.]+,/)
  for (const literal of ['10.00', '1e3', '12345678901234567890']) {
    await typeAmount(page, literal)
    await expect(sandbox.getByRole('button', { name: 'Undo 1 edit' })).toBeVisible()
    await payloadOf(page).blur()
    await expect(payloadOf(page)).toHaveValue(new RegExp(`"amount": ${literal},`))
    await sandbox.getByRole('button', { name: 'Send transaction.auth' }).click()
    await expect
      .poll(() => app.command('show', 'latest', '--body').catch(String))
      .toContain(`"amount":${literal},`)
  }
  await sandbox.getByRole('button', { name: 'Undo 1 edit' }).click()
  await expect(payloadOf(page)).not.toHaveValue(/12345678901234567890/)
})

test('objects are created, changed and found; related objects are linked, and lead to their next event', async ({
  app,
}) => {
  const { page } = app
  await app.importHook('transaction.auth', 'auths')
  const sandbox = await openSandbox(app, 'Objects')
  await expect(
    sandbox.getByRole('heading', { name: 'No transactions in sandbox-test yet' }),
  ).toBeVisible()
  await choose(page, 'Kind', /^Offers/)
  await sandbox.getByRole('button', { name: 'Create an offer…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create object' })
  await dialog.getByRole('button', { name: 'Add field' }).click()
  await dialog.getByLabel('Field 1', { exact: true }).fill('minimumAmount')
  await dialog.getByLabel('Value 1', { exact: true }).fill('"much"')
  await dialog.getByRole('button', { name: 'Create in sandbox-test' }).click()
  await expect(dialog.getByRole('alert')).toContainText('minimumAmount')
  await dialog.getByLabel('Value 1', { exact: true }).fill('25')
  await dialog.getByRole('button', { name: 'Create in sandbox-test' }).click()
  await expect(dialog).toBeHidden()
  const object = page.getByRole('region', { name: 'Object', exact: true })
  await expect(object.getByLabel('All fields as JSON')).toContainText('"minimumAmount": 25')
  await expect(object.getByRole('button', { name: /Rewards|Perks|Club/ })).toBeVisible()

  await choose(page, 'Kind', /^Cards/)
  await object.getByRole('button', { name: 'Edit…' }).click()
  const change = page.getByRole('dialog', { name: 'Edit card' })
  const fields = change.getByRole('textbox', { name: 'Fields as JSON' })
  await fields.fill(
    (await fields.inputValue()).replace(/"lastNumbers": "\d+"/, '"lastNumbers": "0007"'),
  )
  await expect(change.getByRole('status').last()).toContainText('Sets lastNumbers.')
  await change.getByRole('button', { name: 'Save in sandbox-test' }).click()
  await expect(change).toBeHidden()
  await expect(object.getByRole('heading', { level: 2 })).toContainText('…0007')

  await object.getByRole('button', { name: 'Pay with card…' }).click()
  await expect(payloadOf(page)).toHaveValue(/"lastNumbers": "0007"/)
  await send(page, 'transaction.auth')
  await resultOf(page)
    .getByRole('button', { name: /^transaction [0-9a-z]{8}$/ })
    .click()
  await expect(object.getByRole('heading', { level: 2 })).toContainText('pending')
  await object.getByRole('button', { name: /…0007/ }).click()
  await expect(page.getByRole('grid', { name: 'Cards' })).toBeVisible()
  await object.getByRole('button', { name: /· pending/ }).click()
  await expect(
    page.getByRole('grid', { name: 'Transactions' }).getByRole('row', { selected: true }),
  ).toContainText('pending')
  await sandbox.getByLabel('Filter transactions').fill('nothing like this')
  await expect(sandbox.getByRole('heading', { name: 'No matching transaction' })).toBeVisible()
})

test('advancing the clock triggers the clearing, and pending events are shown first', async ({
  app,
}) => {
  const { page } = app
  await app.importHook('transaction.auth', 'auths')
  await app.importHook('transaction.clearing', 'clearings')
  const sandbox = await openSandbox(app)
  const clock = sandbox.getByRole('region', { name: 'Sandbox clock' })
  await expect(clock.getByRole('button', { name: 'Next clearing' })).toBeDisabled()
  await send(page, 'transaction.auth')
  await clock.getByRole('button', { name: '1 pending' }).click()
  await expect(clock.getByRole('listitem')).toContainText('transaction.clearing')
  const due = await clock.getByRole('listitem').innerText()
  await clock.getByRole('button', { name: 'Pause clock' }).click()
  // It stops only once the core has confirmed it.
  await expect(clock.getByRole('button', { name: 'Resume clock' })).toBeVisible()
  const before = await clock.getByRole('time').getAttribute('datetime')
  await clock.getByRole('button', { name: '+24 h' }).click()
  await expect(clock.getByRole('time')).toHaveAttribute(
    'datetime',
    new Date(Date.parse(before ?? '') + 24 * 3_600_000).toISOString(),
  )
  await clock.getByRole('button', { name: 'Next clearing' }).click()
  await expect(clock.getByRole('time')).toHaveText(due.slice(0, 19))
  await expect(clock.getByRole('button', { name: 'Nothing pending' })).toBeVisible()
  await show(page, 'Log')
  await expect(logOf(page).getByRole('row', { name: /transaction\.clearing/ })).toContainText(
    'Acknowledged',
  )
  await page.getByRole('navigation').getByRole('button', { name: 'Deliveries' }).click()
  await expect(rowsWith(page, 'transaction.clearing')).toContainText('Valid')

  await openSandbox(app)
  await clock.getByRole('button', { name: 'Set…', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Set sandbox clock' })
  await dialog.getByLabel('Time (UTC)').fill('2020-01-01 12:00')
  await dialog.getByRole('button', { name: 'Set clock' }).click()
  await expect(dialog.getByRole('alert')).toContainText("can't go back")
})

test('live mode must be confirmed by name before anything is sent, created or changed', async ({
  app,
}) => {
  const { page } = app
  await app.importHook('brand.consent', 'consent')
  const sandbox = await openSandbox(app)
  await choose(page, 'Environment', 'sandbox-live')
  await expect(sandbox.getByText('live', { exact: true })).toBeVisible()
  await expect(sandbox.getByRole('note')).toContainText('No hook in sandbox-live for this event.')
  await show(page, 'Objects')
  await choose(page, 'Kind', /^Brands/)
  await sandbox.getByRole('button', { name: 'Create a brand…' }).click()
  const make = page.getByRole('dialog', { name: 'Create object' })
  await make.getByRole('button', { name: 'Create in sandbox-live' }).click()
  await make.getByRole('button', { name: 'Create a brand in sandbox-live (live)' }).click()
  await expect(make).toBeHidden()
  const object = page.getByRole('region', { name: 'Object', exact: true })
  await expect(object.getByLabel('All fields as JSON')).toContainText('"consent": false')
  await object.getByRole('button', { name: 'Consent…' }).click()
  await sandbox.getByRole('note').getByRole('button', { name: 'Register hook…' }).click()
  const register = page.getByRole('dialog', { name: 'Register hook' })
  await register.getByRole('button', { name: 'Register in sandbox-live (live)' }).click()
  await register
    .getByRole('group', { name: 'Confirm for sandbox-live' })
    .getByRole('button', { name: /^Register in/ })
    .click()
  await expect(register).toBeHidden()
  await send(page, 'brand.consent')
  const confirm = page.getByRole('dialog', { name: 'Send event' })
  await confirm.getByRole('button', { name: 'Go back' }).click()
  await expect(confirm).toBeHidden()
  await expect(resultOf(page)).toHaveCount(0)
  await send(page, 'brand.consent')
  await confirm.getByRole('button', { name: 'Send brand.consent in sandbox-live (live)' }).click()
  await expect(resultOf(page).getByText('Acknowledged')).toBeVisible()
  await expect(resultOf(page).getByRole('button', { name: /^Valid/ })).toBeVisible()
})

test('a reset says what it does, asks for the name, and restores everything', async ({ app }) => {
  const { page } = app
  await app.importHook('transaction.auth', 'auths')
  const sandbox = await openSandbox(app)
  await send(page, 'transaction.auth')
  await expect(resultOf(page)).toBeVisible()
  await sandbox.getByRole('button', { name: '+72 h' }).click()
  await expect(
    sandbox.getByText('2 days ahead').or(sandbox.getByText('3 days ahead')),
  ).toBeVisible()
  await sandbox.getByRole('button', { name: 'Reset…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Reset sandbox' })
  const button = dialog.getByRole('button', { name: 'Reset sandbox (test and live)' })
  await expect(button).toBeDisabled()
  await dialog.getByLabel(/^Type sandbox-live/).fill('sandbox-live')
  await button.click()
  await expect(dialog).toBeHidden()
  await expect(sandbox.getByText('real time')).toBeVisible()
  await show(page, 'Log')
  await expect(
    sandbox.getByRole('heading', { name: 'No deliveries sent in sandbox-test yet' }),
  ).toBeVisible()
})

test('failed attempts are retried: the log shows each attempt in both times, and links to the next', async ({
  app,
}) => {
  const { page } = app
  await app.importHook('card.linked', 'fails')
  await page.getByRole('navigation').getByRole('button', { name: 'Hooks' }).click()
  const rule = page.getByRole('form', { name: 'Response rule' })
  await rule.getByRole('button', { name: 'Fail twice, then 200' }).click()
  await rule.getByRole('button', { name: 'Save rule' }).click()
  await openSandbox(app)
  await choose(page, 'Event', /^card\.linked/)
  await send(page, 'card.linked')
  await expect(resultOf(page).getByText('Retrying')).toBeVisible()
  await show(page, 'Log')
  const notification = page.getByRole('region', { name: 'Notification', exact: true })
  const attempts = notification.getByRole('list', { name: 'Attempts' }).getByRole('listitem')
  await expect(attempts).toHaveCount(1)
  await expect(attempts).toContainText('Only 200 acknowledges a delivery')
  await notification.getByRole('button', { name: 'Advance' }).click()
  await expect(attempts).toHaveCount(2)
  await notification.getByRole('button', { name: 'Advance' }).click()
  await expect(attempts).toHaveCount(3)
  await expect(notification.getByRole('heading', { level: 2 })).toContainText('Acknowledged')
  await expect(attempts.getByRole('button', { name: /^Valid/ })).toHaveCount(3)
})

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
  write,
} from './controls.ts'
import { expect, rowsWith, test, type App } from './fixtures.ts'

const sandboxOf = (page: Page) => regionIn(page, 'Sandbox', { exact: true })
const payloadOf = (page: Page) => page.getByRole('textbox', { name: /^Payload of/ })
/** Notifications beside the payload, newest first. */
const sentIn = (page: Page) => regionIn(page, 'Sent').getByRole('listitem')
const fieldIn = (page: Page, name: string): Locator =>
  groupIn(page, 'Fields').getByRole('combobox', { name, exact: true })
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
  await expect(sandbox.getByText('Local: no real service is called')).toBeVisible()
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
  await expect(sentIn(page)).toContainText(['Valid'])
  await sentIn(page).click()
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
    'No hook in sandbox-test for this event. Sending registers one for this receiver, unless you register your own.',
  )
  await send(page, 'card.linked')
  await expect(page.getByText('Added a card.linked hook in sandbox-test')).toBeVisible()
  await expect(sentIn(page).first()).toContainText('card.linked')
  await expect(sentIn(page).first()).toContainText('Valid')
  await expect(sandbox.getByRole('note')).toHaveCount(0)
})

test('a refund keeps its purchase chosen; a seed is typed and drawn again', async ({
  app,
  page,
}) => {
  for (const event of ['transaction.auth', 'transaction.clearing', 'transaction.refund'])
    await app.importHook(event, event.replace('.', '-'))
  const sandbox = await openSandbox(app)
  for (const count of [1, 2]) {
    await send(page, 'transaction.auth')
    await expect(sentIn(page)).toHaveCount(count)
  }
  await show(page, 'Objects')
  const object = regionIn(page, 'Object', { exact: true })
  await click(object, 'Send clearing…')
  await send(page, 'transaction.clearing')
  await expect(sentIn(page).first()).toContainText('transaction.clearing')
  await show(page, 'Objects')
  await page
    .getByRole('grid', { name: 'Transactions' })
    .getByText('Cleared', { exact: true })
    .click()
  const purchase = await object.getByRole('heading', { level: 2 }).innerText()
  await click(object, 'Send refund…')
  const chosen = fieldIn(page, 'Purchase')
  await expect(chosen).toContainText(purchase.split(' · ')[0] ?? '')
  const text = await chosen.innerText()
  await send(page, 'transaction.refund')
  await expect(sentIn(page).nth(1)).toContainText('transaction.refund')
  await expect(chosen).toHaveText(text)

  const seed = groupIn(sandbox, 'Fields').getByLabel('Seed', { exact: true })
  const { id } = await payload(page)
  await write(seed, '7')
  await expect(payloadOf(page)).not.toContainText(String(id))
  await write(seed, 'x')
  await expect(sandbox.getByText('Enter an integer or leave empty.')).toBeVisible()
  await click(sandbox, 'New random seed')
  await expect(seed).toHaveValue('')
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
  await expect(sentIn(page)).toContainText(['transaction.auth'])
  await show(page, 'Objects')
  await chooseIn(page, 'Kind', /^Transactions/)
  await expect(object.getByRole('heading', { level: 2 })).toContainText(/\d [A-Z]{3} · /)
  await click(object, /…0007/)
  await expect(page.getByRole('grid', { name: 'Cards' })).toBeVisible()
  await click(object, /· pending/)
  await expect(
    page.getByRole('grid', { name: 'Transactions' }).getByRole('row', { selected: true }),
  ).toContainText('Pending')
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
  await click(clock, '24 h')
  await expect(clock.getByRole('time')).toHaveAttribute(
    'datetime',
    new Date(Date.parse(before ?? '') + 24 * 3_600_000).toISOString(),
  )
  await click(clock, 'Next clearing')
  await expect(clock.getByRole('time')).toHaveText(due.slice(0, 19))
  await expect(buttonIn(clock, '0 pending')).toBeVisible()
  await show(page, 'Log')
  await expect(logOf(page).getByRole('row', { name: /transaction\.clearing/ })).toContainText(
    'Valid',
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
  await click(sandbox, 'More', { exact: true })
  await page.getByRole('menuitemradio', { name: '60× speed' }).click()
  await expect(clock.getByText('60×')).toBeVisible()
  await click(sandbox, 'More', { exact: true })
  await menuItemIn(page, 'Set time…').click()
  const dialog = dialogIn(page, 'Set sandbox clock')
  await fill(dialog, 'Time (UTC)', '2020-01-01 12:00')
  await click(dialog, 'Set clock')
  await expect(dialog.getByRole('alert')).toContainText("can't go back")
  await click(dialog, 'Cancel')
  await expect(dialog).toBeHidden()

  await click(sandbox, 'More', { exact: true })
  await menuItemIn(page, 'Reset sandbox…').click()
  const question = dialogIn(page, 'Reset sandbox')
  const button = buttonIn(question, 'Reset sandbox (test and live)')
  await expect(button).toBeDisabled()
  await fill(question, /^Type sandbox-live/, 'sandbox-live')
  await button.click()
  await click(dialogIn(page, 'Allow live mode?'), 'Allow sandbox-live (live)')
  await expect(question).toBeHidden()
  await expect(clock.getByText('real time')).toBeVisible()
  await show(page, 'Log')
  await select(sandbox, 'Environment', 'sandbox-live')
  await expect(headingIn(sandbox, 'No deliveries sent in sandbox-live yet')).toBeVisible()
  await expect(sandbox.getByText('live', { exact: true })).toBeVisible()
})

test('fields and JSON are in step, with numbers as typed and changed lines marked; a forged delivery that was accepted is red', async ({
  app,
  page,
  endpoint,
}) => {
  await app.importHook('transaction.auth', 'auths')
  const flags = ['--url', `${endpoint.origin}/in`, '--secret', 'own-secret-0123456789']
  await app.command('handlers', 'add', 'mine', ...flags)
  await press(page, 'g', 'e')
  await page.getByRole('switch', { name: /^Forward/ }).click()
  const sandbox = await openSandbox(app)
  const { amount } = await payload(page)
  const field = groupIn(sandbox, 'Fields').getByLabel('Amount')
  await expect(field).toHaveValue(String(amount))
  await write(field, '36.90')
  await expect(payloadOf(page)).toContainText('"amount": 36.90,')
  await expect(payloadOf(page).getByRole('img', { name: `was ${String(amount)}` })).toBeVisible()
  await write(field, '36.')
  await expect(sandbox.getByText('Enter a number.')).toBeVisible()
  await expect(payloadOf(page)).toContainText('"amount": 36.90,')

  await select(sandbox, 'Currency', 'JPY')
  await expect(payloadOf(page)).toContainText('"currency": "JPY"')
  await retype(
    payloadOf(page),
    (await textOf(payloadOf(page))).replace('36.90', '1e2').replace('JPY', 'XYZ'),
  )
  await expect(field).toHaveValue('1e2')
  await expect(fieldIn(page, 'Currency')).toHaveText('XYZ')
  // A card beside a location is an edit, too.
  for (const name of ['Location', 'Card']) {
    const before = await fieldIn(page, name).innerText()
    await fieldIn(page, name).click()
    const others = page.getByRole('option').filter({ hasNotText: before })
    const chosen = await others.last().innerText()
    await others.last().click()
    await expect(fieldIn(page, name)).toHaveText(chosen.split('\n')[0] ?? '')
  }
  await click(sandbox, /^Undo \d edits/)
  await expect(field).not.toHaveValue('1e2')

  await expect(sandbox.getByText('Sends 1 notification, then forwards it to @mine.')).toBeVisible()
  await select(groupIn(sandbox, 'Fields'), 'Fault', /^Altered body/)
  await send(page, 'transaction.auth')
  await expect(sentIn(page)).toContainText(['Accepted, though forged'])
  await expect(sentIn(page).locator('.text-ok')).toHaveCount(0)
  endpoint.answer = 401
  await send(page, 'transaction.auth')
  await expect(sentIn(page).first()).toContainText('Your handler rejected it, as expected.')
  await expect(sentIn(page).first()).toContainText('Invalid, as requested')
  await show(page, 'Log')
  await expect(logOf(page).getByRole('row', { name: /Accepted, though forged/ })).toHaveCount(1)
})

/** Returns the controls that another element is drawn over, by their names. */
const coveredControls = (part: Locator) =>
  part.evaluate((element) =>
    [...element.querySelectorAll<HTMLElement>('button, [role=combobox]')]
      .filter((control) => {
        const { left, top, width, height } = control.getBoundingClientRect()
        return [0.1, 0.5, 0.9].some((share) => {
          const hit = document.elementFromPoint(left + width * share, top + height / 2)
          return hit === null || !control.contains(hit)
        })
      })
      .map((control) => control.textContent || control.ariaLabel),
  )

test('Send stays where it is, and at a zoom of 200 % every control can be clicked', async ({
  app,
  page,
}) => {
  await app.importHook('transaction.auth', 'auths')
  const sandbox = await openSandbox(app)
  const button = buttonIn(sandbox, 'Send transaction.auth')
  await expect(button).toBeEnabled()
  const before = await button.boundingBox()
  await button.click()
  await expect(page.getByText('200').first()).toBeVisible()
  expect(await button.boundingBox()).toEqual(before)

  await page.setViewportSize({ width: 720, height: 450 })
  await expect(buttonIn(sandbox, /^Next clearing/)).toBeEnabled()
  const clock = regionIn(sandbox, 'Sandbox clock')
  await expect.poll(() => coveredControls(clock)).toEqual([])
  await click(clock, '1 pending')
  await expect.poll(() => coveredControls(clock)).toEqual([])
  await button.click()
  const topOf = async (part: Locator) => (await part.boundingBox())?.y ?? 0
  await expect
    .poll(async () => (await topOf(button)) - (await topOf(payloadOf(page))))
    .toBeGreaterThan(80)
  const state = sentIn(page).first().getByText('Valid', { exact: true })
  expect(await state.evaluate((word) => word.scrollWidth - word.clientWidth)).toBe(0)

  // The log's rows have the time; a narrow one has the event's last parts.
  await show(page, 'Log')
  await expect(logOf(page).getByRole('columnheader', { name: 'Sent' })).toBeVisible()
  const cells = logOf(page).getByRole('row').nth(1).getByRole('gridcell')
  await expect(cells.nth(1)).toHaveText('transaction.auth')
  const name = cells.nth(1).locator('.event-name')
  expect(await shownPart(name, 200)).toBe('transaction.auth')
  expect(await shownPart(name, 100)).toBe('auth')
})

/** Returns the part of an event's name that a width in pixels shows. */
function shownPart(name: Locator, width: number): Promise<string> {
  return name.evaluate((element, most) => {
    element.style.maxWidth = `${most}px`
    const [shown] = element.children
    const text = shown?.firstChild
    if (!(text instanceof Text)) return ''
    const left = (shown?.getBoundingClientRect().left ?? 0) - 0.5
    const range = document.createRange()
    const from = text.data.split('').findIndex((_, at) => {
      range.setStart(text, at)
      range.setEnd(text, at + 1)
      return range.getBoundingClientRect().left >= left
    })
    return text.data.slice(from)
  }, width)
}

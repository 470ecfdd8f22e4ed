/** New requests: any body or an event's sample, checked, signed, named, and sent again. */
import { signatureOf } from '../support/deliver.ts'
import { headerOf } from '../support/replay-fixture.ts'
import {
  buttonIn,
  choose,
  chooseInList,
  click,
  deliveryIn,
  dialogIn,
  fill,
  press,
  regionIn,
  retype,
  searchCommands,
  select,
  textOf,
} from './controls.ts'
import { expect, rowsWith, test } from './fixtures.ts'

test('a request is made from a sample, checked while typing, named and sent with the mouse', async ({
  app,
  endpoint,
  page,
}) => {
  const hook = await app.importHook('transaction.refund', 'new')
  await app.deliver(hook, '{"received":1}')
  await expect(rowsWith(page, 'transaction.refund')).toHaveCount(1)
  await chooseInList(page, /New request/)
  const dialog = dialogIn(page, 'New request')
  await fill(dialog, 'Send to', `${endpoint.origin}/in`)
  await expect(buttonIn(dialog, 'Send', { exact: true })).toBeDisabled()
  await select(dialog, 'Event', 'transaction.refund')
  await click(dialog, 'Insert sample')
  const schema = regionIn(dialog, 'Schema')
  await expect(schema).toContainText('Matches the transaction.refund schema')
  const body = dialog.getByRole('textbox', { name: 'Body', exact: true })
  await expect.poll(() => textOf(body)).toContain('"amount"')

  await choose(dialog, 'As sent')
  await retype(body, '{"amount": "ten"}')
  await expect(schema).toContainText(/\d+ schema errors/)
  await expect(schema).toContainText('amount')
  await fill(dialog, 'Name', 'big-refund')
  await click(dialog, 'Send', { exact: true })
  await expect(regionIn(dialog, 'Response')).toContainText('200')
  const [request] = endpoint.requests
  expect(request?.body.toString()).toBe('{"amount": "ten"}')
  expect(headerOf(request, 'content-type')).toBe('application/json')
  const signed = (sent = request) =>
    signatureOf(hook.secret, sent!.body, hook.url, headerOf(sent, 'x-service-timestamp') ?? '')
  expect(headerOf(request, 'x-service-signature')).toBe(signed())

  // Sent again with a wrong secret, the newest version has the name.
  await select(dialog, 'Tamper', 'Wrong secret')
  endpoint.answer = 401
  await click(dialog, 'Send again', { exact: true })
  await expect(regionIn(dialog, 'Response')).toContainText('401')
  const [, forged] = endpoint.requests
  expect(headerOf(forged, 'x-service-signature')).not.toBe(signed(forged))
  await dialog.getByText('Close', { exact: true }).click()

  // The list and its count leave it out; its view shows it.
  await expect(rowsWith(page, 'transaction.refund')).toHaveCount(1)
  await searchCommands(page, 'Composed')
  await page
    .getByRole('option', { name: /Composed/ })
    .first()
    .click()
  await expect(rowsWith(page, 'transaction.refund')).toHaveCount(2)
  await rowsWith(page, 'transaction.refund').first().click()
  const detail = deliveryIn(page)
  await expect(detail).toContainText('Composed here, not received')
  expect(await app.command('send', '--list')).toMatch(/^big-refund /)
  endpoint.answer = 200
  await app.command('replay', 'name:big-refund', '--to', endpoint.origin)
  expect(headerOf(endpoint.requests[2], 'x-service-signature')).toBe(signed(endpoint.requests[2]))
})

test('a key opens it, a draft outlives closing, and a taken name can be moved', async ({
  app,
  endpoint,
  page,
}) => {
  await app.importHook('card.linked', 'keys')
  await press(page, 'n')
  const dialog = dialogIn(page, 'New request')
  const body = dialog.getByRole('textbox', { name: 'Body', exact: true })
  await retype(body, 'not JSON')
  await expect(dialog.getByText('No schema')).toBeVisible()
  await press(page, 'Escape')
  await expect(dialog).toBeHidden()
  await searchCommands(page, 'New request')
  await press(page, 'Enter')
  await expect.poll(() => textOf(body)).toBe('not JSON')
  await fill(dialog, 'Send to', endpoint.origin)
  await select(dialog, 'Event', 'card.linked')
  await expect(regionIn(dialog, 'Schema')).toContainText('Not JSON')
  await fill(dialog, 'Name', 'odd')
  await press(page, 'ControlOrMeta+Enter')
  await expect(regionIn(dialog, 'Response')).toContainText('200')
  await dialog.getByText('Close', { exact: true }).click()

  await press(page, 'n')
  await click(dialog, 'Send', { exact: true })
  await expect(dialog.getByText(/Another request is named "odd"/)).toBeVisible()
  expect(endpoint.requests).toHaveLength(1)
  await click(dialog, 'Send and move the name here')
  await expect(regionIn(dialog, 'Response')).toContainText('200')
  expect(endpoint.requests.map(({ body: sent }) => sent.toString())).toEqual([
    'not JSON',
    'not JSON',
  ])
})

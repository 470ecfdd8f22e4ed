/**
 * Replays: with a key, with changes, tampered, many at once; the confirmations, and the stored
 * results.
 */
import type { Locator } from '@playwright/test'
import { headerOf } from '../support/replay-fixture.ts'
import {
  buttonIn,
  click,
  deliveryIn,
  dialogIn,
  fill,
  groupIn,
  press,
  regionIn,
  retype,
  searchCommands,
  select,
  textOf,
  write,
} from './controls.ts'
import { expect, jsonAnswer, openRow, rowsWith, test } from './fixtures.ts'

const BODY = '{"id":"0b0f7c52","amount":10.00,"big":9007199254740993}'
const ANSWER = jsonAnswer(422, { error: 'amount' }, 'x-why: body\r\n')

/** Returns the names of controls whose middle is covered by another element, once scrolled to. */
async function coveredControls(within: Locator): Promise<readonly string[]> {
  const controls = await within.locator('button, [role=combobox], [role=textbox]').all()
  const covered: string[] = []
  for (const control of controls) {
    if (!(await control.isVisible())) continue
    await control.scrollIntoViewIfNeeded()
    const name = await control.evaluate((element) => {
      const { x, y, width, height } = element.getBoundingClientRect()
      const hit = document.elementFromPoint(x + width / 2, y + height / 2)
      const isHit = hit !== null && (element.contains(hit) || hit.contains(element))
      return isHit ? null : (element.ariaLabel ?? element.textContent)
    })
    if (name !== null) covered.push(name)
  }
  return covered
}

test('a key replays a delivery, asks for the target only the first time, and stores each result', async ({
  app,
  endpoint,
  page,
}) => {
  const hook = await app.importHook('transaction.auth', 'again')
  await app.deliver(hook, BODY, { headers: [['X-Tenant', 'a']] })
  const detail = await openRow(page, 'transaction.auth')
  await press(page, '5')
  await expect(detail.getByText('No replays yet.')).toBeVisible()
  await press(page, 'r')
  const where = dialogIn(page, 'Choose where to send it')
  await fill(where, 'Send to', `${endpoint.origin}/hooks`)
  await expect(where.getByText('On this computer.')).toBeVisible()
  await click(where, 'Replay', { exact: true })
  const replays = buttonIn(detail, /^Replay: /)
  await expect(replays).toHaveText([/Passed.*200/])

  // Immediately, because the target is known now.
  endpoint.answer = ANSWER
  await press(page, 'r')
  await expect(replays).toHaveText([/Passed/, /Regressed.*422/])
  expect(endpoint.requests.map(({ line, body }) => [line, body.toString()])).toEqual(
    Array.from({ length: 2 }, () => ['POST /hooks HTTP/1.1', BODY]),
  )
  const outcome = regionIn(page, 'Result')
  await expect(outcome.getByText('Your endpoint rejected the request.')).toBeVisible()
  await expect(outcome.getByRole('textbox', { name: 'Response', exact: true })).toContainText(
    '"error": "amount"',
  )
  await outcome.getByText('Response headers').click()
  await expect(outcome.getByText('x-why')).toBeVisible()
  await click(outcome, 'Compare with previous replay')
  await expect(outcome.getByText('200, now 422.')).toBeVisible()
  await expect(outcome.getByLabel('Compare with', { exact: true })).toContainText('· 200 ·')
  await expect(regionIn(outcome, 'Response differences')).toContainText('+x-why: body')
  await expect(regionIn(outcome, 'Response differences')).toContainText('+{"error":"amount"}')
  await expect(regionIn(outcome, 'Request differences')).toContainText('Same headers. Same body.')
  await outcome.getByText('Request', { exact: true }).click()
  await expect(outcome.getByRole('textbox', { name: 'Request', exact: true })).toContainText(
    'X-Tenant: a',
  )

  // The same response in the list and the summary; the last failing delivery is one click away.
  const cell = rowsWith(page, 'transaction.auth')
    .first()
    .getByRole('gridcell')
    .filter({ hasText: 'Your handler' })
  await expect(cell).toHaveText(/^422, Your handler didn't acknowledge a valid delivery/)
  await press(page, 'Escape')
  await expect(detail).toBeHidden()
  await searchCommands(page, 'last delivery that fails')
  await press(page, 'Enter')
  await expect(detail).toBeVisible()
  await press(page, '1')
  await expect(detail.getByText(/^Returned "amount"/)).toBeVisible()
  await click(detail, 'Show response of your handler')
  endpoint.answer = 200
  await press(page, 'r')
  await expect(replays.last()).toContainText('Fixed')
  await expect(cell).toHaveText(/^200, Your handler acknowledged it/)
  await searchCommands(page, 'last delivery that fails')
  await press(page, 'Enter')
  await expect(page.getByText('No delivery fails at your handler')).toBeVisible()

  // An unreachable endpoint is a failure with its reason.
  await endpoint.close()
  await press(page, 'r')
  await expect(outcome.getByText(/Connection refused at/)).toBeVisible()
  const fixed = replays.filter({ hasText: 'Fixed' })
  await expect(fixed).toHaveAttribute('aria-expanded', 'false')
  await fixed.click()
  await expect(fixed).toHaveAttribute('aria-expanded', 'true')
  // Without a response there is no response time.
  await press(page, 'g', 'r')
  const replaysPanel = dialogIn(page, 'Replays')
  const requests = groupIn(replaysPanel, 'Requests of this replay')
  await expect(requests.getByRole('heading')).toHaveText(/^Connection refused at /)
  await expect(requests.getByRole('button')).toContainText('Regressed')
  await expect(replaysPanel.getByRole('progressbar')).toHaveCount(0)
  await expect(replaysPanel.getByText(/^Today/).first()).toBeVisible()
})

test('the composer changes the request, lists each change, undoes single changes, and signs as chosen', async ({
  app,
  endpoint,
  page,
}) => {
  const hook = await app.importHook('transaction.auth', 'composed')
  await app.deliver(hook, BODY, { headers: [['X-Tenant', 'a']] })
  await openRow(page, 'transaction.auth')
  await press(page, 'R')
  const dialog = dialogIn(page, 'Replay with changes')
  await expect(dialog.getByLabel('Send to')).toBeFocused()
  await expect(dialog).toContainText('see the response here. On receipt, Countersign returned 200.')
  await fill(dialog, 'Send to', `${endpoint.origin}/in`)
  await expect(dialog.getByText(`Signed with the transaction.auth hook's secret`)).toContainText(
    hook.url,
  )
  await dialog.getByRole('combobox', { name: 'Method' }).click()
  await page.getByRole('option', { name: 'PUT' }).click()
  const body = dialog.getByRole('textbox', { name: 'Body', exact: true })
  const lines = ['{', '  "id": "0b0f7c52",', '  "amount": 10.00,', '  "big": 9007199254740993', '}']
  const formatted = lines.join('\n')
  // Opened formatted, but sent as captured.
  await expect.poll(() => textOf(body)).toBe(formatted)
  const sentWords = (length: number) =>
    dialog.getByText(`Sent without line breaks, ${length} bytes`)
  await expect(sentWords(BODY.length)).toBeVisible()
  // A click places the caret, and Tab leaves the editor.
  await body.getByText('10.00').click()
  await press(page, 'End', 'ArrowLeft', ...Array.from('10.00', () => 'Backspace'))
  await page.keyboard.type('12.5')
  await expect.poll(() => textOf(body)).toContain('"amount": 12.5,')
  await expect(body.getByRole('img', { name: 'was 10.00' })).toBeVisible()
  await press(page, 'Tab')
  await expect(body).not.toBeFocused()
  await dialog.getByText('Headers', { exact: true }).click()
  const headers = dialog.getByRole('textbox', { name: 'Headers' })
  await expect(headers).toContainText('X-Tenant: a')
  const others = (await textOf(headers)).split('\n').filter((line) => line !== 'X-Tenant: a')
  await retype(headers, ['X New: 1', ...others].join('\n'))
  await expect(headers).toHaveAccessibleDescription(/"X New" isn't a valid header name/)
  await expect(buttonIn(dialog, 'Send', { exact: true })).toBeDisabled()
  await retype(headers, ['X-Tenant: a', ...others, 'X-New: 1'].join('\n'))
  const changes = dialog.getByRole('list', { name: 'Changes' }).getByRole('listitem')
  await expect(changes).toHaveText([
    /Method.*POST → PUT/,
    /Headers.*X-New: 1/,
    /amount.*10\.00 → 12\.5/,
  ])
  await expect(dialog.getByText(/signature.* are set on send/i)).toBeVisible()
  await click(dialog, 'Undo: Method')
  await expect(changes).toHaveCount(2)
  await dialog.getByText('Preview', { exact: true }).click()
  const request = dialog.getByRole('textbox', { name: 'Request' })
  await expect(request).toContainText('POST /in HTTP/1.1')
  await expect(request).toContainText('"amount":12.5,"big":9007199254740993')
  expect(endpoint.requests).toHaveLength(0)
  await press(page, 'ControlOrMeta+Enter')
  const response = regionIn(dialog, 'Response')
  await expect(response.getByRole('status')).toHaveText(/200 OK.*Passed\./)
  const sent = regionIn(dialog, 'Sent from here')
  await expect(sent).toContainText(/1 time.*200.*2 changes/s)
  const [first] = endpoint.requests
  const changed = BODY.replace('10.00', '12.5')
  expect([first?.body.toString(), headerOf(first, 'x-new')]).toEqual([changed, '1'])

  await dialog.getByText('Body', { exact: true }).click()
  await retype(body, '{"a":1.50,"b":}')
  await expect(dialog.getByText(/Invalid JSON at 1:15/)).toBeVisible()
  await expect(dialog.getByText('Not JSON, sent as written')).toBeVisible()

  await click(dialog, 'Revert all')
  await expect.poll(() => textOf(body)).toBe(formatted)
  await expect(sentWords(BODY.length)).toBeVisible()
  // A button's change can be undone like typing.
  await body.click()
  await press(page, 'ControlOrMeta+z')
  await expect.poll(() => textOf(body)).toBe('{"a":1.50,"b":}')
  await press(page, 'ControlOrMeta+y')
  await expect.poll(() => textOf(body)).toBe(formatted)
  // The bytes can be edited too, and compared with the original.
  await dialog.getByText('As sent', { exact: true }).click()
  await expect.poll(() => textOf(body)).toBe(BODY)
  await retype(body, BODY.replace('10.00', ' 1.50'))
  await expect(changes).toHaveText([/Body: formatting/, /amount.*10\.00 → 1\.50/])
  await click(dialog, 'Compare with original')
  await expect(dialog.getByRole('textbox', { name: 'Changes to the body' })).toContainText(
    /"amount": 10\.00.*"amount": 1\.50/s,
  )
  await click(dialog, 'Compare with original')
  await click(dialog, 'Undo: Body: formatting')
  await expect.poll(() => textOf(body)).toBe(BODY.replace('10.00', '1.50'))
  await dialog.getByText('Formatted', { exact: true }).click()
  await select(dialog, 'Signature', 'As in the headers')
  await expect(dialog.getByText('Signature of the captured body, not this one.')).toBeVisible()
  await click(dialog, 'Send again')
  await expect.poll(() => endpoint.requests.length).toBe(2)
  await select(dialog, 'Signature', 'Re-sign on send')
  await select(dialog, 'Tamper', /^Single pass/)
  await select(dialog, 'Registered URL', 'URL it is sent to')
  await click(dialog, 'Send once')
  await fill(page, 'Repeat', '3')
  await press(page, 'Escape')
  await expect(buttonIn(dialog, 'Send 3 times')).toBeVisible()
  await click(dialog, 'Send again')
  await expect(dialog.getByRole('status').filter({ hasText: '3 not rejected' })).toBeVisible()
  await expect(sent.getByRole('button', { name: /Single pass, 1 change accepted/ })).toHaveCount(3)
  await click(sent, /captured signature/)
  await expect(response).toContainText('Accepted without a fresh signature.')
  // Nothing overlaps at a zoom of 200 %, and each control is met by a click.
  await page.setViewportSize({ width: 720, height: 450 })
  await expect.poll(() => coveredControls(dialog)).toEqual([])
  await page.setViewportSize({ width: 1440, height: 900 })

  await buttonIn(dialog, 'Close').first().click()
  // Until it is gone, it gets the keys.
  await expect(dialog).toBeHidden()
  await press(page, '5')
  const options = buttonIn(deliveryIn(page), /^Replay: /)
  await expect(options).toHaveCount(5)
  await expect(options.last()).toContainText(/Accepted.*tampered: single-pass/)
  await expect(page.getByText('Your handler accepted a forged delivery')).toBeVisible()
  await expect(options.first()).toContainText('changed headers, body')
})

test('all matching deliveries are replayed at once; the replay is cancelled, and links to its deliveries', async ({
  app,
  endpoint,
  page,
}) => {
  const hook = await app.importHook('card.linked', 'bulk')
  for (let count = 0; count < 40; count++) await app.deliver(hook, `{"count":${count}}`)
  await app.deliver(hook, '{"other":1}')
  await write(page.getByRole('combobox', { name: /filter/i }), 'count:<40')
  await press(page, 'Enter')
  // By then, all of them are described too.
  await expect(page.getByTestId('count')).toHaveText('40 of 41')
  await searchCommands(page, 'replay matching deliveries')
  await press(page, 'Enter')
  const dialog = dialogIn(page, 'Replay matching deliveries')
  await fill(dialog, 'Send to', `${endpoint.origin}/bulk`)
  // Slow enough to still be in progress when it is cancelled.
  await click(dialog, 'Send once')
  await fill(page, 'Max per second', '1')
  await press(page, 'Escape')
  await click(dialog, 'Send', { exact: true })
  await click(dialogIn(page, 'Send this many?'), 'Send 40 requests')
  // The dialog has grown by its progress before its close button is clicked.
  await expect(dialog.getByRole('status').getByText(/\d+ of 40: /)).toBeVisible()
  await buttonIn(dialog, 'Close').first().click()
  const foot = page.getByRole('contentinfo')
  await expect(buttonIn(foot, /Replay: \d+ of 40/)).toBeVisible()
  endpoint.answer = 500
  await expect(foot.getByText(/[1-9]\d* failed/)).toBeVisible()
  await click(foot, /Replay: \d+ of 40/)
  const panel = dialogIn(page, 'Replays')
  // The address has the dialog and the filter.
  await page.reload()
  await expect(regionIn(panel, 'Replay').getByText(/matching "count:<40" to/)).toBeVisible()
  await expect(page.getByTestId('count')).toHaveText('40 of 41')
  await click(regionIn(panel, 'Replay'), 'Cancel')
  await expect(panel.getByText(/cancelled/)).toBeVisible()
  // Its statistics: volume, share failing and response times.
  const statistics = regionIn(panel, 'Statistics', { exact: true })
  await statistics.getByText('Handler', { exact: true }).click()
  await expect(
    statistics.getByRole('row', { name: /\/bulk \d+ [1-9][\d.]*% [\d.]+ ms/ }),
  ).toBeVisible()
  const sent = endpoint.requests.length
  expect(sent).toBeLessThan(40)
  await panel
    .getByRole('radiogroup', { name: 'Filter requests' })
    .getByText('Failed', { exact: true })
    .click()
  const failed = groupIn(panel, 'Requests of this replay').getByRole('button')
  await expect(failed.first()).toContainText('Failed')
  await expect(panel).toContainText('OutcomeEventReceivedTimeSent toDelivery')
  await expect(panel).not.toContainText('newest first')
  await failed.first().click()
  await expect(regionIn(page, 'Result')).toContainText('Your handler failed.')
  expect(endpoint.requests).toHaveLength(sent)

  // The replay leads to its deliveries, and sends those that failed again.
  await press(page, 'g', 'r')
  await click(panel, 'Show in Deliveries')
  await expect(panel).toBeHidden()
  await expect(page.getByTestId('count')).toHaveText('40 of 41')
  endpoint.answer = 200
  await press(page, 'g', 'r')
  await click(panel, /^Replay \d+ failed$/)
  await expect(panel.locator('[aria-current=true]')).toContainText('All passed')
  await expect(panel.getByRole('radiogroup', { name: 'Filter requests' })).toContainText(
    /Fixed[1-9]/,
  )
  const sentAgain = endpoint.requests.length
  await press(page, 'Escape')
  // A closing dialog would swallow the key.
  await expect(panel).toBeHidden()

  // A replay that a shutdown interrupts can be resumed after the next start.
  await searchCommands(page, 'replay matching deliveries')
  await press(page, 'Enter')
  await click(dialog, 'Send once')
  await fill(page, 'Max per second', '10')
  await press(page, 'Escape')
  await click(dialog, 'Send', { exact: true })
  await click(page, 'Send 40 requests')
  await expect.poll(() => endpoint.requests.length).toBeGreaterThan(sentAgain)
  await app.restart()
  const again = dialogIn(app.page, 'Replays')
  await click(app.page.getByRole('contentinfo'), '1 replay was interrupted')
  await expect(again.locator('[aria-current=true]')).toBeFocused()
  await click(again, 'Resume')
  // The button of the replay, not of a single send.
  await expect(
    regionIn(again, 'Replay').getByRole('heading').getByText('In progress'),
  ).toBeVisible()
  const ended = regionIn(again, 'Replay').getByRole('heading').getByText('All passed')
  await expect(ended).toBeVisible()
})

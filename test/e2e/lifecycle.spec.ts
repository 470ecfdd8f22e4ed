/** The lifecycle of a purchase: its auth, its clearing three sandbox days later, and its refund. */
import { click, headingIn, press, tabIn } from './controls.ts'
import { expect, openRow, test } from './fixtures.ts'
import { makePurchase } from './purchase.ts'

test('a purchase is shown from auth to refund, in sandbox time and real time, and each event opens', async ({
  app,
  page,
}) => {
  const purchase = await makePurchase(app)
  const detail = await openRow(page, 'transaction.auth')
  await press(page, '5')
  await expect(tabIn(detail, 'History')).toHaveAttribute('aria-selected', 'true')
  await expect(detail.getByTitle(purchase)).toBeVisible()
  const events = detail.getByRole('list', { name: 'Events' })
  await expect(events.getByRole('heading', { level: 4 })).toHaveText([
    'Auth',
    'Clearing',
    'Refund',
    'Refund clearing',
  ])
  const clearing = events
    .getByRole('listitem')
    .filter({ has: headingIn(page, 'Clearing', { exact: true }) })
    .first()
  await expect(clearing).toContainText(/\+ [23] days/)
  await expect(detail.getByText(/The refund was reported twice, as specified/)).toBeVisible()

  await clearing.getByRole('button', { name: /^Valid/ }).click()
  await expect(detail.getByRole('heading', { level: 2 })).toContainText('transaction.clearing')
  await expect(events.getByText('this delivery')).toHaveCount(1)
})

test("the attempts of a notification share a line that shows what should and shouldn't differ", async ({
  app,
  page,
}) => {
  const hook = await app.importHook('transaction.auth', 'refused')
  const [{ id } = { id: '' }] = (await app.command('hooks', 'list', '--json'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; url: string })
    .filter(({ url }) => url === hook.url)
  await app.command('hooks', 'update', id, '--answer', 'status=500,body={"a":1}')
  await app.deliver(hook, '{"n":1}')
  await app.deliver(hook, '{"n":1}')
  const detail = await openRow(page, 'Attempt 2 of 3')
  await press(page, '5')
  await expect(detail.getByText('Delivered twice.', { exact: false })).toBeVisible()
  await expect(detail.getByText('New signature.')).toBeVisible()
  await expect(detail.getByText('Body unchanged, byte for byte.')).toBeVisible()
  await expect(detail.getByText(/earlier than the expected 1 min/)).toBeVisible()
  await press(page, '1')
  await click(detail, 'Show response of Countersign')
  await expect(tabIn(detail, 'Raw')).toHaveAttribute('aria-selected', 'true')
  await expect(detail.getByText(/^Responded 500/)).toBeVisible()
  await expect(detail.getByRole('textbox', { name: 'Response', exact: true })).toContainText(
    '"a": 1',
  )
  await detail.getByRole('radio', { name: /^Headers \d/ }).click()
  await expect(detail.getByRole('rowheader', { name: 'Content-Length' })).toBeVisible()
  await press(page, '5')
  await click(detail, 'Compare with the previous attempt')
  await expect(headingIn(page, 'Compare', { level: 1 })).toBeVisible()
  await expect(page.getByText('Identical, token by token.')).toBeVisible()
})

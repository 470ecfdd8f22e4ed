import { buttonIn, click, headingIn, press, regionIn, tabIn } from './controls.ts'
import { expect, openRow, rowsWith, test, type App } from './fixtures.ts'

const EVENTS = ['transaction.auth', 'transaction.clearing', 'transaction.refund'] as const

/**
 * Makes a purchase, its clearing three sandbox days later, and its refund; returns the
 * transaction's ID.
 */
export async function makePurchase(app: App): Promise<string> {
  for (const event of EVENTS) await app.importHook(event, event.replace('.', '-'))
  const made = JSON.parse(await app.command('trigger', 'transaction.auth', '--json')) as {
    objects: { transaction: string }
  }
  await expect(rowsWith(app.page, 'transaction.auth')).toHaveCount(1)
  await app.command('sandbox', 'clock', 'jump', '84h')
  await expect(rowsWith(app.page, 'transaction.clearing')).toHaveCount(1)
  await app.command('trigger', 'transaction.refund', '--of', made.objects.transaction)
  await expect(rowsWith(app.page, 'transaction.refund')).toHaveCount(1)
  await expect(rowsWith(app.page, 'transaction.clearing')).toHaveCount(2)
  return made.objects.transaction
}

test('a purchase is shown from auth to refund, in sandbox time and real time; each event opens, and its auth and clearing are compared as the clearing suggests', async ({
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

  await openRow(page, 'transaction.auth')
  await press(page, '1')
  const screen = regionIn(page, 'Comparison', { exact: true })
  const sentence = (text: string) => screen.getByRole('status').filter({ hasText: text })
  await click(detail, "this auth's clearing")
  await expect(sentence('1 changed, 1 ignored')).toBeVisible()
  await expect(screen.getByRole('list').getByText('1 ignored: updated')).toBeVisible()
  const row = screen.getByRole('listitem').filter({ hasText: 'cleared' })
  await expect(row).toContainText('changed: clearedfalsetrue')

  await press(page, 'i')
  await expect(sentence('2 changed')).toBeVisible()
  await expect(screen.getByText('Difference 1 of 2')).toBeVisible()
  await press(page, 'n')
  await expect(screen.getByText('Difference 2 of 2')).toBeVisible()
  await press(page, 'n')
  await expect(screen.getByText('Difference 1 of 2')).toBeVisible()
  await press(page, 'N')
  await expect(screen.getByText('Difference 2 of 2')).toBeVisible()
  await press(page, 's')
  await expect(row).toContainText('changed: clearedtruefalse')
  await press(page, 'u')
  await expect(row).toHaveCount(1)
  await expect(buttonIn(screen, 'Side by side')).toBeVisible()

  await tabIn(screen, 'Text').click()
  await expect(sentence('Difference 1 of 2')).toBeVisible()
  await press(page, 'n')
  await expect(sentence('Difference 2 of 2')).toBeVisible()
})

test("the attempts of a notification share a line that shows what should and shouldn't differ; if none delivered it, it is red, and our 200 to an invalid delivery is neutral", async ({
  app,
  page,
}) => {
  const hook = await app.importHook('transaction.auth', 'refused')
  await app.deliver({ ...hook, secret: 'another-secret-4711' }, '{"n":0}')
  const detail = await openRow(page, 'Invalid', 'Overview')
  await expect(detail.getByLabel('Responses', { exact: true })).toContainText('Recorded only')
  const [{ id } = { id: '' }] = (await app.command('hooks', 'list', '--json'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; url: string })
    .filter(({ url }) => url === hook.url)
  await app.command('hooks', 'update', id, '--answer', 'status=500,body={"a":1}')
  await app.deliver(hook, '{"n":1}')
  await app.deliver(hook, '{"n":1}')
  await openRow(page, 'Attempt 2 of 3')
  await press(page, '5')
  await press(page, '1')
  await click(detail, 'Show response of Countersign')
  await expect(tabIn(detail, 'Raw')).toHaveAttribute('aria-selected', 'true')
  await expect(detail.getByText(/^Responded 500/)).toBeVisible()
  await expect(detail.getByRole('textbox', { name: 'Response', exact: true })).toContainText(
    '"a": 1',
  )
  await detail
    .getByRole('radiogroup', { name: 'Response view' })
    .getByText(/^Headers/)
    .click()
  await expect(detail.getByRole('rowheader', { name: 'Content-Length' })).toBeVisible()
  await press(page, '5')
  await click(detail, 'Compare with the previous attempt')
  await expect(headingIn(page, 'Compare', { level: 1 })).toBeVisible()
  await expect(page.getByText('Identical, token by token.')).toBeVisible()

  await press(page, 'g', 'd')
  await app.deliver(hook, '{"n":1}')
  await openRow(page, '3 of 3 failed', 'Overview')
  await expect(detail.getByText('Not acknowledged after 3 attempts')).toBeVisible()
})

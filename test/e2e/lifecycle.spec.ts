/** The lifecycle of a purchase: its auth, its clearing three sandbox days later, and its refund. */
import { expectNoViolations } from './accessible.ts'
import { expect, openRow, test } from './fixtures.ts'
import { makePurchase } from './purchase.ts'

test('a purchase is shown from auth to refund, in sandbox time and real time, and each event opens', async ({
  app,
}) => {
  const purchase = await makePurchase(app)
  const { page } = app
  const detail = await openRow(page, 'transaction.auth')
  await page.keyboard.press('7')
  await expect(detail.getByRole('tab', { name: 'Lifecycle' })).toHaveAttribute(
    'aria-selected',
    'true',
  )
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
    .filter({ has: page.getByRole('heading', { name: 'Clearing', exact: true }) })
    .first()
  await expect(clearing).toContainText(/\+ [23] days/)
  await expect(detail.getByText(/The refund was reported twice, as specified/)).toBeVisible()
  await expectNoViolations(app, 'the lifecycle')
  // Received within seconds, but events of many days: on one scale, the dots received lie together.
  const dots = await detail
    .locator('svg g:has(> path)')
    .evaluateAll((groups) =>
      groups.map((group) =>
        Array.from(group.querySelectorAll('circle[r="4.5"]'), (dot) =>
          Number(dot.getAttribute('cx')),
        ),
      ),
    )
  const spans = [0, 1].map((axis) => {
    const places = dots.map((pair) => pair[axis] ?? Number.NaN)
    return Math.max(...places) - Math.min(...places)
  })
  expect(dots).toHaveLength(4)
  expect(spans[1]).toBeLessThan((spans[0] ?? 0) / 2)

  await clearing.getByRole('button', { name: /Valid/ }).click()
  await expect(detail.getByRole('heading', { level: 2 })).toContainText('transaction.clearing')
  await expect(events.getByText('this delivery')).toHaveCount(1)
})

test("the attempts of a notification share a line that shows what should and shouldn't differ", async ({
  app,
}) => {
  const { page } = app
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
  await page.keyboard.press('5')
  await expect(detail.getByText('Delivered twice.', { exact: false })).toBeVisible()
  await expect(detail.getByText('New signature.')).toBeVisible()
  await expect(detail.getByText('Body unchanged, byte for byte.')).toBeVisible()
  await expect(detail.getByText(/earlier than the expected 1 min/)).toBeVisible()
  await expectNoViolations(app, 'attempts')
  await page.keyboard.press('1')
  await detail.getByRole('button', { name: 'Show response of Countersign' }).click()
  await expect(detail.getByRole('tab', { name: 'Raw' })).toHaveAttribute('aria-selected', 'true')
  await expect(detail.getByText(/^Responded 500/)).toBeVisible()
  await expect(detail.getByRole('group', { name: 'Response', exact: true })).toContainText('"a": 1')
  await detail.getByRole('radio', { name: /^Headers \d/ }).click()
  await expect(detail.getByRole('rowheader', { name: 'Content-Length' })).toBeVisible()
  await page.keyboard.press('5')
  await detail.getByRole('button', { name: 'Compare with the previous attempt' }).click()
  await expect(page.getByRole('heading', { name: 'Compare', level: 1 })).toBeVisible()
  await expect(page.getByText('Identical, token by token.')).toBeVisible()
})

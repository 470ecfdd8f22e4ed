/** The filter: fields, text, what it cannot read, and rows that arrive while it is in force. */
import { expect, listOf, rowsWith, test, type App } from './fixtures.ts'

async function seed(app: App) {
  const payments = app.importHook('transaction.auth', 'payments')
  const cards = app.importHook('card.linked', 'cards')
  await app.deliver(payments, '{"shop":"coffee bar"}')
  await app.deliver(payments, '{"shop":"bakery"}', { body: '{"shop":"changed"}' })
  await app.deliver(cards, '{}')
  await app.send('/nobody', 'hello')
  await expect(listOf(app.page)).toHaveAttribute('aria-rowcount', '5')
  return { payments, cards }
}

test('fields and text narrow the list, and rows that match go on arriving', async ({ app }) => {
  const { payments, cards } = await seed(app)
  const filter = app.page.getByLabel('Filter deliveries')
  const count = app.page.getByTestId('count')
  await filter.fill('event:transaction.auth is:valid')
  await expect(count).toHaveText('1 of 4')
  await app.deliver(payments, '{"shop":"another"}')
  await expect(count).toHaveText('2 of 5')
  await app.deliver(cards, '{"n":2}')
  await expect(count).toHaveText('2 of 6')
  await filter.fill('is:invalid')
  await expect(count).toHaveText('1 of 6')
  await expect(rowsWith(app.page, 'Invalid')).toHaveCount(1)
  await filter.fill('"coffee bar"')
  await expect(count).toHaveText('1 of 6')
})

test('what cannot be read is said under the field, and the list stays', async ({ app }) => {
  await seed(app)
  const filter = app.page.getByLabel('Filter deliveries')
  await filter.fill('is:vaild')
  await expect(filter).toHaveAttribute('aria-invalid', 'true')
  await expect(app.page.getByRole('alert')).toContainText('vaild')
  await expect(rowsWith(app.page, /Valid/)).toHaveCount(2)
})

test('a filter that nothing fits says so and offers to clear it', async ({ app }) => {
  await seed(app)
  // A text is completed by nothing, so that nothing lies over the button.
  await app.page.getByLabel('Filter deliveries').fill('"nothing like this"')
  await expect(app.page.getByRole('heading', { name: 'No delivery matches' })).toBeVisible()
  await app.page.getByRole('main').getByRole('button', { name: 'Clear the filter' }).last().click()
  await expect(listOf(app.page)).toHaveAttribute('aria-rowcount', '5')
})

test('what may come next is offered and taken with the keyboard', async ({ app }) => {
  await seed(app)
  const filter = app.page.getByLabel('Filter deliveries')
  await filter.pressSequentially('is:inv')
  const offered = app.page.getByRole('option', { name: /is:invalid/ })
  await expect(offered).toBeVisible()
  await app.page.keyboard.press('ArrowDown')
  await expect(offered).toHaveAttribute('data-highlighted')
  await app.page.keyboard.press('Enter')
  await expect(filter).toHaveValue('is:invalid ')
  await expect(app.page.getByTestId('count')).toHaveText('1 of 4')
})

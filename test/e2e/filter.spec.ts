/** The search bar: what it hides and marks, what it offers, what it cannot read, and rows that arrive while it is in force. */
import { expectNoViolations } from './accessible.ts'
import { expect, listOf, rowsWith, test, type App } from './fixtures.ts'

async function seed(app: App) {
  const payments = await app.importHook('transaction.auth', 'payments')
  const cards = await app.importHook('card.linked', 'cards')
  await app.deliver(payments, '{"shop":"coffee bar"}')
  await app.deliver(payments, '{"shop":"bakery"}', { body: '{"shop":"changed"}' })
  await app.deliver(cards, '{}')
  await app.send('/nobody', 'hello')
  await expect(listOf(app.page)).toHaveAttribute('aria-rowcount', '5')
  return { payments, cards }
}

const filterOf = (app: App) => app.page.getByLabel('Filter deliveries')

test('fields and text narrow the list, and rows that match go on arriving', async ({ app }) => {
  const { payments, cards } = await seed(app)
  const filter = filterOf(app)
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

test('a row that comes to match once it is answered and described appears by itself', async ({ app }) => {
  const { payments } = await seed(app)
  const count = app.page.getByTestId('count')
  await filterOf(app).fill('status:200 schema:issues')
  await expect(count).toHaveText('2 of 4')
  await app.deliver(payments, '{"shop":"another"}')
  await expect(count).toHaveText('3 of 5')
})

test('what cannot be read is marked, said under the field with what was meant, and the list stays', async ({ app }) => {
  await seed(app)
  const { page } = app
  const filter = filterOf(app)
  await filter.fill('verdct:invalid coffee')
  await expect(filter).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByRole('alert')).toHaveText(/There is no field "verdct"\. Did you mean verdict:\?/)
  await expect(page.getByTestId('squiggle')).toHaveText('verdct')
  await expect(rowsWith(page, /Valid/)).toHaveCount(2)
  await expectNoViolations(app, 'a filter that cannot be read')
  await page.getByRole('button', { name: 'verdict:', exact: true }).click()
  await expect(filter).toHaveValue('verdict:invalid coffee')
  await expect(filter).toHaveAttribute('aria-invalid', 'false')
  await expect(page.getByTestId('count')).toHaveText('0 of 4')

  await filter.fill('coffee or house')
  await expect(page.getByText('"or" is looked for as a word.')).toBeVisible()
  await page.getByRole('button', { name: 'OR', exact: true }).click()
  await expect(filter).toHaveValue('coffee OR house')
  await expect(filter).toBeFocused()
})

test('a filter that nothing fits says so and offers to clear it', async ({ app }) => {
  await seed(app)
  // A text is completed by nothing, so that nothing lies over the button.
  await filterOf(app).fill('"nothing like this"')
  await expect(app.page.getByRole('heading', { name: 'No delivery matches' })).toBeVisible()
  await app.page.getByRole('main').getByRole('button', { name: 'Clear the filter' }).last().click()
  await expect(listOf(app.page)).toHaveAttribute('aria-rowcount', '5')
})

test('what may come next is offered and taken with the keyboard, values of what is stored among it', async ({ app }) => {
  await seed(app)
  const { page } = app
  const filter = filterOf(app)
  await filter.pressSequentially('is:inv')
  const offered = page.getByRole('option', { name: /is:invalid/ })
  await expect(offered).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(offered).toHaveAttribute('data-highlighted')
  await page.keyboard.press('Enter')
  await expect(filter).toHaveValue('is:invalid ')
  await expect(page.getByTestId('count')).toHaveText('1 of 4')

  await filter.fill('')
  await filter.pressSequentially('sho')
  await expect(page.getByRole('option', { name: /^shop:/ })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(filter).toHaveValue('shop:')
  await page.getByRole('option', { name: /coffee bar/ }).click()
  await expect(filter).toHaveValue('shop:"coffee bar" ')
  await expect(page.getByTestId('count')).toHaveText('1 of 4')
  await page.keyboard.press('Escape')
  await expect(filter).toHaveValue('shop:"coffee bar" ')
  // Emptied from the list, the field offers nothing over it.
  await filter.fill('"coffee bar"')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect(filter).toHaveValue('')
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '5')
  await expect(page.getByRole('option')).toHaveCount(0)
})

test('at rest the terms are chips: one is taken out, another edited as text', async ({ app }) => {
  await seed(app)
  const { page } = app
  const filter = filterOf(app)
  const count = page.getByTestId('count')
  await filter.fill('path:/h/payments -is:valid shop:changed')
  await expect(count).toHaveText('1 of 4')
  await listOf(page).focus()
  await expectNoViolations(app, 'a filter at rest')
  await page.getByRole('button', { name: 'Remove -is:valid' }).click()
  await expect(filter).toHaveValue('path:/h/payments shop:changed')
  await page.getByRole('button', { name: 'Edit path:/h/payments' }).click()
  await expect(filter).toBeFocused()
  const selected = await filter.evaluate((input: HTMLInputElement) =>
    input.value.slice(input.selectionStart ?? 0, input.selectionEnd ?? 0),
  )
  expect(selected).toBe('path:/h/payments')
  await page.keyboard.press('ArrowRight')
  for (let times = 0; times < 4; times++) await page.keyboard.press('Backspace')
  await expect(filter).toHaveValue('path:/h/paym shop:changed')
  await page.keyboard.type('*')
  await expect(count).toHaveText('1 of 4')
})

test('marking hides nothing, tells how many match, and marks what arrives', async ({ app }) => {
  const { payments, cards } = await seed(app)
  const { page } = app
  const marked = listOf(page).getByText('matches the filter')
  await filterOf(app).fill('shop:*')
  await listOf(page).focus()
  await page.keyboard.press('m')
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '5')
  await expect(marked).toHaveCount(2)
  await expect(page.getByTestId('count')).toHaveText('2 of 4 marked')
  await expectNoViolations(app, 'a list with marks')
  await app.deliver(payments, '{"shop":"another"}')
  await app.deliver(cards, '{"n":1}')
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '7')
  await expect(marked).toHaveCount(3)
  await expect(page.getByTestId('count')).toHaveText('3 of 6 marked')
  await page.keyboard.press('m')
  await expect(listOf(page)).toHaveAttribute('aria-rowcount', '4')
})

test('a search is kept under a name, changed, opened from the palette, removed, and outlives a restart', async ({ app }) => {
  await seed(app)
  await filterOf(app).fill('shop:changed')
  await app.page.keyboard.press('Enter')
  await expect(app.page.getByTestId('count')).toHaveText('1 of 4')
  await app.page.getByRole('button', { name: 'Saved views' }).click()
  await app.page.getByRole('menuitem', { name: 'Save this search…' }).click()
  await app.page.getByRole('button', { name: 'Save the view' }).click()
  await expect(app.page.getByText('Give it a name.')).toBeVisible()
  await app.page.getByLabel('Name').fill('Changed shops')
  await expectNoViolations(app, 'the dialog that saves a view')
  await app.page.keyboard.press('Enter')
  await expect(app.page.getByRole('dialog')).toHaveCount(0)

  await app.page.getByRole('button', { name: 'Saved views' }).click()
  await app.page.getByRole('menuitem', { name: 'Edit the views…' }).click()
  await app.page.getByRole('button', { name: 'Change Changed shops' }).click()
  await app.page.getByLabel('Search', { exact: true }).fill('shop:')
  await app.page.getByRole('button', { name: 'Save the view' }).click()
  await expect(app.page.getByText('"shop:" needs a value')).toBeVisible()
  await app.page.getByLabel('Search', { exact: true }).fill('shop:coffee*')
  await app.page.getByRole('button', { name: 'Save the view' }).click()
  await expect(app.page.getByText('shop:coffee*')).toBeVisible()
  await app.page.getByRole('button', { name: 'Done' }).click()

  await app.restart()
  await expect(listOf(app.page)).toHaveAttribute('aria-rowcount', '5')
  await app.page.keyboard.press('ControlOrMeta+k')
  await app.page.keyboard.type('changed sho')
  await app.page.keyboard.press('Enter')
  await expect(filterOf(app)).toHaveValue('shop:coffee*')
  await expect(app.page.getByTestId('count')).toHaveText('1 of 4')

  await app.page.getByRole('button', { name: 'Saved views' }).click()
  await app.page.getByRole('menuitem', { name: 'Edit the views…' }).click()
  await app.page.getByRole('button', { name: 'Remove Changed shops' }).click()
  await expect(app.page.getByText('There are none.')).toBeVisible()
})

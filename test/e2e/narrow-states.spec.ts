import { connect } from 'node:tls'
import {
  buttonIn,
  click,
  fill,
  deliveryIn,
  dialogIn,
  groupIn,
  menuItemIn,
  tabIn,
  press,
} from './controls.ts'
import { expect, listOf, openRow, rowsWith, test } from './fixtures.ts'

test.use({
  appearance: {
    colorScheme: 'light',
    viewport: { width: 900, height: 900 },
    reducedMotion: 'reduce',
  },
})

test("beside a delivery, the list's buttons are one menu with words and keys, by key too, and a handler's status is whole; tabs that don't fit are in a menu", async ({
  app,
  endpoint,
  page,
}) => {
  const hook = await app.importHook('transaction.auth', 'menu')
  // Schema messages quote a value that has no place to break.
  await app.deliver(hook, JSON.stringify({ accountId: 'x'.repeat(60) }))
  await app.command('replay', 'latest', '--to', endpoint.origin).catch(() => '')
  const detail = await openRow(page, 'transaction.auth', 'Overview')
  await expect(detail.getByRole('list', { name: 'Failed checks' })).toContainText('x'.repeat(50))
  const overview = groupIn(detail, 'Overview')
  expect(
    await overview.evaluate((element) => element.scrollWidth - element.clientWidth),
  ).toBeLessThanOrEqual(0)
  const [field, more] = [
    page.getByRole('combobox').first(),
    buttonIn(page, 'More', { exact: true }).first(),
  ]
  const [one, other] = [await field.boundingBox(), await more.boundingBox()]
  expect(Math.abs((one?.y ?? 0) - (other?.y ?? 0))).toBeLessThan(20)
  await more.focus()
  await press(page, 'Enter')
  await expect(menuItemIn(page, 'Follow newest')).toContainText('f')
  await expect(menuItemIn(page, 'Delete all that is not pinned')).toBeVisible()
  await menuItemIn(page, 'Columns').press('ArrowRight')
  await expect(page.getByRole('menuitemcheckbox', { name: 'Merchant' })).toBeVisible()
  await press(page, 'Escape', 'Escape')
  await more.click()
  await menuItemIn(page, 'Import deliveries…').click()
  await expect(dialogIn(page, 'Import deliveries')).toBeVisible()
  await press(page, 'Escape')
  const status = rowsWith(page, 'transaction.auth').locator('[data-column=handler]')
  expect(
    await status.evaluate((cell) => cell.scrollWidth - cell.clientWidth),
    await status.innerText(),
  ).toBeLessThanOrEqual(0)

  const cells = await detail
    .getByLabel('Responses', { exact: true })
    .evaluate((line) => line.scrollWidth - line.clientWidth)
  expect(cells).toBeLessThanOrEqual(0)
  await page.setViewportSize({ width: 400, height: 900 })
  await expect(tabIn(detail, 'Raw')).toHaveCount(0)
  const views = buttonIn(detail, 'More delivery views')
  await views.focus()
  await press(page, 'Enter')
  await expect(menuItemIn(page, 'Raw')).toBeVisible()
  await menuItemIn(page, 'Raw').press('Enter')
  await expect(tabIn(detail, 'Raw')).toHaveAttribute('aria-selected', 'true')
  await page.setViewportSize({ width: 1600, height: 700 })
  await expect(views).toBeHidden()
  await expect(detail.getByRole('tab')).toHaveCount(6)
})

test('beside a delivery at 1440 and 900 px, no cell touches the next, issues have words and a long amount is whole; at 200 % the terms of a filter keep their text', async ({
  app,
  endpoint,
  page,
}) => {
  await page.setViewportSize({ width: 1440, height: 900 })
  const hook = await app.importHook('transaction.clearing.qualified', 'long')
  const body = '{"amount":123456789012.99,"currency":"GBP"}'
  await app.deliver(hook, body, { body: `${body} ` })
  await app.command('replay', 'latest', '--to', endpoint.origin).catch(() => '')
  const { hostname, port } = new URL(app.receiver)
  const socket = connect({ host: hostname, port: Number(port), rejectUnauthorized: false })
  socket.end('\u0001\u0002\r\n\r\n').resume()
  await app.command('trigger', 'transaction.clearing.qualified')
  const malformed = rowsWith(page, 'Malformed')
  await expect(malformed).toBeVisible()
  const list = listOf(page)
  const header = (name: string) => list.getByRole('columnheader', { name })
  const row = rowsWith(page, '123,456,789,012.99')
  const amount = row.getByText('123,456,789,012.99')
  await row.click()
  await expect(deliveryIn(page)).toBeVisible()

  /** Pixels between what a cell shows and the next cell's; the least of a row's. */
  const gapsOf = () =>
    list.getByRole('row').evaluateAll((rows) =>
      rows.map((line) => {
        const boxes = [...line.children]
          .filter((cell) => cell.clientWidth > 0)
          .map((cell) => [...cell.children].filter((part) => part.innerHTML !== ''))
          .map((parts) => parts.map((part) => part.getBoundingClientRect()))
          .map((parts) => parts.filter(({ width, height }) => width > 1 && height > 1))
          .filter((parts) => parts.length > 0)
          .map((parts) => [
            Math.min(...parts.map(({ left }) => left)),
            Math.max(...parts.map(({ right }) => right)),
          ])
        const gaps = boxes.slice(1).map(([left = 0], index) => left - (boxes[index]?.[1] ?? 0))
        return Math.min(...gaps)
      }),
    )
  expect(Math.min(...(await gapsOf()))).toBeGreaterThanOrEqual(4)
  expect(await amount.evaluate((part) => part.scrollWidth - part.clientWidth)).toBe(0)
  const cell = (column: string) => row.locator(`[data-column=${column}]`)
  expect((await cell('event').boundingBox())?.width).toBeLessThanOrEqual(180)
  expect((await cell('signature').boundingBox())?.width).toBe(96)
  const words = await cell('issues').locator('.truncate').boundingBox()
  expect(words?.width).toBeGreaterThan(60)
  const left = async (name: string) => (await header(name).boundingBox())?.x
  expect((await cell('handler').locator('svg').boundingBox())?.x).toBe(await left('Your handler'))
  const reason = malformed.locator('[data-column=issues]')
  await expect(reason).toContainText(/\.First bytes: 01 02 0d 0a/)
  expect((await reason.boundingBox())?.x).toBe(await left('Event'))

  await page.setViewportSize({ width: 900, height: 900 })
  expect(Math.min(...(await gapsOf()))).toBeGreaterThanOrEqual(4)
  const event = rowsWith(page, 'clearing.qualified').locator('[data-column=event] .truncate')
  const beyond = await event.evaluate((name) => {
    const range = document.createRange()
    range.selectNodeContents(name)
    return range.getBoundingClientRect().right - name.getBoundingClientRect().right
  })
  expect(beyond).toBeLessThanOrEqual(0)

  await page.setViewportSize({ width: 720, height: 450 })
  await fill(page, 'Filter deliveries', 'is:invalid')
  await list.focus()
  const chip = buttonIn(page, 'Edit is:invalid')
  expect(await chip.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0)
  await click(page, 'Remove is:invalid')
  await expect(malformed).toBeVisible()
})

import type { Locator } from '@playwright/test'
import { buttonIn, deliveryIn, groupIn, press } from './controls.ts'
import { expect, listOf, newerOf, openRow, rowsWith, test } from './fixtures.ts'

const COUNT = 2_000

async function scrollTo(list: Locator, share: number): Promise<void> {
  await list.evaluate((element, part) => {
    const scroller = [element, ...element.children].find(
      ({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1,
    )
    if (scroller !== undefined) scroller.scrollTop = scroller.scrollHeight * part
  }, share)
}

test('the list holds still: a selected row stays at its pixel while 200 arrive, and every click selects the row under the pointer', async ({
  app,
  page,
}) => {
  const list = listOf(page)
  for (let sent = 0; sent < 3; sent++) await app.send(`/old/${sent}`, 'x')
  const selected = list.locator('[aria-selected=true]')
  await rowsWith(page, '/old/2').click()
  await expect(selected).toHaveAttribute('aria-rowindex', '2')
  const top = async () => (await selected.boundingBox())?.y
  const [before, header] = [await top(), await list.getByRole('columnheader').first().boundingBox()]
  const newRows = newerOf(page)

  const EVERY_MS = 25
  const sending = (async () => {
    const from = performance.now()
    const sent: Promise<number>[] = []
    for (let count = 0; count < 200; count++) {
      await page.waitForTimeout(Math.max(0, from + count * EVERY_MS - performance.now()))
      sent.push(app.send(`/new/${count}`, 'x'))
    }
    await Promise.all(sent)
  })()
  const places = new Set<number | undefined>()
  for (let place = 0; place < 10; place++) {
    places.add(await top())
    await page.waitForTimeout(100)
  }
  expect([...places]).toEqual([before])

  // Rows that a user can see now: some of the new ones, above the old ones.
  await list.hover()
  await page.mouse.wheel(0, -10 * 28)
  // The browser scrolls after the wheel's event; the rows then stay where they are.
  await expect
    .poll(async () => {
      const [first] = [await top(), await page.waitForTimeout(100)]
      return first !== before && first === (await top())
    })
    .toBe(true)
  for (let click = 0; click < 10; click++) {
    const [x, y] = [(header?.x ?? 0) + 200, (header?.y ?? 0) + 28 * (2 + (click % 8))]
    await page.mouse.move(x, y)
    // By its place: right after scrolling, an overlay gets the pointer's events.
    const under = await page.evaluate((down) => {
      const rows = [...document.querySelectorAll('[role=grid] [role=row][id]')]
      return rows.find(
        (row) =>
          row.getBoundingClientRect().top <= down && row.getBoundingClientRect().bottom > down,
      )?.id
    }, y)
    await page.waitForTimeout(60)
    await page.mouse.down()
    await page.mouse.up()
    await expect(selected).toHaveAttribute('id', under ?? '')
  }
  await sending
  await expect(list).toHaveAttribute('aria-rowcount', '204')
  await expect(newRows).toBeVisible()
  const line = await newRows.boundingBox()
  expect((line?.y ?? 0) + (line?.height ?? 0)).toBeLessThanOrEqual(header?.y ?? 0)

  await newRows.click()
  await expect(list.getByRole('row').nth(1)).toHaveAttribute('id', 'delivery-203')
  await expect(newRows).toBeHidden()

  // A click that begins right after scrolling selects the row under the pointer, also if it ends
  // later.
  const at = { x: (header?.x ?? 0) + 200, y: (header?.y ?? 0) + 28 * 5.5 }
  await page.mouse.move(at.x, at.y)
  await page.mouse.wheel(0, 10 * 28)
  await expect(rowsWith(page, '/new/199')).toHaveCount(0)
  await page.mouse.down()
  const pressed = await page.waitForFunction(
    ({ x, y }) => document.elementFromPoint(x, y)?.closest('[role=row][id]')?.id,
    at,
  )
  await page.mouse.up()
  await expect(selected).toHaveAttribute('id', `${await pressed.jsonValue()}`)
})

test('two thousand deliveries: the scroll bar and keys reach the last row, and the newest again', async ({
  app,
  page,
}) => {
  const list = listOf(page)
  await app.send('/first-of-all', 'x')
  for (let sent = 1; sent < COUNT; sent += 100)
    await Promise.all(
      Array.from({ length: Math.min(100, COUNT - sent) }, (_, index) =>
        app.send(`/n/${sent + index}`, 'x'),
      ),
    )
  await expect(list).toHaveAttribute('aria-rowcount', String(COUNT + 1))

  await scrollTo(list, 1)
  await expect(rowsWith(page, '/first-of-all')).toHaveAttribute('aria-rowindex', String(COUNT + 1))
  expect(await list.getByRole('row').count()).toBeLessThan(80)

  await list.focus()
  await press(page, 'Home')
  await expect(list.locator('[aria-selected=true]')).toHaveAttribute('aria-rowindex', '2')
  await press(page, 'End')
  await expect(list.locator('[aria-selected=true]')).toHaveAttribute(
    'aria-rowindex',
    String(COUNT + 1),
  )
  await expect(list.locator('[aria-selected=true]')).toContainText('/first-of-all')

  // A link to it selects and reveals its row, which is far beyond the first page.
  await press(page, 'Enter')
  const oldest = await page.evaluate(() => location.hash)
  await press(page, 'Escape')
  await page.goto('about:blank')
  await page.goBack()
  await page.evaluate((hash) => {
    location.hash = hash
  }, oldest)
  await page.reload()
  await expect(list.locator('[aria-selected=true]')).toBeInViewport({ ratio: 1 })
  await expect(list.locator('[aria-selected=true]')).toHaveAttribute(
    'aria-rowindex',
    String(COUNT + 1),
  )
  await buttonIn(deliveryIn(page), 'Close', { exact: true }).click()
  await page.reload()
  await expect(list).toHaveAttribute('aria-rowcount', String(COUNT + 1))
  await scrollTo(list, 0.5)
  /** Consecutive rows in the middle, all loaded. Waits until the list has settled. */
  const isWhole = async () => {
    const rows = await list
      .getByRole('row')
      .evaluateAll((all) =>
        all.map((row) => ({ index: Number(row.ariaRowIndex), isBusy: row.ariaBusy === 'true' })),
      )
    const middle = rows.filter(({ index }) => index > 1)
    const first = middle[0]?.index ?? 0
    return (
      first > COUNT / 4 &&
      middle.every(({ index, isBusy }, place) => !isBusy && index === first + place)
    )
  }
  await expect.poll(isWhole).toBe(true)
})

test('the hex view of a long body reaches its last byte and the first one again, also once more of it was loaded', async ({
  app,
  page,
}) => {
  const body = Buffer.alloc(2_000_000)
  body.write('first-byte', 0)
  body.write('last-byte', body.length - 9)
  await app.send('/long', body)
  const detail = await openRow(page, '/long', 'Body')
  await detail.getByText('Hex', { exact: true }).click()
  const hex = groupIn(detail, 'Body', { exact: true })
  await expect(hex.getByText('first-byte')).toBeInViewport()
  await buttonIn(detail, 'Load all').click()
  await expect(buttonIn(detail, /^Load/)).toBeHidden()
  const drag = async (share: number, text: string) => {
    await scrollTo(hex, share)
    await expect(hex.getByText(text)).toBeInViewport()
  }
  await drag(1, 'last-byte')
  await drag(0, 'first-byte')
  await drag(1, 'last-byte')
  // Near an end the list corrects its place. The user may drag to just that place later.
  await drag(0.0002, '000200')
  await expect.poll(() => hex.evaluate(({ scrollTop }) => scrollTop)).toBe(500)
  await drag(1, 'last-byte')
  await drag(0.00025, '000200')
})

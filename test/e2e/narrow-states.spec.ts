/** At 900 pixels nothing is cut off or pushed out of place. */
import type { Locator } from '@playwright/test'
import { startRawEndpoint } from '../support/replay-fixture.ts'
import { expectNoViolations } from './accessible.ts'
import { expect, openRow, rowsWith, test } from './fixtures.ts'

test.use({
  look: { colorScheme: 'light', viewport: { width: 900, height: 900 }, reducedMotion: 'reduce' },
})

test('comparison buttons stay in their column, header names are complete, an ID with its copy button and the clock fit on one line', async ({
  app,
}) => {
  const { page } = app
  const hook = await app.importHook('transaction.auth', 'narrow')
  for (const amount of ['1.50', '2.50']) await app.deliver(hook, `{"amount":${amount}}`)
  await expect(rowsWith(page, 'transaction.auth')).toHaveCount(2)
  const detail = await openRow(page, 'transaction.auth', 'Overview')
  const offer = detail.getByRole('button', {
    name: 'Compare with the previous transaction.auth of this hook',
  })
  expect(await rightOf(offer)).toBeLessThanOrEqual(
    await rightOf(detail.getByText('Compare with', { exact: true }).locator('..')),
  )

  await page.keyboard.press('R')
  const composer = page.getByRole('dialog', { name: 'Replay with changes' })
  await composer.getByText('Headers', { exact: true }).click()
  for (const field of await composer.getByRole('textbox', { name: /^Header \d+: name$/ }).all())
    expect(
      await field.evaluate((input) => input.scrollWidth - input.clientWidth),
      await field.inputValue(),
    ).toBe(0)
  await page.keyboard.press('Escape')

  await app.command('hooks', 'add', '--event', 'brand.consent', '--environment', 'sandbox-test')
  await page
    .getByRole('navigation', { name: 'Navigation' })
    .getByRole('button', { name: 'Hooks' })
    .click()
  await page
    .getByRole('region', { name: 'Hook list' })
    .getByRole('button', { name: 'brand.consent' })
    .click()
  const copy = page.getByRole('button', { name: /^Copy [-0-9a-f]{36}$/ })
  await expect(copy).toBeVisible()
  const [id, button] = [await copy.locator('..').boundingBox(), await copy.boundingBox()]
  expect(id?.height).toBeLessThanOrEqual(button?.height ?? 0)

  await page
    .getByRole('navigation', { name: 'Navigation' })
    .getByRole('button', { name: 'Sandbox' })
    .click()
  const [set, waiting] = [
    page.getByRole('button', { name: 'Set…', exact: true }),
    page.getByRole('button', { name: 'Nothing pending' }),
  ]
  await expect(waiting).toBeVisible()
  expect((await waiting.boundingBox())?.y).toBe((await set.boundingBox())?.y)
  await page.getByRole('button', { name: 'Pause clock' }).click()
  await expect(page.getByText('paused')).toBeVisible()
  expect((await waiting.boundingBox())?.y).toBe((await set.boundingBox())?.y)
})

test("replays of the same search are distinguished by their target, and the reason why one wasn't sent is fully visible", async ({
  app,
}) => {
  const { page } = app
  const hook = await app.importHook('transaction.auth', 'far')
  await app.deliver(hook, '{"count":1}')
  await app.send('/nowhere', '{"count":1}')
  const endpoint = await startRawEndpoint()
  const search = ['replay', '--query', 'count:1 method:POST', '--to']
  for (const end of ['one', 'other'])
    await app.command(...search, `${endpoint.origin}/${'far/'.repeat(30)}${end}`).catch(() => '')
  await page.keyboard.press('g')
  await page.keyboard.press('r')
  const replays = page.getByRole('navigation', { name: 'Replays' }).getByRole('button')
  await expect(replays).toHaveCount(2)
  for (const [at, end] of ['other', 'one'].entries()) {
    const shown = replays
      .nth(at)
      .getByText(new RegExp(`/${end}$`))
      .last()
    expect(await rightOf(shown)).toBeLessThanOrEqual(await rightOf(replays.nth(at)))
  }
  const sends = page.getByRole('group', { name: 'Requests of this replay' })
  const why = sends
    .getByRole('button')
    .filter({ hasText: 'Not sent' })
    .getByText(/No hook matches this delivery/)
  await expect(why).toBeVisible()
  expect(await why.evaluate((text) => text.scrollWidth - text.clientWidth)).toBe(0)
  await endpoint.close()
})

test('stale and repeated deliveries stay marked next to an open delivery', async ({ app }) => {
  const { page } = app
  const hook = await app.importHook('transaction.auth', 'marked')
  for (const timestamp of [Date.now(), Date.now(), Date.now() - 4_000_000])
    await app.deliver(hook, `{"id":"${timestamp > Date.now() - 60_000 ? 'one' : 'other'}"}`, {
      timestamp: String(timestamp),
    })
  await openRow(page, 'transaction.auth')
  await expect(page.getByRole('columnheader', { name: 'Path' })).toBeHidden()
  for (const word of ['66 min old', 'Duplicate'])
    await expect(rowsWith(page, word).getByTitle(word).first()).toBeVisible()
})

test('a refused connection is explained once, with its fix', async ({ app }) => {
  const { page } = app
  const { secret, url } = await app.importHook('transaction.auth', 'refused')
  const endpoint = await startRawEndpoint()
  await endpoint.close()
  await app
    .command('check', endpoint.origin, '--secret', secret, '--registered-url', url)
    .catch(() => '')
  await page
    .getByRole('navigation', { name: 'Navigation' })
    .getByRole('button', { name: 'Check' })
    .click()
  await expect(page.getByRole('region', { name: 'Diagnosis' })).toContainText(
    'Connection refused at',
  )
  await expect(page.getByRole('region', { name: 'Case details' })).toContainText(
    'No valid response',
  )
  await expect(page.getByText('Connection refused')).toHaveCount(1)
})

test("beside a delivery, the list's buttons are one menu with words and keys, by key too, and a handler's status is whole", async ({
  app,
}) => {
  const { page } = app
  const hook = await app.importHook('transaction.auth', 'menu')
  // Schema messages quote a value that has no place to break.
  await app.deliver(hook, JSON.stringify({ accountId: 'x'.repeat(90) }))
  await app.command('replay', 'latest', '--to', (await startRawEndpoint()).origin).catch(() => '')
  const detail = await openRow(page, 'transaction.auth', 'Overview')
  await expect(detail.getByRole('list', { name: 'Schema findings' })).toContainText('x'.repeat(50))
  const overview = detail.getByRole('group', { name: 'Overview' })
  expect(
    await overview.evaluate((element) => element.scrollWidth - element.clientWidth),
  ).toBeLessThanOrEqual(0)
  const [field, more] = [
    page.getByRole('combobox').first(),
    page.getByRole('button', { name: 'More', exact: true }).first(),
  ]
  await expect(page.getByRole('button', { name: 'Import deliveries…' })).toBeHidden()
  const [one, other] = [await field.boundingBox(), await more.boundingBox()]
  expect(Math.abs((one?.y ?? 0) - (other?.y ?? 0))).toBeLessThan(20)
  await more.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Stop following newest' })).toContainText('f')
  await expect(page.getByRole('menuitem', { name: 'Delete all that is not pinned' })).toBeVisible()
  await expectNoViolations(app, "the menu of the list's buttons", '[role=menu]')
  await page.getByRole('menuitem', { name: 'Columns' }).press('ArrowRight')
  await expect(page.getByRole('menuitemcheckbox', { name: 'Merchant' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await more.click()
  await page.getByRole('menuitem', { name: 'Import deliveries…' }).click()
  await expect(page.getByRole('dialog', { name: 'Import deliveries' })).toBeVisible()
  await page.keyboard.press('Escape')
  const status = rowsWith(page, 'transaction.auth').getByRole('gridcell').last()
  expect(
    await status.evaluate((cell) => cell.scrollWidth - cell.clientWidth),
    await status.innerText(),
  ).toBeLessThanOrEqual(0)
})

async function rightOf(part: Locator): Promise<number> {
  await expect(part).toBeVisible()
  const box = await part.boundingBox()
  return (box?.x ?? 0) + (box?.width ?? 0)
}

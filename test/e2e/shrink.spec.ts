/** The shrinker in the window: from a delivery that a handler fails on to the field that causes it. */
import { startRawEndpoint } from '../support/replay-fixture.ts'
import { expectNoViolations } from './accessible.ts'
import { expect, openRow, rowsWith, test } from './fixtures.ts'

const BODY =
  '{"id":"5f0c","amount":12.50,"card":{"lastNumbers":"4242","metadata":{"owner":"Jo","tier":"gold"}},"items":[{"n":1},{"n":2}]}'

test('a hidden search continues in the footer, links back to its dialog, and reports its end', async ({
  app,
}) => {
  const { page } = app
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const handler = await startRawEndpoint(async ({ body }) => {
    await held
    return body.includes('"gold"') ? 500 : 200
  })
  const hook = await app.importHook('transaction.auth', 'hidden')
  await app.deliver(hook, BODY)
  await openRow(page, 'transaction.auth')
  await page
    .getByRole('region', { name: 'Delivery', exact: true })
    .getByRole('button', { name: 'More replay options' })
    .click()
  await page.getByRole('menuitem', { name: 'Shrink body…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Shrink body' })
  await dialog.getByLabel('Send to').fill(`${handler.origin}/hooks`)
  await dialog.getByRole('button', { name: 'Shrink body' }).click()
  await dialog.getByRole('button', { name: 'Hide' }).click()
  const foot = page.getByRole('contentinfo')
  await foot.getByRole('button', { name: /^Smallest body: \d+ requests?$/ }).click()
  await expect(foot.getByText(/^Smallest body/)).toBeHidden()
  await dialog.getByRole('button', { name: 'Hide' }).click()
  await expect(foot.getByRole('button', { name: 'Stop' })).toBeVisible()
  await expectNoViolations(app, 'hidden')
  letGo()
  await page.getByText('Smallest body found').waitFor()
  await page.getByRole('button', { name: 'Show' }).click()
  await expect(dialog.getByLabel('Smallest body', { exact: true })).toHaveText(
    '{"card":{"metadata":{"tier":"gold"}}}',
  )
  await handler.close()
})

test('the smallest body is found, shown with the fields that matter, compared and sent', async ({
  app,
}) => {
  const { page } = app
  const handler = await startRawEndpoint(({ body }) => (body.includes('"gold"') ? 500 : 200))
  const hook = await app.importHook('transaction.auth', 'shrunk')
  await app.deliver(hook, BODY)
  await expect(rowsWith(page, 'transaction.auth')).toHaveCount(1)
  await openRow(page, 'transaction.auth')
  await page
    .getByRole('region', { name: 'Delivery', exact: true })
    .getByRole('button', { name: 'More replay options' })
    .click()
  await page.getByRole('menuitem', { name: 'Shrink body…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Shrink body' })
  await dialog.getByLabel('Send to').fill('http://192.0.2.1/hooks')
  await dialog.getByRole('button', { name: 'Shrink body' }).click()
  await expect(dialog.getByRole('group', { name: 'Allow 192.0.2.1' })).toBeVisible()
  await dialog.getByRole('button', { name: 'Go back' }).click()
  await dialog.getByLabel('Send to').fill(`${handler.origin}/hooks`)
  await expectNoViolations(app, 'the form')
  await dialog.getByRole('button', { name: 'Shrink body' }).click()
  await expect(dialog.getByText('Smallest body found')).toBeVisible()
  await expect(dialog.getByLabel('Smallest body', { exact: true })).toHaveText(
    '{"card":{"metadata":{"tier":"gold"}}}',
  )
  await expect(
    dialog.getByRole('row', { name: 'card.metadata.tier "gold" needs this value' }),
  ).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Done' })).toBeFocused()
  await expectNoViolations(app, 'the result')

  await dialog.getByRole('button', { name: 'Open in composer…' }).click()
  const composer = page.getByRole('dialog', { name: 'Replay with changes' })
  await expect(composer.getByLabel('Send to')).toHaveValue(`${handler.origin}/hooks`)
  const before = handler.requests.length
  await composer.getByRole('button', { name: 'Send', exact: true }).click()
  await expect.poll(() => handler.requests.length).toBe(before + 1)
  expect(handler.requests.at(-1)?.body.toString()).toBe('{"card":{"metadata":{"tier":"gold"}}}')
  await page.keyboard.press('Escape')

  await page.getByRole('tab', { name: /^Replays/ }).click()
  await page
    .getByRole('region', { name: 'Result' })
    .getByRole('button', { name: 'Shrink body…' })
    .click()
  await dialog.getByRole('button', { name: 'Compare with original' }).click()
  await expect(page).toHaveTitle(/Compare/)
  await handler.close()
})

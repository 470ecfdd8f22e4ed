import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { click, goTo, regionIn } from './controls.ts'
import { expect, test } from './fixtures.ts'

const DAY_MS = 86_400_000

test("a hook's fields: what changed in the last days is marked, with the delivery that shows it", async ({
  app,
  page,
}) => {
  const hook = await app.importHook('card.linked', 'fields')
  for (let id = 1; id <= 5; id++)
    await app.deliver(hook, JSON.stringify({ id, state: 'LINKED', scheme: 'visa' }))
  // The same deliveries, received three days earlier.
  const file = join(app.dataFolder, 'earlier.jsonl')
  await app.command('export', '-o', file)
  const earlier = readFileSync(file, 'utf8').replaceAll(
    /"receivedAt":"([^"]+)"/g,
    (_, time: string) => `"receivedAt":"${new Date(Date.parse(time) - 3 * DAY_MS).toISOString()}"`,
  )
  writeFileSync(file, earlier)
  await app.command('delete', '--query', 'event:card.linked', '--yes')
  await app.command('import', file)
  for (let id = 6; id <= 8; id++)
    await app.deliver(hook, JSON.stringify({ id: String(id), state: 'LINKED' }))

  await goTo(page, 'Hooks')
  await page.getByRole('row').filter({ hasText: 'card.linked' }).first().click()
  const detail = regionIn(page, 'Hook', { exact: true })
  await detail.getByText('1 day', { exact: true }).click()
  await click(detail, 'Show fields')
  await expect(
    detail.getByText('2 changes in the last day: 3 deliveries compared with 5 before'),
  ).toBeVisible()
  await expect(
    detail.getByRole('row').filter({ hasText: /^(?:id|scheme|string; |gone, )/ }),
  ).toHaveText([
    /^idstring or number/,
    /^string; before number/,
    /^scheme/,
    /^gone, in 0 of 3; before in 5 of 5/,
  ])
  await click(detail, 'Show the last one')
  await expect(page.getByRole('region', { name: 'Delivery', exact: true })).toBeVisible()
})

import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buttonIn, click, fill, goTo, groupIn, press } from './controls.ts'
import { expect, test } from './fixtures.ts'

const SECRET = 'whsec_of_the_file_0123456789'

const setup = {
  countersign: 1,
  hooks: [
    {
      ...{ name: 'purchases', environment: 'sandbox-test', event: 'transaction.auth' },
      ...{ url: 'https://127.0.0.1:4783/h/purchases', response: { failFirst: 2 } },
    },
  ],
  handlers: [{ name: 'local', url: 'localhost:3000/webhooks', hook: 'purchases' }],
  views: [{ name: 'Refunds', query: 'event:*.refund' }],
}

test('Settings shows the differences to countersign.json, applies them with a secret, and undoes them', async ({
  app,
  page,
}) => {
  const file = join(mkdtempSync(join(tmpdir(), 'countersign-repository-')), 'countersign.json')
  const write = (views: object[]) =>
    writeFileSync(file, JSON.stringify({ ...setup, views }, null, 2))
  await app.command('apply', '--write', file)
  write(setup.views)
  await press(page, 'g', ',')
  await click(page.getByRole('navigation', { name: 'Settings sections' }), 'Storage')
  const part = groupIn(page, 'Setup file')
  await expect(part.getByRole('status')).toHaveText(
    'This setup is described by countersign.json: 3 differences',
  )
  const rows = part.getByRole('list', { name: 'Differences' }).getByRole('listitem')
  await expect(rows).toHaveText([
    /^Addhooktransaction\.auth/,
    /^Addhandlerlocal/,
    /^AddviewRefunds/,
  ])
  const apply = buttonIn(part, 'Apply 3 changes')
  await expect(apply).toBeDisabled()
  await fill(part, 'Secret of hook purchases', SECRET, { exact: true })
  // From the field, the button is two tabs away: the eye comes first.
  await press(page, 'Tab', 'Tab', 'Enter')
  await expect(part.getByRole('status')).toHaveText(/: no differences$/)
  expect(await page.content()).not.toContain(SECRET)

  // A change of the file is seen without a reload.
  write([{ name: 'Refunds', query: 'event:card.linked' }])
  await expect(rows).toHaveText([/^ChangeviewRefundsquery: event:\*\.refund → event:card\.linked$/])
  await click(part, 'Apply 1 change')
  await expect(part.getByRole('status')).toHaveText(/: no differences$/)
  await click(page, 'Undo')
  await expect(rows).toHaveCount(1)

  writeFileSync(file, '{\n  "countersign": 1,\n  "viws": []\n}')
  await expect(part.getByRole('alert')).toContainText(
    'countersign.json:3:11 viws: Unknown field `viws`. Did you mean `views`?',
  )
  await goTo(page, 'Handlers')
  await expect(page.getByText('@local').first()).toBeVisible()
})

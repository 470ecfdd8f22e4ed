import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startEndpoint } from '../support/https-endpoint.ts'
import { makeTestTlsApart } from '../support/test-tls.ts'
import { buttonIn, click, dialogIn, fill, press, write } from './controls.ts'
import { expect, openRow, rowsWith, test } from './fixtures.ts'

test("a CA certificate is requested if the certificate doesn't verify, stored with the endpoint, and used for all sends; several endpoints share none", async ({
  app,
  page,
}) => {
  const [tls, stranger] = [makeTestTlsApart(), makeTestTlsApart()]
  const endpoint = await startEndpoint(tls.leaf)
  const file = join(app.dataFolder, 'right.pem')
  await writeFile(file, tls.caPem)
  for (const [event, slug] of [
    ['transaction.auth', 'guarded'],
    ['card.linked', 'other'],
  ] as const)
    await app.deliver(await app.importHook(event, slug), '{"amount":1.50}')
  // A list with a selected row holds still: what arrives later is out of view.
  await expect(rowsWith(page, 'card.linked')).toHaveCount(1)
  for (const event of ['transaction.auth', 'card.linked'])
    await rowsWith(page, event).click({ modifiers: ['ControlOrMeta'] })
  await press(page, 'r')
  const where = dialogIn(page, 'Choose where to send them')
  await expect(where.getByText('Later replays for these hooks go there directly.')).toBeVisible()
  await fill(where, 'Send to', '')
  await where.getByText('Endpoint certificates').click()
  await expect(where.getByText('One CA certificate applies to all of them')).toBeVisible()
  await fill(where, 'Send to', `${endpoint.origin}/in`)
  await expect(where.getByText('One CA certificate applies to all of them')).toBeHidden()
  await click(where, 'Cancel')
  await expect(where).toBeHidden()
  await press(page, 'Escape')
  await expect(page.getByText('2 selected')).toBeHidden()

  const detail = await openRow(page, 'transaction.auth')
  await press(page, '5', 'R')
  const composer = dialogIn(page, 'Replay with changes')
  const authority = composer.getByLabel(/^CA certificate(?! file)/)
  await fill(composer, 'Send to', 'http://127.0.0.1:9/in')
  await expect(composer.getByText('Endpoint certificate')).toBeHidden()
  await fill(composer, 'Send to', `${endpoint.origin}/in`)
  await composer.getByText('Endpoint certificate').click()
  await write(authority, stranger.caPem)
  await click(composer, 'Send', { exact: true })
  await expect(composer.getByRole('status').filter({ hasText: "isn't valid" })).toBeVisible()
  await press(page, 'Escape')
  expect(endpoint.calls).toHaveLength(0)

  await click(detail, 'Add CA certificate…')
  await expect(authority).toHaveValue(stranger.caPem)
  await composer.getByLabel('CA certificate file').setInputFiles(file)
  await expect(authority).toHaveValue(tls.caPem)
  await click(composer, 'Send', { exact: true })
  await expect(composer.getByRole('status').filter({ hasText: 'Fixed' })).toBeVisible()
  await press(page, 'Escape')
  await page.reload()
  await openRow(page, 'transaction.auth')
  await press(page, '5', 'r')
  await expect.poll(() => endpoint.calls.length).toBe(2)
  await expect(buttonIn(detail, /^Replay: /)).toHaveCount(3)
  // Without a CA certificate, any certificate is accepted on this computer, and the replay says so.
  await expect(detail.getByText("isn't trusted")).toBeHidden()

  await endpoint.close()
})

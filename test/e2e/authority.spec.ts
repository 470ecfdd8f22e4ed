/** A custom CA certificate for an endpoint: entered when its certificate fails to verify, and stored for later requests. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator } from '@playwright/test'
import { REGISTERED_URL, SECRET } from '../support/check-handlers.ts'
import { startEndpoint } from '../support/https-endpoint.ts'
import { makeTestTlsApart } from '../support/test-tls.ts'
import { buttonIn, click, dialogIn, fill, press, regionIn, write } from './controls.ts'
import { expect, openRow, rowsWith, test } from './fixtures.ts'

test("a CA certificate is requested if the certificate doesn't verify, stored with the endpoint, and used for all sends; several endpoints share none", async ({
  app,
  page,
}) => {
  const [tls, stranger] = [makeTestTlsApart(), makeTestTlsApart()]
  const endpoint = await startEndpoint(tls.leaf)
  const files = {
    right: join(app.dataFolder, 'right.pem'),
    wrong: join(app.dataFolder, 'wrong.pem'),
    der: join(app.dataFolder, 'der.cer'),
  }
  await writeFile(files.wrong, stranger.caPem)
  await writeFile(files.right, tls.caPem)
  await writeFile(files.der, Buffer.from([0x30, 0x82, 0x01, 0x0a]))
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
  const authority = authorityIn(composer)
  await fill(composer, 'Send to', 'http://127.0.0.1:9/in')
  await expect(composer.getByText('Endpoint certificate')).toBeHidden()
  await fill(composer, 'Send to', `${endpoint.origin}/in`)
  await composer.getByText('Endpoint certificate').click()
  await composer.getByLabel('CA certificate file').setInputFiles(files.der)
  await expect(authority).toHaveAccessibleDescription(/der\.cer isn't a PEM certificate/)
  await write(authority, 'nonsense')
  await click(composer, 'Send', { exact: true })
  await expect(authority).toHaveAccessibleDescription(/isn't a PEM certificate/)
  await write(authority, stranger.caPem)
  await click(composer, 'Send', { exact: true })
  await expect(composer.getByRole('status').filter({ hasText: "isn't valid" })).toBeVisible()
  await press(page, 'Escape')
  expect(endpoint.calls).toHaveLength(0)

  await click(detail, 'Add CA certificate…')
  await expect(authority).toHaveValue(stranger.caPem)
  await composer.getByLabel('CA certificate file').setInputFiles(files.right)
  await expect(authority).toHaveValue(tls.caPem)
  await click(composer, 'Send', { exact: true })
  await expect(composer.getByRole('status').filter({ hasText: 'Fixed' })).toBeVisible()
  await press(page, 'Escape', 'r')
  await expect.poll(() => endpoint.calls.length).toBe(2)
  await expect(buttonIn(detail, /^Replay: /)).toHaveCount(3)
  // Without a CA certificate, any certificate is accepted on this computer, and the replay says so.
  await expect(detail.getByText("isn't trusted")).toBeHidden()

  const target = `${endpoint.origin}/in`
  await app.command(
    ...['handlers', 'add', 'guarded', '--url', target, '--secret', SECRET],
    ...['--registered-url', REGISTERED_URL, '--target-ca', files.wrong],
  )
  await press(page, 'g', 'k')
  await click(page, 'Start check')
  const run = regionIn(page, 'Check results')
  await expect(run.getByRole('status')).toContainText('0 passed, 1 failed, 38 skipped')
  const folded = buttonIn(
    run,
    /37 cases skipped: your handler didn't respond to the first delivery/,
  )
  await expect(folded).toHaveAttribute('aria-expanded', 'false')
  // This endpoint and an unknown one.
  await expect(run.locator('[data-case-row]')).toHaveCount(2)
  await folded.click()
  await expect(run.locator('[data-case-row]')).toHaveCount(39)
  await click(run, 'Add CA certificate…')
  const editing = dialogIn(page, 'Edit @guarded')
  await expect(authorityIn(editing)).toHaveValue(stranger.caPem)
  await editing.getByLabel('CA certificate file').setInputFiles(files.right)
  await click(editing, 'Save handler')
  await expect(editing).toBeHidden()
  await endpoint.close()
})

function authorityIn(form: Locator): Locator {
  return form.getByLabel(/^CA certificate(?! file)/)
}

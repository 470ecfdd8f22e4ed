/** Environments in Settings: add, check, use, change and remove them. */
import { join } from 'node:path'
import { buttonIn, choose, click, dialogIn, fill } from './controls.ts'
import { expect, test } from './fixtures.ts'

test("the sandbox's environments can be checked, used and given another CA certificate, but not removed; another is added after its errors appeared at its fields, checked, changed and removed", async ({
  app,
  page,
}) => {
  await click(page, 'Settings')
  const list = page.getByRole('list', { name: 'Environments' })
  const sandboxTest = list.getByRole('listitem').filter({ hasText: 'sandbox-test' })
  await expect(sandboxTest).toContainText('Current')
  await expect(sandboxTest).toContainText('built in')
  await expect(buttonIn(sandboxTest, 'Test connection of sandbox-test')).toBeVisible()
  await expect(buttonIn(sandboxTest, /^(Use|Remove)/)).toHaveCount(0)
  await click(list, 'Test connection of sandbox-test')
  await expect(sandboxTest.getByRole('status')).toContainText('Connected.')
  await expect(sandboxTest.getByRole('status')).toContainText('The key was accepted')
  await click(sandboxTest, 'Edit sandbox-test')
  const edited = dialogIn(page, 'Edit sandbox-test')
  const authority = edited.getByLabel(/^CA certificate(?! file)/)
  const keep = buttonIn(edited, 'Save sandbox-test')
  await expect(keep).toBeDisabled()
  await edited
    .getByLabel('CA certificate file')
    .setInputFiles(join(app.dataFolder, 'tls', 'ca.pem'))
  // Reading a file takes a moment.
  await expect(authority).toHaveValue(/BEGIN CERTIFICATE/)
  await keep.click()
  await expect(edited).toBeHidden()
  await expect(sandboxTest).toContainText('custom CA certificate')
  await click(list, 'Use sandbox-live')
  const question = dialogIn(page, 'Allow live mode?')
  // Pressing Enter twice allows nothing.
  await expect(buttonIn(question, 'Go back')).toBeFocused()
  await click(question, 'Go back')
  await expect(question).toBeHidden()
  await click(list, 'Use sandbox-live')
  await click(question, 'Allow sandbox-live (live)')
  await expect(list.getByRole('listitem').filter({ hasText: 'sandbox-live' })).toContainText(
    'Current',
  )
  await click(page, 'Add environment')
  const dialog = dialogIn(page, 'Add environment')
  await expect(dialog.getByLabel('Header prefix')).toBeHidden()
  await fill(dialog, 'Name', 'not a name')
  const add = buttonIn(dialog, 'Add environment')
  await fill(dialog, 'Base URL', 'http://api.acme.test')
  await add.click()
  await expect(dialog.getByLabel('Name')).toHaveAccessibleDescription(/Use letters, digits/)
  await fill(dialog, 'Name', 'acme')
  await add.click()
  await expect(dialog.getByLabel('Base URL')).toHaveAccessibleDescription(/must be HTTPS/)
  await fill(dialog, 'Base URL', 'https://127.0.0.1:1')
  await fill(dialog, 'Secret key', 'sk_live_12345678', { exact: true })
  await choose(dialog, 'Live')
  await add.click()
  await expect(dialog).toBeHidden()
  const acme = list.getByRole('listitem').filter({ hasText: 'acme' })
  await expect(acme.getByText('live', { exact: true })).toBeVisible()
  expect(await page.content()).not.toContain('sk_live_12345678')
  await click(acme, 'Test connection of acme')
  await expect(question).toContainText('acme is a live environment')
  await click(question, 'Allow acme (live)')
  await expect(acme.getByRole('status')).toContainText('the service is unreachable')
  await click(acme, 'Use acme')
  await expect(acme).toContainText('Current')

  await click(acme, 'Edit acme')
  const change = dialogIn(page, 'Edit acme')
  await expect(change.getByLabel('Secret key', { exact: true })).toHaveAttribute(
    'placeholder',
    'unchanged',
  )
  await change.getByText('API version, headers, acknowledgement, connection').click()
  await fill(change, 'Header prefix', 'acme')
  await choose(change, 'Any 2xx')
  await click(change, 'Save acme (live)')
  await expect(change).toBeHidden()
  await expect(acme).toContainText('x-acme-…')
  await expect(acme).toContainText('any 2xx')

  await click(acme, 'Remove acme')
  const remove = dialogIn(page, 'Remove environment')
  await click(remove, 'Remove acme (live)')
  await expect(remove).toBeHidden()
  await expect(acme).toHaveCount(0)
  await expect(list.getByRole('listitem').filter({ hasText: 'sandbox-test' })).toContainText(
    'Current',
  )

  // Removing an environment revokes its consent.
  await click(page, 'Safety')
  const allowed = page.getByRole('list', { name: 'Live environments' })
  await expect(allowed.getByRole('listitem')).toHaveText([/^sandbox-liveliveAllowedsince 2/])
  await click(allowed, 'Revoke sandbox-live')
  await expect(allowed.getByRole('listitem')).toHaveText([
    'sandbox-liveliveNot allowed yet. Asks once.',
  ])
  await expect(page.getByRole('list', { name: 'Remote hosts' })).toHaveText(
    'Every remote hostNot allowed yet. Asks once.',
  )
})

/** Environments in Settings: add, check, use, change and remove them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { expectNoViolations } from './accessible.ts'
import { expect, test } from './fixtures.ts'

async function openSettings(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: 'Settings' }).click()
  return page.getByRole('list', { name: 'Environments' })
}

test("the sandbox's environments can be checked, used and given another CA certificate, but not removed", async ({
  app,
}) => {
  const { page } = app
  const list = await openSettings(page)
  const sandboxTest = list.getByRole('listitem').filter({ hasText: 'sandbox-test' })
  await expect(sandboxTest).toContainText('· current')
  await expect(sandboxTest).toContainText('built in')
  await expect(sandboxTest.getByRole('button', { name: 'Check sandbox-test' })).toBeVisible()
  await expect(sandboxTest.getByRole('button', { name: /^(Use|Remove)/ })).toHaveCount(0)
  await list.getByRole('button', { name: 'Check sandbox-test' }).click()
  await expect(sandboxTest.getByRole('status')).toContainText('Connected.')
  await expect(sandboxTest.getByRole('status')).toContainText('The key was accepted')
  await sandboxTest.getByRole('button', { name: 'Edit sandbox-test' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit sandbox-test' })
  const authority = dialog.getByLabel(/^CA certificate(?! file)/)
  const keep = dialog.getByRole('button', { name: 'Save environment' })
  await expect(keep).toBeDisabled()
  await authority.fill('nonsense')
  await keep.click()
  await expect(authority).toHaveAccessibleDescription(/isn't a PEM certificate/)
  await expectNoViolations(app, 'trust refused')
  await dialog
    .getByLabel('CA certificate file')
    .setInputFiles(join(app.dataFolder, 'tls', 'ca.pem'))
  // Reading a file takes a moment.
  await expect(authority).toHaveValue(/BEGIN CERTIFICATE/)
  await keep.click()
  await expect(dialog).toBeHidden()
  await expect(sandboxTest).toContainText('custom CA certificate')
  await list.getByRole('button', { name: 'Use sandbox-live' }).click()
  await expect(list.getByRole('listitem').filter({ hasText: 'sandbox-live' })).toContainText(
    '· current',
  )
})

test("an environment's errors appear at its fields; then it is added, checked, changed and removed", async ({
  app,
}) => {
  const { page } = app
  const list = await openSettings(page)
  await page.getByRole('button', { name: 'Add environment' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add environment' })
  await dialog.getByLabel('Name').fill('not a name')
  const add = dialog.getByRole('button', { name: 'Add environment' })
  await dialog.getByLabel('Base URL').fill('http://api.acme.test')
  await add.click()
  await expect(dialog.getByLabel('Name')).toHaveAccessibleDescription(/Use letters, digits/)
  await dialog.getByLabel('Name').fill('acme')
  await dialog.getByLabel('Secret key', { exact: true }).fill('pk_live_1')
  await dialog.getByText('Connection: CA certificate').click()
  await dialog.getByLabel(/^CA certificate(?! file)/).fill('nonsense')
  await add.click()
  await expect(dialog.getByLabel('Base URL')).toHaveAccessibleDescription(/must be HTTPS/)
  await expect(dialog.getByLabel('Secret key', { exact: true })).toHaveAccessibleDescription(
    /This is a public key/,
  )
  await expect(dialog.getByLabel(/^CA certificate(?! file)/)).toHaveAccessibleDescription(
    /isn't a PEM certificate/,
  )
  await expectNoViolations(app, 'refused')

  const pem = join(app.dataFolder, 'authority-of-the-test.pem')
  writeFileSync(pem, '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n')
  await dialog.getByLabel('CA certificate file').setInputFiles(pem)
  await expect(dialog.getByLabel(/^CA certificate(?! file)/)).toHaveValue(/MIIB/)
  await dialog.getByLabel(/^CA certificate(?! file)/).fill('')
  await dialog.getByLabel('Base URL').fill('https://127.0.0.1:1')
  await dialog.getByLabel('Secret key', { exact: true }).fill('sk_live_12345678')
  await dialog.getByLabel('Live', { exact: true }).check()
  await add.click()
  await expect(dialog).toBeHidden()
  const acme = list.getByRole('listitem').filter({ hasText: 'acme' })
  await expect(acme.getByText('live', { exact: true })).toBeVisible()
  expect(await page.content()).not.toContain('sk_live_12345678')
  await acme.getByRole('button', { name: 'Check acme' }).click()
  await expect(acme.getByRole('status')).toContainText('the service is unreachable')
  await acme.getByRole('button', { name: 'Use acme' }).click()
  await expect(acme).toContainText('· current')

  await acme.getByRole('button', { name: 'Edit acme' }).click()
  const change = page.getByRole('dialog', { name: 'Edit acme' })
  await expect(change.getByLabel('Secret key', { exact: true })).toHaveAttribute(
    'placeholder',
    'unchanged',
  )
  await change.getByLabel('Header prefix').fill('acme')
  await change.getByLabel('Any 2xx').check()
  await change.getByRole('button', { name: 'Save environment' }).click()
  await expect(change).toBeHidden()
  await expect(acme).toContainText('x-acme-…')
  await expect(acme).toContainText('any 2xx')

  await acme.getByRole('button', { name: 'Remove acme' }).click()
  const remove = page.getByRole('dialog', { name: 'Remove environment' })
  await remove.getByRole('button', { name: 'Remove acme (live)' }).click()
  await expect(remove).toBeHidden()
  await expect(acme).toHaveCount(0)
  await expect(list.getByRole('listitem').filter({ hasText: 'sandbox-test' })).toContainText(
    '· current',
  )
})

test('a bearer environment sets the API version, and the format and field names of its token endpoint', async ({
  app,
}) => {
  const { page } = app
  await openSettings(page)
  await page.getByRole('button', { name: 'Add environment' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add environment' })
  await dialog.getByLabel('Name').fill('next')
  await dialog.getByLabel('Base URL').fill('https://127.0.0.1:1/v2')
  await dialog.getByLabel('Bearer token').check()
  await dialog.getByLabel('Client ID').fill('client-1')
  await dialog.getByLabel('Client secret', { exact: true }).fill('a-secret-of-the-test')
  await dialog.getByLabel('Token URL').fill('/oauth/token')
  await dialog.getByLabel('Form', { exact: true }).check()
  await dialog.getByText('Token fields', { exact: true }).click()
  await dialog.getByLabel(/^Access token field/).fill('ticket')
  await dialog.getByLabel(/^Expiry field/).fill('lasts')
  await dialog.getByLabel(/^Extra request fields/).fill('scope')
  const add = dialog.getByRole('button', { name: 'Add environment' })
  await add.click()
  await expect(dialog.getByLabel(/^Extra request fields/)).toHaveAccessibleDescription(
    /one name=value per line/,
  )
  await expectNoViolations(app, 'an extra field without a value')
  await dialog.getByLabel(/^Extra request fields/).fill('scope=hooks')
  await add.click()
  await expect(dialog.getByLabel('Base URL')).toHaveAccessibleDescription(
    /ends in \/v2, but the API version is v1/,
  )
  await dialog.getByLabel(/^API version/).fill('v2')
  await add.click()
  await expect(dialog).toBeHidden()
  const listed = (await app.command('environments', 'list', '--json')).trim().split('\n')
  expect(JSON.parse(listed.at(-1) ?? '')).toMatchObject({
    baseUrl: 'https://127.0.0.1:1/v2',
    apiVersion: 'v2',
    tokenUrl: '/oauth/token',
    tokenForm: 'form',
    tokenField: 'ticket',
    refreshTokenField: null,
    expiryField: 'lasts',
    tokenRequestFields: { scope: 'hooks' },
  })
  await page.getByRole('button', { name: 'Edit next' }).click()
  const again = page.getByRole('dialog', { name: 'Edit next' })
  await expect(again.getByLabel(/^Access token field/)).toHaveValue('ticket')
  await expect(again.getByLabel(/^Extra request fields/)).toHaveValue('scope=hooks')
})

test("the sandbox's public key is shown and can be copied", async ({ app }) => {
  const { page } = app
  const list = await openSettings(page)
  const item = list.getByRole('listitem').filter({ hasText: 'sandbox-test' })
  await expect(item).toContainText('pk_test_')
  const key = /pk_test_[\w-]+/.exec(await item.innerText())?.[0] ?? ''
  expect(key).not.toBe('')
  await item.getByRole('button', { name: 'Copy the public key of sandbox-test' }).click()
  await expect(item.getByRole('button', { name: 'Copied' })).toBeVisible()
  await page.getByRole('button', { name: 'Add environment' }).click()
  const name = page.getByRole('dialog').getByLabel('Name')
  await name.press('ControlOrMeta+v')
  await expect(name).toHaveValue(key)
})

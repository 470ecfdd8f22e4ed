import { chooseInList, click, dialogIn, fill, press } from './controls.ts'
import { expect, rowsWith, test } from './fixtures.ts'
import { samplePayloads } from '../support/sample-payloads.ts'

const PASSPHRASE = 'a passphrase of the colleague'

test('a capture is previewed, then shared; opened elsewhere it is marked as shared', async ({
  app,
  page,
}) => {
  const payload = samplePayloads['transaction.auth']
  const hook = await app.importHook('transaction.auth', 'shared')
  await app.deliver(hook, JSON.stringify(payload))
  await app.send('/h/other', 'not JSON')
  await expect(rowsWith(page, 'transaction.auth')).toHaveCount(1)
  await chooseInList(page, 'Share all deliveries…')
  const dialog = dialogIn(page, 'Share deliveries')
  await expect(dialog.getByText('2 deliveries, oldest first')).toBeVisible()
  await fill(dialog, 'Move all times by days', 'a')
  await expect(dialog.getByText('Enter an integer, at most 36,500.')).toBeVisible()
  await fill(dialog, 'Move all times by days', '-2')
  await fill(dialog, 'Fields to keep', 'location.city')
  await press(page, 'Enter')
  await click(dialog, 'Back')
  await expect(dialog.getByLabel('Fields to keep')).toHaveValue('location.city')
  await expect(dialog.getByLabel('Move all times by days')).toHaveValue('-2')
  await fill(dialog, 'Passphrase (optional)', PASSPHRASE, { exact: true })
  await click(dialog, 'Preview')
  await expect(dialog.getByText('1 delivery to share. Nothing was written yet.')).toBeVisible()
  await expect(dialog.getByText('Left out 1 delivery (1 not JSON).')).toBeVisible()
  await expect(dialog.getByRole('list', { name: 'Replaced' }).getByText('IDs')).toBeVisible()
  await expect(dialog.getByRole('row')).toHaveCount(11)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    expect(page.getByText('Shared 1 delivery', { exact: true })).toBeVisible(),
    click(dialog, 'Save file'),
  ])
  expect(download.suggestedFilename()).toBe('shareable-capture.age')
  await expect(dialog).toBeHidden()

  await chooseInList(page, 'Import deliveries…')
  await page.getByLabel('Export file').setInputFiles(await download.path())
  const importing = dialogIn(page, 'Import deliveries')
  await expect(importing.getByText(/, encrypted$/)).toBeVisible()
  await expect(importing.getByLabel('Passphrase', { exact: true })).toBeFocused()
  await fill(importing, 'Passphrase', 'another passphrase', { exact: true })
  await click(importing, 'Import', { exact: true })
  await expect(
    importing.getByText('The passphrase is wrong. Use the one that the file was encrypted with.'),
  ).toBeVisible()
  await fill(importing, 'Passphrase', PASSPHRASE, { exact: true })
  await click(importing, 'Import', { exact: true })
  await expect(page.getByText('Imported 1 delivery', { exact: true })).toBeVisible()
  await fill(page, 'Filter deliveries', 'is:shared')
  await rowsWith(page, 'Valid (shared)').click()
  await expect(page.getByText('Valid: shared, re-signed').first()).toBeVisible()
})

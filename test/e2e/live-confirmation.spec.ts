/** Live changes must be confirmed by name: an import, and advancing the clock. */
import { buttonIn, click, dialogIn, fill, groupIn, select, regionIn } from './controls.ts'
import { expect, test } from './fixtures.ts'

test('importing a hook into a live environment and advancing its clock each need a confirmation', async ({
  app,
  page,
}) => {
  await click(page, 'Hooks')
  await buttonIn(page, 'Import hook').first().click()
  const form = dialogIn(page, 'Import hook')
  await fill(form, 'Registered URL', `${app.receiver}/h/live`)
  await select(form, 'Environment', 'sandbox-live (live)')
  // Missing fields are reported before anything must be confirmed.
  await click(form, 'Import hook')
  await expect(form.getByLabel('Secret', { exact: true })).toBeFocused()
  await fill(form, 'Secret', 'a-secret-of-the-test', { exact: true })
  await click(form, 'Import hook')
  const asked = groupIn(form, 'Confirm for sandbox-live')
  await expect(asked).toContainText('every live transaction.auth')
  // Pressing Enter twice sends nothing to the live side.
  await expect(buttonIn(asked, 'Go back')).toBeFocused()
  await click(asked, 'Go back')
  await click(form, 'Import hook')
  await click(asked, 'Import hook (live)')
  await expect(form).toBeHidden()

  const live = ['--environment', 'sandbox-live', '--live']
  await app.command('trigger', 'transaction.auth', ...live)
  await click(page, 'Sandbox')
  const clock = regionIn(page, 'Sandbox clock')
  await expect(clock).toContainText('1 pending')
  for (const answer of ['Go back', 'Advance clock (live)']) {
    await click(clock, '+1 h')
    const dialog = dialogIn(page, 'Advance clock')
    await expect(groupIn(dialog, 'Confirm for sandbox-live')).toBeVisible()
    await click(dialog, answer)
    await expect(dialog).toBeHidden()
    await expect(clock).toContainText(
      answer === 'Go back' ? 'real time' : /1 h ahead|59 min \d+ s ahead/,
    )
  }
  await click(clock, 'Pause clock')
  await expect(buttonIn(clock, 'Resume clock')).toBeVisible()
})

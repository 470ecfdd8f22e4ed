/** Live changes must be confirmed by name: an import, and advancing the clock. */
import { expectNoViolations } from './accessible.ts'
import { expect, test } from './fixtures.ts'

test('importing a hook into a live environment and advancing its clock each need a confirmation', async ({
  app,
}) => {
  const { page } = app
  await page.getByRole('button', { name: 'Hooks' }).click()
  await page.getByRole('button', { name: 'Import hook' }).first().click()
  const form = page.getByRole('dialog', { name: 'Import hook' })
  await form.getByLabel('Registered URL').fill(`${app.receiver}/h/live`)
  await form.getByLabel('Environment').selectOption('sandbox-live')
  // Missing fields are reported before anything must be confirmed.
  await form.getByRole('button', { name: 'Import hook' }).click()
  await expect(form.getByLabel('Secret', { exact: true })).toBeFocused()
  await form.getByLabel('Secret', { exact: true }).fill('a-secret-of-the-test')
  await form.getByRole('button', { name: 'Import hook' }).click()
  const asked = form.getByRole('group', { name: 'Confirm for sandbox-live' })
  await expect(asked).toContainText('every live transaction.auth')
  // Pressing Enter twice sends nothing to the live side.
  await expect(asked.getByRole('button', { name: 'Go back' })).toBeFocused()
  await expectNoViolations(app, 'an import to be confirmed')
  await asked.getByRole('button', { name: 'Go back' }).click()
  await form.getByRole('button', { name: 'Import hook' }).click()
  await asked.getByRole('button', { name: 'Import into sandbox-live (live)' }).click()
  await expect(form).toBeHidden()

  const live = ['--environment', 'sandbox-live', '--live']
  await app.command('trigger', 'transaction.auth', ...live)
  await page.getByRole('button', { name: 'Sandbox' }).click()
  const clock = page.getByRole('region', { name: 'Sandbox clock' })
  await expect(clock).toContainText('1 pending')
  for (const answer of ['Go back', 'Advance clock (live)']) {
    await clock.getByRole('button', { name: '+1 h' }).click()
    const dialog = page.getByRole('dialog', { name: 'Advance clock' })
    await expect(dialog.getByRole('group', { name: 'Confirm for sandbox-live' })).toBeVisible()
    await expectNoViolations(app, 'a move of the clock to be confirmed')
    await dialog.getByRole('button', { name: answer }).click()
    await expect(dialog).toBeHidden()
    await expect(clock).toContainText(
      answer === 'Go back' ? 'real time' : /1 h ahead|59 min \d+ s ahead/,
    )
  }
  await clock.getByRole('button', { name: 'Pause clock' }).click()
  await expect(clock.getByRole('button', { name: 'Resume clock' })).toBeVisible()
})

/** axe finds nothing, on any screen, in either theme. */
import { AxeBuilder } from '@axe-core/playwright'
import { expect, openRow, test, type App } from './fixtures.ts'

async function expectAccessible(app: App, where: string) {
  const { violations } = await new AxeBuilder({ page: app.page }).analyze()
  const found = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html.slice(0, 160)} — ${node.failureSummary ?? ''}`).join(' | ')}`,
  )
  expect(found, where).toEqual([])
}

for (const colorScheme of ['dark', 'light'] as const) {
  test.describe(`in the ${colorScheme} theme`, () => {
    test.use({ look: { colorScheme, viewport: { width: 1440, height: 900 }, reducedMotion: 'reduce' } })

    test('every screen and overlay is accessible', async ({ app }) => {
      const { page } = app
      await expect(page.getByRole('heading', { name: 'Receive your first webhook' })).toBeVisible()
      await expectAccessible(app, 'first run')

      const hook = app.importHook('transaction.auth', 'axe')
      await app.deliver(hook, '{"amount":10.00,"list":[true,null,"text"]}')
      await app.deliver(hook, '{"amount":10.00}', { timestamp: String(Date.now() - 600_000) })
      await app.deliver(hook, '{"amount":1}', { body: '{"amount":2}' })
      await app.send('/nobody', 'plain text', [], 'PUT')
      const detail = await openRow(page, 'Invalid')
      for (const tab of ['Overview', 'Signature', 'Body', 'Headers', 'Attempts', 'Raw']) {
        await detail.getByRole('tab', { name: tab }).click()
        await expectAccessible(app, tab)
      }
      await openRow(page, 'stale')
      await detail.getByRole('tab', { name: 'Signature' }).click()
      await expectAccessible(app, 'stale')
      await page.getByRole('button', { name: 'Full width' }).click()
      await expectAccessible(app, 'full width')
      await page.getByRole('button', { name: 'Beside the list' }).click()
      await page.getByRole('button', { name: 'Pause capture' }).click()
      await expect(page.getByText('Capture is paused.')).toBeVisible()
      await expectAccessible(app, 'paused')
      await page.getByLabel('Filter deliveries').fill('is:nonsense')
      await expect(page.getByRole('alert')).toBeVisible()
      await expectAccessible(app, 'filter refused')

      await page.getByRole('button', { name: 'Hooks', exact: true }).click()
      await expectAccessible(app, 'hooks')
      await page.getByRole('button', { name: 'Import a hook' }).click()
      await page.getByRole('button', { name: 'Import the hook' }).click()
      await expectAccessible(app, 'import dialog')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Settings' }).click()
      await expectAccessible(app, 'settings')
      await page.keyboard.press('ControlOrMeta+k')
      await expect(page.getByLabel('Search commands')).toBeVisible()
      await expectAccessible(app, 'palette')
      await page.keyboard.press('Escape')
      await page.keyboard.press('?')
      await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
      await expectAccessible(app, 'shortcuts')
    })
  })
}

/**
 * A public URL in the window: missing tunnel tools, a tunnel that starts, fails and returns with another URL, hooks that follow it,
 * and the test of the URL. The tools are stand-ins.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { installStandIn, type StandIn } from '../support/standin-tunnels.ts'
import { expectNoViolations } from './accessible.ts'
import { expect, test, type App } from './fixtures.ts'

const NAME = /https:\/\/stand-in-\d+\.trycloudflare\.com/
const path = process.env['PATH'] ?? ''
let folder: string
let standIn: StandIn

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'countersign-e2e-tunnels-'))
  standIn = await installStandIn(folder)
  Object.assign(process.env, standIn.env, { PATH: `${standIn.folder}${delimiter}${path}` })
})
test.afterAll(() => {
  process.env['PATH'] = path
  rmSync(folder, { recursive: true, force: true })
})

async function openDialog({ page }: App, button: string) {
  await page
    .getByRole('region', { name: 'Hooks', exact: true })
    .getByRole('button', { name: button })
    .click()
  return page.getByRole('dialog', { name: 'Public URL' })
}

test('a tunnel is started and stopped, and hooks follow when its URL changes', async ({ app }) => {
  const { page } = app
  await app.importHook('transaction.auth', 'followed')
  await page.keyboard.press('g')
  await page.keyboard.press('h')
  const dialog = await openDialog(app, 'Set public URL…')
  await dialog.getByText('ngrok', { exact: true }).click()
  await dialog.getByRole('button', { name: 'Start tunnel' }).click()
  await expect(dialog).toContainText("ngrok isn't installed on this computer.")
  await expectNoViolations(app, 'a program that is missing')

  await dialog.getByText('cloudflared', { exact: true }).click()
  await dialog.getByRole('button', { name: 'Start tunnel' }).click()
  await dialog.getByRole('button', { name: 'Re-point 1 hook' }).click()
  await dialog.getByRole('button', { name: 'Done' }).click()
  await openDialog(app, 'Change…')
  await expect(dialog.getByText('cloudflared tunnel running')).toBeVisible()
  await expect(dialog.getByText(NAME)).toBeVisible()
  const testView = dialog.getByRole('region', { name: 'Test' })
  await testView.getByRole('button', { name: 'Test' }).click()
  await expect(testView).toContainText('Unreachable')
  await expect(dialog).toContainText("can't be resolved")
  await expectNoViolations(app, 'a tunnel that is up')
  await dialog.getByRole('button', { name: 'Done' }).click()

  const hooks = page.getByRole('region', { name: 'Hooks', exact: true })
  const [first] = await standIn.starts()
  process.kill(first?.pid ?? 0, 'SIGKILL')
  await expect(hooks.getByText('cloudflared failed')).toBeVisible()
  await expect(hooks.getByText('1 hook still points to an expired URL.')).toBeVisible()
  await expect(hooks.getByText(first?.address ?? '', { exact: true })).toBeVisible()
  await expectNoViolations(app, 'hooks that get nothing')
  await openDialog(app, 'Set public URL…')
  await dialog.getByText('cloudflared', { exact: true }).click()
  await dialog.getByRole('button', { name: 'Start tunnel' }).click()
  await expect(dialog.getByText('cloudflared tunnel running')).toBeVisible()
  await page.keyboard.press('Escape')
  await hooks.getByRole('button', { name: 'Re-point…' }).click()
  const moving = page.getByRole('dialog', { name: 'Re-point hooks' })
  await moving.getByRole('button', { name: 'Re-point 1 hook' }).click()
  await moving.getByRole('button', { name: 'Done' }).click()
  await expect(hooks.getByText('still points')).toHaveCount(0)

  await (await openDialog(app, 'Change…')).getByRole('button', { name: 'Stop tunnel' }).click()
  await expect(dialog.getByRole('button', { name: 'Start tunnel' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(hooks.getByText('Reachable from this computer only')).toBeVisible()
})

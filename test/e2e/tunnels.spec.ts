/**
 * A public URL in the window: missing tunnel tools, a tunnel that starts, fails and returns with
 * another URL, hooks that follow it, and the test of the URL. The tools are stand-ins.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { installStandIn, type StandIn } from '../support/standin-tunnels.ts'
import { buttonIn, click, dialogIn, fill, press, regionIn } from './controls.ts'
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
  await click(regionIn(page, 'Hooks', { exact: true }), button)
  return dialogIn(page, 'Public URL')
}

test('a tunnel is started and stopped, and hooks follow when its URL changes', async ({
  app,
  page,
}) => {
  await app.importHook('transaction.auth', 'followed')
  await press(page, 'g', 'h')
  const dialog = await openDialog(app, 'Set public URL…')
  await fill(dialog, 'URL', 'http://plain.test')
  await click(dialog, 'Save URL')
  await expect(dialog.getByLabel('URL')).toHaveAttribute('aria-invalid', 'true')
  await fill(dialog, 'URL', 'https://demo.tunnel.test')
  await click(dialog, 'Save URL')
  const moving = dialogIn(page, 'Re-point hooks')
  await click(moving, 'Re-point 1 hook')
  await expect(moving.getByText('Done: 1 hook re-pointed.')).toBeVisible()
  await click(moving, 'Done')
  const hooks = regionIn(page, 'Hooks', { exact: true })
  await click(hooks, 'Register hook')
  const registering = dialogIn(page, 'Register hook').getByLabel('URL')
  await expect(registering).toHaveValue(/^https:\/\/demo\.tunnel\.test\/h\//)
  await press(page, 'Escape')

  await openDialog(app, 'Change…')
  await dialog.getByText('ngrok', { exact: true }).click()
  await click(dialog, 'Start tunnel')
  await expect(dialog).toContainText("ngrok isn't installed on this computer.")

  await dialog.getByText('cloudflared', { exact: true }).click()
  await click(dialog, 'Start tunnel')
  await click(moving, 'Re-point 1 hook')
  await click(moving, 'Done')
  await openDialog(app, 'Change…')
  await expect(dialog.getByText('cloudflared tunnel running')).toBeVisible()
  await expect(dialog.getByText(NAME)).toBeVisible()
  const testView = regionIn(dialog, 'Test')
  await click(testView, 'Test')
  await expect(testView).toContainText('Unreachable')
  await expect(dialog).toContainText("can't be resolved")
  await click(dialog, 'Done')

  const [first] = await standIn.starts()
  process.kill(first?.pid ?? 0, 'SIGKILL')
  await expect(hooks.getByText('cloudflared failed')).toBeVisible()
  await expect(hooks.getByText('1 hook still points to an expired URL.')).toBeVisible()
  await expect(hooks.getByText(first?.address ?? '', { exact: true })).toBeVisible()
  await openDialog(app, 'Set public URL…')
  await dialog.getByText('cloudflared', { exact: true }).click()
  await click(dialog, 'Start tunnel')
  await expect(dialog.getByText('cloudflared tunnel running')).toBeVisible()
  await press(page, 'Escape')
  await click(hooks, 'Re-point…')
  await click(moving, 'Re-point 1 hook')
  await click(moving, 'Done')
  await expect(hooks.getByText('still points')).toHaveCount(0)

  await click(await openDialog(app, 'Change…'), 'Stop tunnel')
  await expect(buttonIn(dialog, 'Start tunnel')).toBeVisible()
  await press(page, 'Escape')
  await expect(hooks.getByText('Reachable from this computer only')).toBeVisible()
})

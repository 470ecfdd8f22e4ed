/**
 * Parts of the desktop app that only real Electron has: preferences, the system's sandbox, origins,
 * key store, menu.
 */
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from '@playwright/test'
import { findElectron } from '../../scripts/lib/electron-binary.ts'
import { CHANNEL_FROM_CORE } from '../../src/shared/rpc/transport.ts'
import { PRODUCT_NAME } from '../../src/shared/product.ts'
import type { ElectronHost } from './hosts/electron.ts'
import { askCore } from './hosts/desktop-host.ts'
import { desktopTest, hostName } from './hosts/launch-desktop.ts'

/** With the main process, which a test may inspect. */
const test = desktopTest.extend<Pick<ElectronHost, 'electronApp'>>({
  electronApp: ({ desktop }, provide) =>
    provide((desktop as typeof desktop & ElectronHost).electronApp),
})
test.skip(hostName !== 'electron', 'only the real Electron shows this')

const preload = fileURLToPath(new URL('../../out/preload/index.cjs', import.meta.url))

test('every window is sandboxed and isolated, in its preferences and by the operating system', async ({
  electronApp,
}) => {
  const { preferences, pid, metrics } = await electronApp.evaluate(({ app, BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows()
    if (window === undefined) throw new Error('There is no window.')
    const pidOfPage = window.webContents.getOSProcessId()
    // Exists in Electron, but not in its type declarations.
    const contents = window.webContents as typeof window.webContents & {
      getLastWebPreferences(): object
    }
    return {
      preferences: contents.getLastWebPreferences(),
      pid: pidOfPage,
      metrics: app.getAppMetrics().find((metric) => metric.pid === pidOfPage),
    }
  })
  expect(preferences).toMatchObject({
    sandbox: true,
    contextIsolation: true,
    nodeIntegration: false,
    webSecurity: true,
  })
  // Preferences could be wrong; the process can't.
  if (process.platform === 'linux') {
    test.skip(process.getuid?.() === 0, 'Chromium has no sandbox as root')
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Seccomp:\s*2$/m)
  } else expect(metrics?.sandboxed).toBe(true)
})

test('the page has an isolated origin', async ({ desktop }) => {
  expect(await desktop.page.evaluate(() => [location.origin, isSecureContext])).toEqual([
    'app://countersign',
    true,
  ])
})

test('another window with the same preload and page gets no response', async ({ electronApp }) => {
  const given = { channel: CHANNEL_FROM_CORE, script: preload }
  const answered = await electronApp.evaluate(async ({ BrowserWindow }, { channel, script }) => {
    const stranger = new BrowserWindow({
      show: false,
      webPreferences: { sandbox: true, preload: script },
    })
    let sent = 0
    const send = stranger.webContents.send.bind(stranger.webContents)
    stranger.webContents.send = (name: string, ...values: unknown[]) => {
      if (name === channel) sent++
      send(name, ...values)
    }
    await stranger.loadURL('about:blank')
    const request = JSON.stringify({ kind: 'request', id: 1, command: 'app.status', input: {} })
    await stranger.webContents.executeJavaScript(
      `globalThis.countersign?.send(${JSON.stringify(request)})`,
    )
    await new Promise((resolve) => setTimeout(resolve, 500))
    stranger.destroy()
    return sent
  }, given)
  expect(answered).toBe(0)
})

test('closing hides the window if it was chosen, and the Dock or a second start shows it', async ({
  desktop,
  electronApp,
}) => {
  await askCore(desktop.page, 'settings.set', { desktop: { onClose: 'background' } })
  const isVisible = (act: 'close' | 'activate') =>
    electronApp.evaluate(({ app, BrowserWindow }, wanted) => {
      const [window] = BrowserWindow.getAllWindows()
      if (wanted === 'close') window?.close()
      else app.emit('activate')
      return window?.isVisible()
    }, act)
  expect(await isVisible('close')).toBe(false)
  expect(await askCore(desktop.page, 'app.status', {})).toMatchObject({ ok: true })
  expect(await isVisible('activate')).toBe(true)
})

test('a page whose process dies is loaded again; dumps stay beside the log', async ({
  electronApp,
}) => {
  const loaded = await electronApp.evaluate(({ BrowserWindow }) => {
    const contents = BrowserWindow.getAllWindows()[0]?.webContents
    if (contents === undefined) throw new Error('There is no window.')
    return new Promise<string>((resolve) => {
      contents.once('did-finish-load', () => {
        resolve(contents.getURL())
      })
      contents.forcefullyCrashRenderer()
    })
  })
  expect(loaded).toContain('app://countersign/')
  const folders = await electronApp.evaluate(({ app }) => [
    app.getPath('logs'),
    app.getPath('crashDumps'),
  ])
  expect(folders[1]).toBe(join(folders[0] ?? '', 'crashes'))
})

test("a file chosen in the system's dialog, or opened by the system, reaches the page by a handle", async ({
  desktop,
  electronApp,
}) => {
  const file = join(desktop.dataFolder, 'coffee.json')
  writeFileSync(file, '{}')
  await electronApp.evaluate(({ dialog }, path) => {
    dialog.showOpenDialog = () => Promise.resolve({ canceled: false, filePaths: [path] })
  }, file)
  const answer = await askCore(desktop.page, 'native.chooseFile', { kind: 'flow' })
  expect(answer).toMatchObject({
    ok: true,
    output: { file: { kind: 'flow', name: 'coffee.json', size: 2 } },
  })
  expect(JSON.stringify(answer)).not.toContain(desktop.dataFolder)
  await electronApp.evaluate(
    ({ app }, path) => app.emit('open-file', { preventDefault: () => undefined }, path),
    file,
  )
  await expect(
    desktop.page.getByRole('alert').filter({ hasText: "coffee.json isn't a valid flow." }),
  ).toBeVisible()
})

test('the application menu is accepted by the system', async ({ electronApp }) => {
  const labels = await electronApp.evaluate(({ Menu }) =>
    Menu.getApplicationMenu()?.items.flatMap(
      (item) => item.submenu?.items.map(({ label }) => label) ?? [],
    ),
  )
  expect(labels).toContain('Settings…')
})

test('secrets, settings and the taskbar use the names that never change', async ({
  desktop,
  electronApp,
}) => {
  expect(await electronApp.evaluate(({ app }) => app.getName())).toBe(PRODUCT_NAME)
  // The keyring's native part loads in Electron too, or the key file is used.
  const answer = (await askCore(desktop.page, 'app.status', {})) as {
    output: { vault: { backend: string; protected: boolean } }
  }
  const { vault } = answer.output
  expect(['keyring', 'file']).toContain(vault.backend)
  expect(vault.protected).toBe(vault.backend === 'keyring')
  if (process.platform !== 'linux') expect(vault.backend).toBe('keyring')
})

test("the app trusts the system's CA certificates besides Electron's own", async ({
  electronApp,
}) => {
  const missing = await electronApp.evaluate(() => {
    const { getCACertificates } = process.getBuiltinModule('node:tls')
    const trusted = new Set(getCACertificates('default'))
    return getCACertificates('system').filter((pem) => !trusted.has(pem)).length
  })
  expect(missing).toBe(0)
})

test('the self-test passes: threads, native modules, TLS, page and quitting', async () => {
  test.skip(
    process.platform === 'linux' && process.getuid?.() === 0,
    'Chromium has no sandbox as root',
  )
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const { stdout } = await promisify(execFile)(findElectron() ?? '', [root, '--self-test'])
  expect(stdout).toContain('{"selfTest":"ok"')
})

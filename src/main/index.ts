/**
 * The desktop app: settings before Electron is ready, then the core, then the window's protection and protocol, and finally the
 * window.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { app, BrowserWindow, dialog, ipcMain, Menu, protocol, safeStorage, screen, session, shell } from 'electron'
import { version } from '../../package.json'
import type { Core } from '../core/app/core.ts'
import { createRepairableCore } from '../core/app/repairable-core.ts'
import { resolveDataFolder } from '../core/base/data-folder.ts'
import type { WorkerEntries } from '../core/base/deps.ts'
import { AppError } from '../shared/contract/errors.ts'
import { APP_HOME, registerAppScheme, setupAppProtocol } from './app-protocol.ts'
import { type CommandLine, CommandLineError, readCommandLine } from './command-line.ts'
import { createDesktopDeps } from './desktop-deps.ts'
import { setupIpc } from './ipc-transport.ts'
import { setupQuit, setupSecondInstance, takeInstanceLock } from './lifetime.ts'
import { setupMenu } from './menu.ts'
import { createNativeHandlers } from './native.ts'
import { setupNavigation, setupPermissions } from './page-limits.ts'
import { setupWindow } from './window.ts'

/** The build puts the workers beside this file and the other two bundles beside its folder. */
const workers: WorkerEntries = {
  writer: new URL('./writer.js', import.meta.url),
  reader: new URL('./reader.js', import.meta.url),
  search: new URL('./search.js', import.meta.url),
  rewriting: new URL('./rewriting.js', import.meta.url),
  diagnosis: new URL('./diagnosis.js', import.meta.url),
  shrink: new URL('./shrink.js', import.meta.url),
}
const bundle = fileURLToPath(new URL('../renderer', import.meta.url))
const preload = fileURLToPath(new URL('../preload/index.cjs', import.meta.url))
const { platform } = process

/** During development, the window loads the development server; no build contains this. */
const home = (import.meta.env.DEV && process.env['ELECTRON_RENDERER_URL']?.replace(/\/?$/, '/')) || APP_HOME

async function start(commandLine: CommandLine, dataFolder: string): Promise<void> {
  await app.whenReady()
  setupPermissions(session.defaultSession, home)
  setupNavigation(app, shell, home, () => performance.now())
  if (home === APP_HOME) await setupAppProtocol(protocol, bundle)

  const deps = createDesktopDeps({ version, dataFolder, workers, safeStorage, platform })
  const core: Core = await createRepairableCore(deps, {
    serve: { host: '127.0.0.1', whenPortBusy: 'show', ...commandLine.ports },
    native: createNativeHandlers(shell, { dataFolder, caFile: async () => (await core.status()).caFile }),
  })

  setupQuit(app, core.close, (error) => deps.log.bug(error, 'closing the core'))
  setupIpc(ipcMain, {
    home,
    isOwnWindow: (contents) => BrowserWindow.getAllWindows().some((window) => window.webContents === contents),
    connect: core.connect,
    onRefused: (url) => {
      deps.log.warn("Rejected a message from outside the app's page.", { url })
    },
  })
  setupMenu(Menu, { platform, openDataFolder: () => void shell.openPath(dataFolder), developer: !app.isPackaged })
  setupSecondInstance(app)
  setupWindow(app, { home, preload, stateFile: join(dataFolder, 'desktop', 'window.json'), platform, screen })
}

/** Shows why the app can't start and exits with the code that `countersign` would use. */
function refuse(error: unknown): void {
  const expected = error instanceof AppError || error instanceof CommandLineError
  dialog.showErrorBox("Couldn't start Countersign", expected ? error.message : String(error))
  app.exit(error instanceof CommandLineError ? 2 : 3)
}

try {
  const commandLine = readCommandLine(process.argv)
  const dataFolder = resolveDataFolder({ option: commandLine.data })
  registerAppScheme()
  if (takeInstanceLock(app, dataFolder)) start(commandLine, dataFolder).catch(refuse)
  else app.exit(0)
} catch (error) {
  refuse(error)
}

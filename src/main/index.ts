/** Starts the desktop app: protects the page, then shows the window while the core opens. */
import { randomBytes } from 'node:crypto'
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { app, crashReporter, dialog, ipcMain, protocol, session, shell } from 'electron'
import { homepage, version } from '../../package.json'
import type { Core } from '../core/app/core.ts'
import { createLateCore } from '../core/app/late-core.ts'
import { createFileLog } from '../core/app/file-log.ts'
import { logFolderOf, resolveDataFolder } from '../core/base/data-folder.ts'
import type { Log, WorkerEntries } from '../core/base/deps.ts'
import { deleteKeyringKey } from '../core/hooks/keyring-backend.ts'
import { readSystemAuthorities } from '../core/outgoing/wire/system-authorities.ts'
import { makeTemporaryFolder } from '../core/store/temporary-folder.ts'
import { RpcClient } from '../shared/rpc/client.ts'
import type { NativeHandlers } from '../shared/rpc/router.ts'
import { createMemoryPair } from '../shared/rpc/memory-pair.ts'
import { AppError } from '../shared/contract/errors.ts'
import { APP_ID, PRODUCT_NAME } from '../shared/product.ts'
import { APP_URL, registerAppScheme, setupAppProtocol } from './app-protocol.ts'
import { readCommandLine } from './command-line.ts'
import { CoreStart } from './core-start.ts'
import { setupDownloads } from './downloads.ts'
import { watchFaults } from './faults.ts'
import { setupCrashDumps, setupRecovery } from './recovery.ts'
import { setupIpc, type SendToPage } from './ipc-transport.ts'
import { setupQuit, takeInstanceLock } from './lifetime.ts'
import { createNativeHandlers } from './native-handlers.ts'
import { setupOpening } from './link-and-file-opener.ts'
import { toAbsoluteArgument } from './open-requests.ts'
import { setupNavigation, setupPermissions } from './page-limits.ts'
import { createSelfTest, type SelfTest } from './self-test.ts'
import { setupShell } from './shell.ts'
import { hasTrayHost } from './tray.ts'
import { isSignedApp, loadUpdater, Updates, updatesOffReason } from './updates.ts'
import { MainWindow } from './window.ts'

const workers: WorkerEntries = {
  writer: new URL('./writer.js', import.meta.url),
  reader: new URL('./reader.js', import.meta.url),
  search: new URL('./search.js', import.meta.url),
  diagnosis: new URL('./diagnosis.js', import.meta.url),
  shrink: new URL('./shrink.js', import.meta.url),
  encryption: new URL('./encryption.js', import.meta.url),
}
const authoritiesThread = new URL('./system-authorities.js', import.meta.url)
const bundle = fileURLToPath(new URL('../renderer', import.meta.url))
const preload = fileURLToPath(new URL('../preload/index.cjs', import.meta.url))
const { platform } = process
const KEYRING_PATIENCE_MS = 5_000
const EXIT_INVALID_INPUT = 2
const EXIT_FAILED = 3

/** URL of the page, ending in a slash: the development server's during development. */
const pageUrl =
  (import.meta.env.DEV && process.env['ELECTRON_RENDERER_URL']?.replace(/\/?$/, '/')) || APP_URL

const resources = app.isPackaged ? process.resourcesPath : app.getAppPath()

interface StartOptions {
  readonly dataFolder: string
  readonly ports: ReturnType<typeof readCommandLine>['ports']
  readonly toOpen: readonly string[]
}

/** Starts in this order: some parts must precede `whenReady`, and the page calls `core`. */
async function start({ dataFolder, ports, toOpen }: StartOptions): Promise<void> {
  const log = createFileLog({ dataFolder, randomBytes })
  const window = new MainWindow({
    pageUrl,
    preload,
    stateFile: join(dataFolder, 'desktop', 'window.json'),
    takesFocus: selfTest === null,
  })
  const sendToPage = setupIpc(ipcMain, {
    pageUrl,
    isOwnWindow: (contents) => window.current()?.webContents === contents,
    connect: (transport) => core.connect(transport),
    onRefused: (url) => log.warn("Rejected a message from outside the app's page.", { url }),
  })
  watchFaults({ app, dialog, process }, { log, refuse, sendToPage })
  setupCrashDumps(app, crashReporter, logFolderOf(dataFolder))
  const files = setupOpening({ app, dialog }, toOpen, { window, sendToPage })
  const trayHost = hasTrayHost(platform)
  const systemAuthorities = readSystemAuthorities(authoritiesThread)
  // A failure is logged when the core opens.
  systemAuthorities.catch(() => undefined)
  await app.whenReady()
  await protectPage()
  setupRecovery({ app, dialog }, pageUrl, log, window)

  const updates = createUpdates(log, sendToPage)
  const native: NativeHandlers = {
    ...createNativeHandlers(shell, dataFolder, () => app.quit()),
    ...files,
    'native.update': updates.act,
  }
  const coreStart = new CoreStart({ dataFolder, log, native, ports, systemAuthorities, workers })
  const core = createLateCore(coreStart.open(), {
    native,
    onFailed: coreStart.fail,
    reportBug: log.bug,
  })
  const client = connectClient(core)
  updates.checkDaily(client)
  setupCoreQuit({ core, coreStart, dataFolder, log, updates })
  setupPageDownloads(log, sendToPage)
  window.start()
  setupShell({
    dataFolder,
    resources,
    window,
    client,
    log,
    sendToPage,
    hasTray: await trayHost,
    onWake: () => coreStart.core?.resumed(),
  })
  if (selfTest === null) return
  await selfTest.run({
    call: client.call,
    runInPage: async (code) => window.current()?.webContents.executeJavaScript(code),
    systemAuthorities: () => systemAuthorities,
    loadUpdater,
  })
  app.quit()
}

async function protectPage(): Promise<void> {
  setupPermissions(session.defaultSession, pageUrl)
  setupNavigation(app, shell, pageUrl)
  if (pageUrl === APP_URL) await setupAppProtocol(protocol, bundle)
}

function createUpdates(log: Log, sendToPage: SendToPage): Updates {
  const off = updatesOffReason({ isPackaged: app.isPackaged, resources })
  return new Updates({
    off,
    page: off === null && isSignedApp(app.getAppPath()) ? null : homepage,
    loadUpdater,
    log,
    changed: (state) => sendToPage('native.updateChanged', state),
    quit: () => app.quit(),
  })
}

function connectClient(core: Pick<Core, 'connect'>): RpcClient {
  const { client: clientEnd, core: coreEnd } = createMemoryPair()
  core.connect(coreEnd)
  return new RpcClient(clientEnd)
}

interface CoreQuitOptions {
  readonly core: Pick<Core, 'close'>
  readonly coreStart: CoreStart
  readonly dataFolder: string
  readonly log: Log
  readonly updates: Updates
}

/** Closes the core when the app quits; the self-test reports the result. */
function setupCoreQuit({ core, coreStart, dataFolder, log, updates }: CoreQuitOptions): void {
  let problem: string | null = 'The core is still open.'
  setupQuit({
    async close() {
      const usesKeyring =
        selfTest !== null && (await coreStart.core?.status())?.vault.backend === 'keyring'
      await core.close()
      // Nobody needs the key of a temporary folder again.
      if (usesKeyring) await deleteKeyringKey(dataFolder, { patienceMs: KEYRING_PATIENCE_MS })
      problem = null
    },
    onLate: (error) => {
      problem = String(error)
      log.bug(error, 'closing the core')
    },
    exitCode: () => selfTest?.end(problem) ?? (coreStart.hasFailed ? EXIT_FAILED : 0),
    beforeExit: updates.finish,
  })
}

function setupPageDownloads(log: Log, sendToPage: SendToPage): void {
  setupDownloads(session.defaultSession, {
    pageUrl,
    onFailed(name) {
      log.warn("Couldn't save a file.", { name })
      sendToPage('native.problem', {
        title: `Couldn't save ${name}`,
        message: 'Check free space and permissions, then save again.',
      })
    },
    onRefused: (url) => log.warn('Rejected a download.', { url }),
  })
}

/** Shows an error before there is a window; exits with the code that `countersign` would use. */
function refuse(error: unknown): void {
  if (selfTest !== null) {
    app.exit(selfTest.end(String(error)))
    return
  }
  const expected = error instanceof AppError
  dialog.showErrorBox(`Couldn't start ${PRODUCT_NAME}`, expected ? error.message : String(error))
  app.exit(expected && error.code === 'INVALID_INPUT' ? EXIT_INVALID_INPUT : EXIT_FAILED)
}

function createPrintedSelfTest(): SelfTest {
  const { arch, versions } = process
  const facts = {
    version,
    electron: versions['electron'],
    platform,
    arch,
    packaged: app.isPackaged,
  }
  return createSelfTest(facts, (line) => {
    try {
      // Synchronous, so that the line is out before the process ends.
      writeSync(1, `${line}\n`)
    } catch {
      // Without a reader of stdout, the exit code remains.
    }
  })
}

// Disables the compile cache, because worker threads would run any code in it.
process.env['NODE_COMPILE_CACHE'] = ''
/** Set before `start`. */
let selfTest: SelfTest | null = null
try {
  app.setName(PRODUCT_NAME)
  app.setAppUserModelId(APP_ID)
  const commandLine = readCommandLine(process.argv, { isPackaged: app.isPackaged })
  if (commandLine.selfTest) selfTest = createPrintedSelfTest()
  const dataFolder =
    selfTest === null
      ? resolveDataFolder({ option: commandLine.data })
      : makeTemporaryFolder().folder
  const toOpen = commandLine.toOpen.map(toAbsoluteArgument)
  registerAppScheme()
  if (takeInstanceLock(dataFolder, { open: toOpen }))
    start({ dataFolder, ports: commandLine.ports, toOpen }).catch(refuse)
  else app.exit(0)
} catch (error) {
  refuse(error)
}

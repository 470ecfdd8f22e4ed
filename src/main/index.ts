/**
 * The desktop app: settings before Electron is ready, then the window's protection and protocol, and the window, which shows that
 * Countersign starts while the core opens.
 */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  app,
  crashReporter,
  dialog,
  ipcMain,
  Menu,
  nativeImage,
  Notification,
  powerMonitor,
  protocol,
  safeStorage,
  screen,
  session,
  shell,
  Tray,
} from 'electron'
import { homepage, version } from '../../package.json'
import type { Core } from '../core/app/core.ts'
import { createLateCore } from '../core/app/core.ts'
import { createCore } from '../core/app/app.ts'
import { createFileLog } from '../core/app/file-log.ts'
import { caFileOf, logFolderOf, resolveDataFolder } from '../core/base/data-folder.ts'
import type { Log, WorkerEntries } from '../core/base/deps.ts'
import { deleteKeyringKey, loadKeyring } from '../core/hooks/vault.ts'
import {
  readSystemAuthorities,
  trustSystemAuthorities,
} from '../core/outgoing/wire/system-authorities.ts'
import type { NativeEventName, NativePayloadOf } from '../shared/contract/native.ts'
import { type Client, createClient } from '../shared/rpc/client.ts'
import type { NativeHandlers } from '../shared/rpc/router.ts'
import { createMemoryPair } from '../shared/rpc/transport.ts'
import { AppError } from '../shared/contract/errors.ts'
import { APP_ID, PRODUCT_NAME } from '../shared/product.ts'
import { APP_HOME, registerAppScheme, setupAppProtocol } from './app-protocol.ts'
import { createCommandLineTool } from './command-line-tool.ts'
import { type CommandLine, CommandLineError, readCommandLine } from './command-line.ts'
import { createDesktopDeps } from './desktop-deps.ts'
import { setupDownloads } from './downloads.ts'
import { watchFaults, setupCrashDumps, setupRecovery } from './faults.ts'
import { setupIpc } from './ipc-transport.ts'
import { setupQuit, setupSecondInstance, takeInstanceLock } from './lifetime.ts'
import { createNativeHandlers } from './native.ts'
import { setupOpening, wordsToOpen } from './opening.ts'
import { setupNavigation, setupPermissions } from './page-limits.ts'
import { createSelfTest, READ_PAGE, type PageState, type SelfTest } from './self-test.ts'
import { setupShell } from './shell.ts'
import { hasTrayHost } from './tray.ts'
import { startFailure, unsafeStart } from './starting.ts'
import { createUpdates, isSignedApp, loadUpdater, type Updates, whyNoUpdates } from './updates.ts'
import { type MainWindow, setupWindow } from './window.ts'

/** The build puts the workers beside this file and the other two bundles beside its folder. */
const workers: WorkerEntries = {
  writer: new URL('./writer.js', import.meta.url),
  reader: new URL('./reader.js', import.meta.url),
  search: new URL('./search.js', import.meta.url),
  diagnosis: new URL('./diagnosis.js', import.meta.url),
  shrink: new URL('./shrink.js', import.meta.url),
}
const bundle = fileURLToPath(new URL('../renderer', import.meta.url))
const preload = fileURLToPath(new URL('../preload/index.cjs', import.meta.url))
const { platform } = process
/** The exit code of `countersign` if something couldn't be done. */
const EXIT_FAILED = 3
/** Milliseconds for the self-test. A keyring that asks for a password takes half a minute. */
const LONGEST_SELF_TEST = 120_000

/** During development, the window loads the development server; no build contains this. */
const home =
  (import.meta.env.DEV && process.env['ELECTRON_RENDERER_URL']?.replace(/\/?$/, '/')) || APP_HOME

const resources = app.isPackaged ? process.resourcesPath : app.getAppPath()

const DAY_MS = 86_400_000

interface UpdateParts {
  readonly log: Log
  readonly client: Pick<Client, 'call'>
  readonly changed: (state: NativePayloadOf<'native.updateChanged'>) => void
}

/** Connects the updates to Electron. If the user asked for it, checks now and once a day. */
function setupUpdates({ log, client, changed }: UpdateParts): Updates {
  const off = whyNoUpdates(app.isPackaged, resources)
  const updates = createUpdates({
    off,
    page: off === null && isSignedApp(app.getAppPath()) ? null : homepage,
    loadUpdater,
    log,
    changed,
    quit: () => app.quit(),
  })
  const checkDaily = async () => {
    try {
      const { desktop } = await client.call('settings.get', {})
      if (desktop.checkUpdates) await updates.checkQuietly()
    } catch (error) {
      // Without settings, nobody asked for checks.
      log.warn("Couldn't check for updates.", { reason: String(error) })
    }
  }
  if (off === null) {
    void checkDaily()
    setInterval(() => void checkDaily(), DAY_MS).unref()
  }
  return updates
}

async function start(
  commandLine: CommandLine,
  dataFolder: string,
  words: readonly string[],
  selfTest: SelfTest | null,
): Promise<void> {
  const log = createFileLog({ dataFolder, randomBytes })
  const connectFaults = watchFaults({ app, dialog, process }, { log, refuse })
  setupCrashDumps(app, crashReporter, logFolderOf(dataFolder))
  const opening = setupOpening({ app, dialog }, words)
  const trayHost = hasTrayHost(platform)
  const systemAuthorities = readSystemAuthorities(
    new URL('./system-authorities.js', import.meta.url),
  )
  // A failure is logged below, where the result is used.
  systemAuthorities.catch(() => undefined)
  await app.whenReady()
  setupPermissions(session.defaultSession, home)
  setupNavigation(app, shell, home, () => performance.now())
  if (home === APP_HOME) await setupAppProtocol(protocol, bundle)

  const deps = createDesktopDeps({ version, dataFolder, workers, safeStorage, platform })
  /** Null until it is open. */
  let running: Core | null = null
  let window: MainWindow | null = null
  setupRecovery(
    { app, dialog },
    {
      home,
      log,
      window: () => window,
    },
  )
  const native: NativeHandlers = {
    ...createNativeHandlers(shell, {
      dataFolder,
      caFile: () => Promise.resolve(caFileOf(dataFolder)),
      quit: () => app.quit(),
    }),
    ...opening.handlers,
    'native.update': (input) => updates.act(input),
  }
  const openCore = async (): Promise<Core> => {
    const unsafe = unsafeStart({
      hasSwitch: (name) => app.commandLine.hasSwitch(name),
      env: process.env,
    })
    if (unsafe !== null) throw unsafe
    await trustSystemAuthorities(() => systemAuthorities, deps.log)
    running = await createCore(deps, {
      serve: { host: '127.0.0.1', whenPortBusy: 'show', ...commandLine.ports },
      native,
    })
    return running
  }
  let failed = false
  const core = createLateCore(openCore(), {
    native,
    onFailed(error) {
      failed = true
      deps.log.warn("Couldn't start.", { reason: String(error) })
      const reportBug = (bug: unknown) => deps.log.bug(bug, 'starting')
      return startFailure(error, {
        version,
        dataFolder,
        platform,
        versions: process.versions,
        reportBug,
      })
    },
    reportBug: (error, command) => deps.log.bug(error, command),
  })

  const [ownEnd, coreEnd] = createMemoryPair()
  core.connect(coreEnd)
  const client = createClient(ownEnd)
  const updates = setupUpdates({
    log: deps.log,
    client,
    changed: (state) => tell('native.updateChanged', state),
  })
  let quitProblem: string | null = 'The core is still open.'
  setupQuit(app, {
    async close() {
      const usesKeyring =
        selfTest !== null && (await running?.status())?.vault.backend === 'keyring'
      await core.close()
      // Nobody needs the key of a temporary folder again.
      if (usesKeyring) await deleteKeyringKey(dataFolder, { patienceMs: 5_000 })
      quitProblem = null
    },
    onLate: (error) => {
      quitProblem = String(error)
      deps.log.bug(error, 'closing the core')
    },
    exitCode: () => selfTest?.end(quitProblem) ?? (failed ? EXIT_FAILED : 0),
    beforeExit: updates.finish,
  })
  const ipc = setupIpc(ipcMain, {
    home,
    isOwnWindow: (contents) => window?.current()?.webContents === contents,
    connect: core.connect,
    onRefused: (url) => deps.log.warn("Rejected a message from outside the app's page.", { url }),
  })
  const tell = <K extends NativeEventName>(event: K, payload: NativePayloadOf<K>) => {
    const contents = window?.current()?.webContents
    if (contents !== undefined) ipc.tell(contents, event, payload)
  }
  setupDownloads(session.defaultSession, {
    home,
    onFailed: (name) => {
      log.warn("Couldn't save a file.", { name })
      tell('native.problem', {
        title: `Couldn't save ${name}`,
        message: 'Check free space and permissions, then save again.',
      })
    },
    onRefused: (url) => log.warn('Rejected a download.', { url }),
  })
  window = setupWindow(app, {
    home,
    preload,
    stateFile: join(dataFolder, 'desktop', 'window.json'),
    platform,
    screen,
    takesFocus: selfTest === null,
  })
  setupSecondInstance(app, window)
  opening.connect({ window, tell })
  connectFaults((notice) => tell('native.problem', notice))
  setupShell(
    { app, dialog, Menu, nativeImage, Notification, powerMonitor, shell, Tray },
    {
      platform,
      version,
      dataFolder,
      docsFolder: join(resources, 'docs'),
      licensesFile: join(resources, app.isPackaged ? 'licenses.txt' : 'out/main/licenses.txt'),
      tool:
        selfTest === null && app.isPackaged
          ? createCommandLineTool({ platform, resources, home: homedir(), env: process.env })
          : null,
      developer: !app.isPackaged,
      window,
      client,
      log: deps.log,
      tell: ipc.tell,
      hasTray: await trayHost,
      onWake: () => running?.resumed(),
    },
  )
  await selfTest?.run({
    client,
    readPage: async () =>
      (await window?.current()?.webContents.executeJavaScript(READ_PAGE)) as PageState,
    loadKeyring,
    readSystemAuthorities: () => systemAuthorities,
    loadUpdater,
  })
  if (selfTest !== null) app.quit()
}

/** Takes the place of the data folder for a self-test, which must not touch the user's. */
function temporaryDataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-self-test-'))
  process.once('exit', () => {
    try {
      rmSync(folder, { recursive: true, force: true })
    } catch {
      // Windows keeps files that Chromium still uses.
    }
  })
  return folder
}

/** Shows why there can't even be a window, and exits with the code that `countersign` would use. */
function refuse(error: unknown): void {
  const expected = error instanceof AppError || error instanceof CommandLineError
  if (selfTest !== null) {
    app.exit(selfTest.end(String(error)))
    return
  }
  dialog.showErrorBox(`Couldn't start ${PRODUCT_NAME}`, expected ? error.message : String(error))
  app.exit(error instanceof CommandLineError ? 2 : EXIT_FAILED)
}

let selfTest: SelfTest | null = null
try {
  app.setName(PRODUCT_NAME)
  app.setAppUserModelId(APP_ID)
  const commandLine = readCommandLine(process.argv)
  if (commandLine.selfTest) {
    const { arch, versions } = process
    selfTest = createSelfTest({
      facts: { version, electron: versions['electron'], platform, arch, packaged: app.isPackaged },
      limitMs: LONGEST_SELF_TEST,
      print(line) {
        try {
          // Before the process ends, whatever stdout is.
          writeSync(1, `${line}\n`)
        } catch {
          // Nobody reads it. The exit code remains.
        }
      },
      exit: (code) => app.exit(code),
    })
  }
  const dataFolder = commandLine.selfTest
    ? temporaryDataFolder()
    : resolveDataFolder({ option: commandLine.data })
  const words = wordsToOpen(process.argv, app.isPackaged, process.cwd())
  registerAppScheme()
  if (takeInstanceLock(app, dataFolder, { open: words }))
    start(commandLine, dataFolder, words, selfTest).catch(refuse)
  else app.exit(0)
} catch (error) {
  refuse(error)
}

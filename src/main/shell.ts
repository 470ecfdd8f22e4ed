/**
 * The parts of the desktop app around its window: menus, tray, notifications, closing, sleep, About. Each part is data from a pure
 * module; this file hands it to Electron and carries out what the user chooses.
 */
import type * as Electron from 'electron'
import colorIdle2x from '../../resources/tray/color-idle@2x.png?inline'
import colorIdle from '../../resources/tray/color-idle.png?inline'
import colorReceiving2x from '../../resources/tray/color-receiving@2x.png?inline'
import colorReceiving from '../../resources/tray/color-receiving.png?inline'
import macIdle2x from '../../resources/tray/mac-idle@2x.png?inline'
import macIdle from '../../resources/tray/mac-idle.png?inline'
import macReceiving2x from '../../resources/tray/mac-receiving@2x.png?inline'
import macReceiving from '../../resources/tray/mac-receiving.png?inline'
import { logFolderOf } from '../core/base/data-folder.ts'
import type { Log } from '../core/base/deps.ts'
import { throttle } from '../core/base/async.ts'
import type { NativeEventName, NativePayloadOf, PageAction } from '../shared/contract/native.ts'
import { DEFAULT_SETTINGS, type DesktopSettings } from '../shared/model/settings.ts'
import { PRODUCT_NAME } from '../shared/product.ts'
import type { Client } from '../shared/rpc/client.ts'
import { closingOf, closingQuestion } from './closing.ts'
import type { CommandLineTool } from './command-line-tool.ts'
import { createNotices, type DesktopNotice } from './notices.ts'
import {
  applicationMenu,
  textMenu,
  trayMenu,
  type ShellAction,
  type ShellCommand,
} from './shell-menus.ts'
import { type TrayFacts, type TrayState, trayState } from './tray.ts'
import type { MainWindow } from './window.ts'

type Modules = Pick<
  typeof Electron,
  'app' | 'dialog' | 'Menu' | 'nativeImage' | 'Notification' | 'powerMonitor' | 'shell' | 'Tray'
>

export interface ShellOptions {
  readonly platform: NodeJS.Platform
  readonly version: string
  readonly dataFolder: string
  /** Folder of the documentation. */
  readonly docsFolder: string
  /** File with the licenses of everything in the app. */
  readonly licensesFile: string
  /** The command of the installed app. */
  readonly tool: CommandLineTool | null
  /** Shows developer tools. */
  readonly developer: boolean
  readonly window: MainWindow
  /** A connection to the core, as the page has one. */
  readonly client: Client
  readonly log: Log
  /** Sends an event to a page. */
  tell<K extends NativeEventName>(
    contents: Electron.WebContents,
    event: K,
    payload: NativePayloadOf<K>,
  ): void
  /** Whether the desktop shows tray icons. */
  readonly hasTray: boolean
  /** The computer has woken up. */
  onWake(): void
}

const pictures = {
  mac: { receiving: [macReceiving, macReceiving2x], idle: [macIdle, macIdle2x] },
  color: { receiving: [colorReceiving, colorReceiving2x], idle: [colorIdle, colorIdle2x] },
} as const

function trayImage(
  { nativeImage }: Pick<Modules, 'nativeImage'>,
  platform: NodeJS.Platform,
  icon: TrayState['icon'],
) {
  const mac = platform === 'darwin'
  const image = nativeImage.createEmpty()
  for (const [place, dataURL] of pictures[mac ? 'mac' : 'color'][icon].entries())
    image.addRepresentation({ scaleFactor: place + 1, dataURL })
  // The system draws it in the color of the menu bar.
  if (mac) image.setTemplateImage(true)
  return image
}

/** What the shell knows of the core, read again after a gap in its events. */
interface Known {
  isRunning: boolean
  desktop: DesktopSettings
  receiver: TrayFacts['receiver']
  last: TrayFacts['last']
}

/** Follows the core and calls `onChanged` with each change. */
function followCore({ client, log }: ShellOptions, onChanged: () => void): Known {
  const known: Known = {
    isRunning: false,
    desktop: DEFAULT_SETTINGS.desktop,
    receiver: { state: 'off', url: null, publicUrl: null, httpUrl: null, problem: null },
    last: null,
  }
  const read = async () => {
    try {
      const [settings, status, { items }] = await Promise.all([
        client.call('settings.get', {}),
        client.call('app.status', {}),
        client.call('deliveries.list', { limit: 1 }),
      ])
      Object.assign(known, {
        isRunning: true,
        desktop: settings.desktop,
        receiver: status.receiver,
        last: items[0] ?? null,
      })
      onChanged()
    } catch (error) {
      // A damaged database can't be read; the page says so.
      log.warn("The tray couldn't read the state.", { error })
    }
  }
  client.on('settings.changed', ({ desktop }) => {
    known.desktop = desktop
  })
  client.on('receiver.changed', (receiver) => {
    known.receiver = receiver
    onChanged()
  })
  client.on('deliveries.changed', ({ added: [newest] }) => {
    if (newest === undefined) return
    known.last = newest
    onChanged()
  })
  client.on('deliveries.deleted', () => void read())
  client.onGap(() => void read())
  void read()
  return known
}

/** How often the tray's menu is made again: while it is open, some desktops close it then. */
const TRAY_EVERY_MS = 1_000

function setupTray(
  electron: Modules,
  { hasTray, platform, window }: ShellOptions,
  known: Known,
  run: (action: ShellAction) => void,
) {
  if (!hasTray) return () => undefined
  const { Menu, Tray } = electron
  let shown = ''
  let icon: TrayState['icon'] = 'idle'
  const tray = new Tray(trayImage(electron, platform, icon))
  // A Mac opens the menu on a click.
  if (platform !== 'darwin') tray.on('click', window.show)
  const show = () => {
    const state = trayState({ receiver: known.receiver, last: known.last, now: Date.now() })
    const text = JSON.stringify(state)
    if (text === shown) return
    shown = text
    tray.setToolTip(state.tooltip)
    tray.setContextMenu(Menu.buildFromTemplate(trayMenu(state, platform, run)))
    if (state.icon !== icon) tray.setImage(trayImage(electron, platform, state.icon))
    icon = state.icon
  }
  show()
  return throttle(show, { everyMs: TRAY_EVERY_MS })
}

/** Asks what closing the window does unless the user has chosen before. */
function setupClosing(
  { app, dialog }: Modules,
  { client, hasTray, log, platform, window }: ShellOptions,
  known: Known,
): void {
  let isQuitting = false
  let isAsking = false
  app.on('before-quit', () => {
    isQuitting = true
  })
  const ask = async (closing: 'ask' | 'explain', owner: Electron.BrowserWindow) => {
    const { message, choices } = closingQuestion(closing, platform)
    const { response } = await dialog.showMessageBox(owner, message)
    const choice = choices[response] ?? null
    if (choice === null) return
    known.desktop = (await client.call('settings.set', { desktop: { onClose: choice } })).desktop
    if (choice === 'quit') app.quit()
    else window.hide()
  }
  window.onClosing((event, owner) => {
    const closing = closingOf({
      isRunning: known.isRunning,
      isQuitting,
      onClose: known.desktop.onClose,
      hasBackground: hasTray,
    })
    if (closing === 'close') return
    event.preventDefault()
    if (closing === 'hide') {
      window.hide()
      return
    }
    if (isAsking) return
    isAsking = true
    ask(closing, owner)
      .catch((error: unknown) => {
        // The choice couldn't be stored. Quitting is the safe end of a close.
        log.bug(error, 'asking what closing the window does')
        app.quit()
      })
      .finally(() => {
        isAsking = false
      })
  })
}

function setupNotices(
  { Notification }: Modules,
  { client, window }: ShellOptions,
  known: Known,
  open: (notice: DesktopNotice) => void,
): void {
  if (!Notification.isSupported()) return
  /** Electron drops the click of a notification that nothing refers to. */
  const shown = new Set<Electron.Notification>()
  const notices = createNotices({
    settings: () => known.desktop,
    isInFront: window.isInFront,
    show(notice) {
      const notification = new Notification({ title: notice.title, body: notice.body })
      const forget = () => shown.delete(notification)
      notification.on('click', () => {
        forget()
        open(notice)
      })
      notification.on('close', forget)
      shown.add(notification)
      notification.show()
    },
  })
  client.on('deliveries.changed', notices.delivered)
  client.on('forward.changed', notices.forwarded)
  client.on('flows.changed', notices.flowChanged)
}

/** Adds everything around the window. The core may still be starting. */
export function setupShell(electron: Modules, options: ShellOptions): void {
  const { app, Menu, powerMonitor, shell } = electron
  const { client, dataFolder, log, platform, tell, version, window } = options

  const tellPage = <K extends NativeEventName>(event: K, payload: NativePayloadOf<K>) => {
    window.show()
    const contents = window.current()?.webContents
    if (contents !== undefined) tell(contents, event, payload)
  }
  const act = (action: PageAction) => tellPage('native.action', { action })
  const openPath = async (path: string) => {
    const problem = await shell.openPath(path)
    if (problem !== '')
      electron.dialog.showErrorBox(
        `Couldn't open ${path}`,
        `${problem}\nOpen it in your file manager.`,
      )
  }
  const setPaused = (paused: boolean) =>
    void client
      .call(paused ? 'receiver.pause' : 'receiver.resume', {})
      .catch((error: unknown) => log.bug(error, 'pausing from the tray'))
  const showMenu = () => {
    const tool = options.tool === null ? null : options.tool.isInstalled() ? 'uninstall' : 'install'
    const template = applicationMenu({
      platform,
      developer: options.developer,
      tool,
      run,
    })
    Menu.setApplicationMenu(Menu.buildFromTemplate(template))
  }
  const changeTool = async (tool: CommandLineTool) => {
    window.show()
    const message = tool.change()
    showMenu()
    const owner = window.current()
    const { dialog } = electron
    await (owner === null ? dialog.showMessageBox(message) : dialog.showMessageBox(owner, message))
  }
  const commands: Readonly<Record<ShellCommand, () => void>> = {
    about: () => app.showAboutPanel(),
    'command-line-tool': () => {
      if (options.tool === null) return
      changeTool(options.tool).catch((error: unknown) =>
        log.bug(error, 'installing the command line tool'),
      )
    },
    docs: () => void openPath(options.docsFolder),
    licenses: () => void openPath(options.licensesFile),
    logs: () => void openPath(logFolderOf(dataFolder)),
    'data-folder': () => void openPath(dataFolder),
    'show-window': window.show,
    pause: () => setPaused(true),
    resume: () => setPaused(false),
    quit: () => app.quit(),
    'zoom-in': () => window.zoom('in'),
    'zoom-out': () => window.zoom('out'),
    'zoom-reset': () => window.zoom('reset'),
  }
  const run = (action: ShellAction) => {
    if ('page' in action) act(action.page)
    else if ('command' in action) commands[action.command]()
  }

  const { electron: electronVersion, chrome, node } = process.versions
  app.setAboutPanelOptions({
    applicationName: PRODUCT_NAME,
    applicationVersion: version,
    version: `Electron ${electronVersion ?? ''}, Chromium ${chrome ?? ''}, Node ${node}`,
    copyright: 'The webhook workbench for card-linked offers',
  })
  showMenu()

  const known = followCore(options, () => showTray())
  const showTray = setupTray(electron, options, known, run)
  setupClosing(electron, options, known)
  setupNotices(electron, options, known, ({ opens }) => {
    if ('deliveryId' in opens) tellPage('native.showDelivery', opens)
    else act(opens.action)
  })

  powerMonitor.on('resume', options.onWake)

  const popUp = (template: Electron.MenuItemConstructorOptions[]) => {
    const owner = window.current()
    if (owner !== null) Menu.buildFromTemplate(template).popup({ window: owner })
  }
  const watchText = (contents: Electron.WebContents) =>
    contents.on('context-menu', (_event, clicked) => {
      const template = textMenu(clicked, platform, run)
      if (template !== null) popUp(template)
    })
  const contents = window.current()?.webContents
  if (contents !== undefined) watchText(contents)
  app.on('web-contents-created', (_event, created) => watchText(created))
}

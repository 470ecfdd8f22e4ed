/**
 * The desktop app around its window: menus, tray, notifications, closing, sleep, About. Each part
 * is data from a pure module, which this file hands to Electron.
 */
import { homedir } from 'node:os'
import { join } from 'node:path'
import {
  app,
  type BrowserWindow,
  dialog,
  Menu,
  nativeImage,
  Notification,
  powerMonitor,
  shell,
  Tray,
  type WebContents,
} from 'electron'
import { version } from '../../package.json'
import { logFolderOf } from '../core/base/data-folder.ts'
import type { Log } from '../core/base/deps.ts'
import type { NativeEventName, NativePayloadOf, PageAction } from '../shared/contract/native.ts'
import { DEFAULT_SETTINGS } from '../shared/model/settings.ts'
import { PRODUCT_NAME } from '../shared/product.ts'
import type { Client } from '../shared/rpc/client.ts'
import { throttle } from '../core/base/throttle.ts'
import { closingOf, closingQuestion } from './closing.ts'
import { createCommandLineTool } from './command-line-tool.ts'
import { askUser } from './faults.ts'
import type { Tell } from './ipc-transport.ts'
import { createNotices, type DesktopNotice } from './notices.ts'
import {
  applicationMenu,
  type MenuPlace,
  textMenu,
  trayMenu,
  type ShellCommand,
} from './shell-menus.ts'
import { type TrayFacts, type TrayState, trayState } from './tray.ts'
import type { MainWindow } from './window.ts'

const { platform } = process
const mac = platform === 'darwin'

interface ShellOptions {
  readonly dataFolder: string
  readonly resources: string
  readonly window: MainWindow
  readonly client: Client
  readonly log: Log
  readonly tell: Tell
  readonly hasTray: boolean
  onWake(): void
}

const pictures = import.meta.glob<string>('../../resources/tray/*.png', {
  query: '?inline',
  import: 'default',
  eager: true,
})

function trayImage(icon: TrayState['icon']) {
  const image = nativeImage.createEmpty()
  for (const [place, size] of ['', '@2x'].entries()) {
    const file = `../../resources/tray/${mac ? 'mac' : 'color'}-${icon}${size}.png`
    image.addRepresentation({ scaleFactor: place + 1, dataURL: pictures[file] ?? '' })
  }
  // The system draws it in the color of the menu bar.
  if (mac) image.setTemplateImage(true)
  return image
}

type Known = ReturnType<typeof followCore>

/** Follows the core's state, and reads it again after a gap in its events. */
function followCore({ client, log }: ShellOptions, onChanged: () => void) {
  const facts: TrayFacts = {
    receiver: { state: 'off', url: null, publicUrl: null, httpUrl: null, problem: null },
    last: null,
  }
  const coreState = { ...facts, isRunning: false, desktop: DEFAULT_SETTINGS.desktop }
  const read = async () => {
    try {
      const [{ desktop }, { receiver }, { items }] = await Promise.all([
        client.call('settings.get', {}),
        client.call('app.status', {}),
        client.call('deliveries.list', { limit: 1 }),
      ])
      Object.assign(coreState, { isRunning: true, desktop, receiver, last: items[0] ?? null })
      onChanged()
    } catch (error) {
      // A damaged database can't be read; the page says so.
      log.warn("The tray couldn't read the state.", { error })
    }
  }
  client.on('settings.changed', ({ desktop }) => {
    coreState.desktop = desktop
  })
  client.on('receiver.changed', (receiver) => {
    coreState.receiver = receiver
    onChanged()
  })
  client.on('deliveries.changed', ({ added: [newest] }) => {
    if (newest === undefined) return
    coreState.last = newest
    onChanged()
  })
  client.on('deliveries.deleted', () => void read())
  client.onGap(() => void read())
  void read()
  return coreState
}

/** Milliseconds between menus of the tray: some desktops close an open one when it is replaced. */
const TRAY_EVERY_MS = 1_000

/** Shows the tray, if the desktop has one. Returns the function that updates it. */
function setupTray({ hasTray, window }: ShellOptions, known: Known, place: MenuPlace) {
  if (!hasTray) return () => undefined
  let shown = ''
  let icon: TrayState['icon'] = 'idle'
  const tray = new Tray(trayImage(icon))
  // A Mac opens the menu on a click.
  if (!mac) tray.on('click', window.show)
  const show = () => {
    const state = trayState(known, Date.now())
    const text = JSON.stringify(state)
    if (text === shown) return
    shown = text
    tray.setToolTip(state.tooltip)
    tray.setContextMenu(Menu.buildFromTemplate(trayMenu(state, place)))
    if (state.icon !== icon) tray.setImage(trayImage(state.icon))
    icon = state.icon
  }
  show()
  return throttle(show, { everyMs: TRAY_EVERY_MS })
}

/** Asks what closing the window does unless the user has chosen before. */
function setupClosing({ client, hasTray, log, window }: ShellOptions, known: Known): void {
  let isQuitting = false
  let isAsking = false
  app.on('before-quit', () => {
    isQuitting = true
  })
  const ask = async (closing: 'ask' | 'explain', owner: BrowserWindow) => {
    const { choices, ...question } = closingQuestion(closing, platform)
    const buttons = Object.keys(choices)
    const cancelId = buttons.length - 1
    const button = await askUser(dialog, owner, { ...question, buttons, cancelId })
    const choice = Object.values(choices)[button] ?? null
    if (choice === null) return
    known.desktop = (await client.call('settings.set', { desktop: { onClose: choice } })).desktop
    if (choice === 'quit') app.quit()
    else window.hide()
  }
  window.onClosing((event, owner) => {
    const { isRunning, desktop } = known
    const { onClose } = desktop
    const closing = closingOf({ isRunning, isQuitting, onClose, hasBackground: hasTray })
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
  { client, window }: ShellOptions,
  known: Known,
  open: (notice: DesktopNotice) => void,
): void {
  if (!Notification.isSupported()) return
  /** Open notifications: Electron drops the click of one that nothing refers to. */
  const shown = new Set<Notification>()
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

/** Adds everything around the window, even while the core is starting. */
export function setupShell(options: ShellOptions): void {
  const { client, dataFolder, log, resources, tell, window } = options

  const tellPage = <K extends NativeEventName>(event: K, payload: NativePayloadOf<K>) => {
    window.show()
    tell(event, payload)
  }
  const act = (action: PageAction) => tellPage('native.action', { action })
  const openPath = async (path: string) => {
    const problem = await shell.openPath(path)
    if (problem !== '')
      dialog.showErrorBox(`Couldn't open ${path}`, `${problem}\nOpen it in your file manager.`)
  }
  const setPaused = (paused: boolean) =>
    void client
      .call(paused ? 'receiver.pause' : 'receiver.resume', {})
      .catch((error: unknown) => log.bug(error, 'pausing from the tray'))
  const tool = createCommandLineTool({ platform, resources, home: homedir(), env: process.env })
  const commands: Readonly<Record<ShellCommand, () => void>> = {
    about: () => app.showAboutPanel(),
    'command-line-tool': () => {
      if (tool === null) return
      window.show()
      const message = tool.change()
      showMenu()
      void askUser(dialog, window.current(), message)
    },
    docs: () => void openPath(join(resources, 'docs')),
    licenses: () =>
      void openPath(join(resources, app.isPackaged ? 'licenses.txt' : 'out/main/licenses.txt')),
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
  const place: MenuPlace = {
    platform,
    run(action) {
      if ('page' in action) act(action.page)
      else commands[action.command]()
    },
  }
  const showMenu = () => {
    const template = applicationMenu({
      ...place,
      developer: !app.isPackaged,
      tool: tool === null ? null : tool.isInstalled() ? 'uninstall' : 'install',
    })
    Menu.setApplicationMenu(Menu.buildFromTemplate(template))
  }

  const { electron, chrome, node } = process.versions
  app.setAboutPanelOptions({
    applicationName: PRODUCT_NAME,
    applicationVersion: version,
    version: `Electron ${electron ?? ''}, Chromium ${chrome ?? ''}, Node ${node}`,
    copyright: 'The webhook workbench for card-linked offers',
  })
  showMenu()

  const coreState = followCore(options, () => showTray())
  const showTray = setupTray(options, coreState, place)
  setupClosing(options, coreState)
  setupNotices(options, coreState, ({ opens }) => {
    if ('deliveryId' in opens) tellPage('native.showDelivery', opens)
    else act(opens.action)
  })

  powerMonitor.on('resume', options.onWake)

  const watchText = (contents: WebContents) =>
    contents.on('context-menu', (_event, clicked) => {
      const template = textMenu(clicked)
      const owner = window.current()
      if (template !== null && owner !== null)
        Menu.buildFromTemplate(template).popup({ window: owner })
    })
  const contents = window.current()?.webContents
  if (contents !== undefined) watchText(contents)
  app.on('web-contents-created', (_event, created) => watchText(created))
}

/** The desktop app around its window: menus, tray, notifications, closing, sleep, About. */
import { homedir } from 'node:os'
import { app, Menu, powerMonitor, type WebContents } from 'electron'
import { version } from '../../package.json'
import type { Log } from '../core/base/deps.ts'
import type { NativeEventName, NativePayloadOf, PageAction } from '../shared/contract/native.ts'
import { PRODUCT_NAME } from '../shared/product.ts'
import type { Client } from '../shared/rpc/client.ts'
import { AppMenu } from './app-menu.ts'
import { createCommandLineTool } from './command-line-tool.ts'
import { reportCoreState } from './core-state.ts'
import type { SendToPage } from './ipc-transport.ts'
import { setupNotices } from './notifications.ts'
import { textMenu } from './shell-menus.ts'
import { setupTray } from './tray-icon.ts'
import { setupClosing } from './window-closing.ts'
import type { MainWindow } from './window.ts'

interface ShellOptions {
  readonly dataFolder: string
  readonly resources: string
  readonly window: MainWindow
  readonly client: Client
  readonly log: Log
  readonly sendToPage: SendToPage
  readonly hasTray: boolean
  onWake(): void
}

function setupAbout(): void {
  const { electron, chrome, node } = process.versions
  app.setAboutPanelOptions({
    applicationName: PRODUCT_NAME,
    applicationVersion: version,
    version: `Electron ${electron ?? ''}, Chromium ${chrome ?? ''}, Node ${node}`,
    copyright: 'The webhook workbench for card-linked offers',
  })
}

function setupTextMenu(window: MainWindow): void {
  const watch = (contents: WebContents) =>
    contents.on('context-menu', (_event, clicked) => {
      const template = textMenu(clicked)
      const owner = window.current()
      if (template !== null && owner !== null)
        Menu.buildFromTemplate(template).popup({ window: owner })
    })
  const contents = window.current()?.webContents
  if (contents !== undefined) watch(contents)
  app.on('web-contents-created', (_event, created) => watch(created))
}

/** Sets up menus, tray, closing and notices; works before the core is open. */
export function setupShell(options: ShellOptions): void {
  const { resources, sendToPage, window } = options
  const showInPage = <K extends NativeEventName>(event: K, payload: NativePayloadOf<K>) => {
    window.show()
    sendToPage(event, payload)
  }
  const actInPage = (action: PageAction) => showInPage('native.action', { action })
  const tool = createCommandLineTool({
    platform: process.platform,
    resources,
    home: homedir(),
    env: process.env,
  })
  const menu = new AppMenu({ ...options, tool, actInPage })

  setupAbout()
  menu.show()
  const coreState = reportCoreState(options, () => updateTray())
  const updateTray = setupTray(options, coreState, menu)
  setupClosing(options, coreState)
  setupNotices(options, coreState, ({ opens }) => {
    if ('deliveryId' in opens) showInPage('native.showDelivery', opens)
    else actInPage(opens.action)
  })
  powerMonitor.on('resume', options.onWake)
  setupTextMenu(window)
}

/**
 * Everything that a menu, the tray or a shortcut of the desktop app can do, in one table. `shell-menus.ts` puts the actions into the
 * menus of each platform; `shell.ts` carries them out. Nothing here needs Electron.
 */
import type { PageAction } from '../shared/contract/native.ts'

/** Platforms with their own conventions; all others follow Linux. */
export type ShellPlatform = 'darwin' | 'win32' | 'linux'

export function shellPlatform(platform: NodeJS.Platform): ShellPlatform {
  return platform === 'darwin' || platform === 'win32' ? platform : 'linux'
}

/** Actions that the main process carries out itself. */
export type ShellCommand =
  | 'about'
  | 'command-line-tool'
  | 'docs'
  | 'licenses'
  | 'logs'
  | 'data-folder'
  | 'show-window'
  | 'pause'
  | 'resume'
  | 'quit'
  | 'zoom-in'
  | 'zoom-out'
  | 'zoom-reset'

/** Electron's own entries: the system translates their labels and knows their shortcuts. */
type ShellRole =
  | 'undo'
  | 'redo'
  | 'cut'
  | 'copy'
  | 'paste'
  | 'pasteAndMatchStyle'
  | 'delete'
  | 'selectAll'
  | 'reload'
  | 'toggleDevTools'
  | 'togglefullscreen'
  | 'close'
  | 'services'
  | 'hide'
  | 'hideOthers'
  | 'unhide'
  | 'minimize'
  | 'zoom'
  | 'front'

/** How an action is carried out: by the page, by the main process, or by Electron. */
type Carried =
  { readonly page: PageAction } | { readonly command: ShellCommand } | { readonly role: ShellRole }

export type ShellAction = Carried & {
  /** As on Windows and Linux: sentence case. Absent for roles, which have the system's label. */
  readonly label?: string
  /** As on a Mac, where menus use title case; absent if it is the same. */
  readonly macLabel?: string
  /** In Electron's notation. */
  readonly accelerator?: string
  /** If it differs on a Mac or on Linux; null: none there. */
  readonly accelerators?: Partial<Record<ShellPlatform, string | null>>
  /** The page has this shortcut already, so the menu only shows it. */
  readonly pageHasKey?: true
}

const role = (name: ShellRole): ShellAction => ({ role: name })

export const shellActions = {
  about: { command: 'about', label: 'About Countersign' },
  updates: { page: 'updates', label: 'Check for updates…', macLabel: 'Check for Updates…' },
  installTool: {
    command: 'command-line-tool',
    label: 'Install command line tool',
    macLabel: 'Install Command Line Tool',
  },
  uninstallTool: {
    command: 'command-line-tool',
    label: 'Uninstall command line tool',
    macLabel: 'Uninstall Command Line Tool',
  },
  settings: {
    page: 'go-settings',
    label: 'Settings…',
    accelerator: 'CmdOrCtrl+,',
    pageHasKey: true,
  },
  import: { page: 'import', label: 'Import…', accelerator: 'CmdOrCtrl+O' },
  export: { page: 'export', label: 'Export…', accelerator: 'CmdOrCtrl+Shift+E' },
  dataFolder: { command: 'data-folder', label: 'Open data folder', macLabel: 'Open Data Folder' },
  quit: {
    command: 'quit',
    label: 'Quit',
    macLabel: 'Quit Countersign',
    accelerator: 'CmdOrCtrl+Q',
    // Alt+F4 closes the window on Windows, and there is no usual shortcut to quit.
    accelerators: { win32: null },
  },
  exit: { command: 'quit', label: 'Exit' },
  closeWindow: role('close'),
  undo: role('undo'),
  redo: role('redo'),
  cut: role('cut'),
  copy: role('copy'),
  paste: role('paste'),
  pastePlain: role('pasteAndMatchStyle'),
  delete: role('delete'),
  selectAll: role('selectAll'),
  find: {
    page: 'filter',
    label: 'Find deliveries',
    macLabel: 'Find Deliveries',
    accelerator: 'CmdOrCtrl+F',
    pageHasKey: true,
  },
  palette: {
    page: 'palette',
    label: 'Command palette…',
    macLabel: 'Command Palette…',
    accelerator: 'CmdOrCtrl+K',
    pageHasKey: true,
  },
  deliveries: { page: 'go-deliveries', label: 'Deliveries' },
  compare: { page: 'go-compare', label: 'Compare' },
  hooks: { page: 'go-hooks', label: 'Hooks' },
  forward: { page: 'go-forward', label: 'Forward' },
  flows: { page: 'go-flows', label: 'Flows' },
  handlers: { page: 'go-handlers', label: 'Handlers' },
  check: { page: 'go-check', label: 'Check' },
  sandbox: { page: 'go-sandbox', label: 'Sandbox' },
  reload: role('reload'),
  developerTools: role('toggleDevTools'),
  zoomReset: {
    command: 'zoom-reset',
    label: 'Actual size',
    macLabel: 'Actual Size',
    accelerator: 'CmdOrCtrl+0',
  },
  zoomIn: {
    command: 'zoom-in',
    label: 'Zoom in',
    macLabel: 'Zoom In',
    accelerator: 'CmdOrCtrl+Plus',
  },
  zoomOut: {
    command: 'zoom-out',
    label: 'Zoom out',
    macLabel: 'Zoom Out',
    accelerator: 'CmdOrCtrl+-',
  },
  fullScreen: role('togglefullscreen'),
  services: role('services'),
  hideApp: role('hide'),
  hideOthers: role('hideOthers'),
  showAll: role('unhide'),
  minimize: role('minimize'),
  zoomWindow: role('zoom'),
  bringToFront: role('front'),
  docs: {
    command: 'docs',
    label: 'Documentation',
    accelerator: 'F1',
    accelerators: { darwin: null },
  },
  shortcuts: { page: 'shortcuts', label: 'Keyboard shortcuts', macLabel: 'Keyboard Shortcuts' },
  diagnostics: { page: 'diagnostics', label: 'Save diagnostics…', macLabel: 'Save Diagnostics…' },
  licenses: { command: 'licenses', label: 'Licenses' },
  logs: { command: 'logs', label: 'Show logs', macLabel: 'Show Logs' },
  showWindow: { command: 'show-window', label: 'Open Countersign' },
  pause: { command: 'pause', label: 'Pause capture', macLabel: 'Pause Capture' },
  resume: { command: 'resume', label: 'Resume capture', macLabel: 'Resume Capture' },
} as const satisfies Readonly<Record<string, ShellAction>>

export type ShellActionId = keyof typeof shellActions

/** The label on one platform; null for a role, which the system labels. */
export function actionLabel(id: ShellActionId, platform: ShellPlatform): string | null {
  const action: ShellAction = shellActions[id]
  return (platform === 'darwin' ? action.macLabel : undefined) ?? action.label ?? null
}

/** The shortcut on one platform; null if there is none. */
export function acceleratorOf(id: ShellActionId, platform: ShellPlatform): string | null {
  const action: ShellAction = shellActions[id]
  const own = action.accelerators?.[platform]
  return own === undefined ? (action.accelerator ?? null) : own
}

/**
 * The menus of each platform, made from the table of actions: the application menu, the tray's menu and the context menus. Each is
 * data, so that a test can compare them with the platform's conventions.
 */
import type { MenuItemConstructorOptions } from 'electron'
import { PRODUCT_NAME } from '../shared/product.ts'
import type { PageAction } from '../shared/contract/native.ts'

/** `-` is a separator. */
type Entry = ShellActionId | '-'

/** Carries out an entry. */
type RunEntry = (action: ShellAction) => void

interface MenuSurroundings {
  readonly platform: NodeJS.Platform
  /** Developer tools are only for development. */
  readonly developer: boolean
  /** Whether the command line tool can be installed or uninstalled; null: the app isn't installed itself. */
  readonly tool: 'install' | 'uninstall' | null
  readonly run: RunEntry
}

function itemOf(
  id: ShellActionId,
  platform: ShellPlatform,
  run: RunEntry,
): MenuItemConstructorOptions {
  const action: ShellAction = shellActions[id]
  const label = actionLabel(id, platform)
  const accelerator = acceleratorOf(id, platform)
  if ('role' in action) return { id, role: action.role }
  return {
    id,
    ...(label === null ? {} : { label }),
    ...(accelerator === null ? {} : { accelerator }),
    // On a Mac Electron always registers it; there the page's own handling comes first.
    ...(accelerator !== null && action.pageHasKey === true ? { registerAccelerator: false } : {}),
    click: () => run(action),
  }
}

/** Entries as items, without separators that separate nothing. */
function itemsOf(
  entries: readonly Entry[],
  platform: ShellPlatform,
  run: RunEntry,
): MenuItemConstructorOptions[] {
  const kept = entries.filter(
    (entry, place) =>
      entry !== '-' || (place > 0 && place < entries.length - 1 && entries[place - 1] !== '-'),
  )
  return kept.map((entry) => (entry === '-' ? { type: 'separator' } : itemOf(entry, platform, run)))
}

const whenOn = (holds: boolean, ...entries: readonly Entry[]): readonly Entry[] =>
  holds ? entries : []

/** More shortcuts for zooming: `=` is the same key as `+` without Shift. */
function hiddenZoomKeys(platform: ShellPlatform, run: RunEntry): MenuItemConstructorOptions[] {
  return [
    ['zoomIn', 'CmdOrCtrl+='],
    ['zoomIn', 'CmdOrCtrl+numadd'],
    ['zoomOut', 'CmdOrCtrl+numsub'],
    ['zoomReset', 'CmdOrCtrl+num0'],
  ].map(([id, accelerator]) => ({
    ...itemOf(id as ShellActionId, platform, run),
    id: `${id ?? ''} ${accelerator ?? ''}`,
    accelerator: accelerator ?? '',
    visible: false,
  }))
}

/** The application menu. On a Mac the app has its own menu; elsewhere its entries are in File and Help. */
export function applicationMenu(surroundings: MenuSurroundings): MenuItemConstructorOptions[] {
  const { developer, run, tool } = surroundings
  const platform = shellPlatform(surroundings.platform)
  const mac = platform === 'darwin'
  const menu = (
    label: string,
    entries: readonly Entry[],
    more: MenuItemConstructorOptions[] = [],
  ) => ({
    label,
    submenu: [...itemsOf(entries, platform, run), ...more],
  })
  const toolEntry: readonly Entry[] =
    tool === null ? [] : [tool === 'install' ? 'installTool' : 'uninstallTool']
  const app: readonly Entry[] = [
    'about',
    'updates',
    '-',
    'settings',
    ...toolEntry,
    '-',
    'services',
    '-',
    'hideApp',
    'hideOthers',
    'showAll',
    '-',
    'quit',
  ]
  const transfer: readonly Entry[] = ['import', 'export', '-', 'dataFolder', '-']
  const file: readonly Entry[] = mac
    ? [...transfer, 'closeWindow']
    : [...transfer, 'settings', '-', 'closeWindow', platform === 'win32' ? 'exit' : 'quit']
  const edit: readonly Entry[] = [
    'undo',
    'redo',
    '-',
    'cut',
    'copy',
    'paste',
    ...whenOn(mac, 'pastePlain'),
    'delete',
    'selectAll',
    '-',
    'find',
  ]
  const view: readonly Entry[] = [
    'palette',
    '-',
    'deliveries',
    'compare',
    'handlers',
    'hooks',
    'flows',
    'sandbox',
    '-',
    'reload',
    ...whenOn(developer, 'developerTools'),
    '-',
    'zoomReset',
    'zoomIn',
    'zoomOut',
    '-',
    'fullScreen',
  ]
  const help: readonly Entry[] = [
    'docs',
    'shortcuts',
    '-',
    'diagnostics',
    'logs',
    '-',
    ...(mac ? [] : toolEntry),
    '-',
    'licenses',
    ...whenOn(!mac, 'updates', 'about'),
  ]
  return [
    ...(mac ? [menu(PRODUCT_NAME, app)] : []),
    menu('File', file),
    menu('Edit', edit),
    menu('View', view, hiddenZoomKeys(platform, run)),
    // Windows and Linux put these on the window's frame.
    ...(mac
      ? [
          {
            ...menu('Window', ['minimize', 'zoomWindow', '-', 'bringToFront']),
            role: 'windowMenu' as const,
          },
        ]
      : []),
    // The role gives a Mac its search field.
    { ...menu('Help', help), role: 'help' as const },
  ]
}

/** What the tray shows: see `tray.ts`. */
export interface TrayLines {
  /** Sentences about the state; they can't be clicked. */
  readonly lines: readonly string[]
  readonly paused: boolean
  /** False while capture can't be paused, because it failed or hasn't started. */
  readonly canPause: boolean
}

/** The tray's menu. */
export function trayMenu(
  { lines, paused, canPause }: TrayLines,
  platform: NodeJS.Platform,
  run: RunEntry,
) {
  const entries: readonly Entry[] = [
    'showWindow',
    ...whenOn(canPause, paused ? 'resume' : 'pause'),
    '-',
    'quit',
  ]
  const state: MenuItemConstructorOptions[] = lines.map((label, place) => ({
    id: `state ${place}`,
    // A single & would underline the next letter.
    label: label.replaceAll('&', '&&'),
    enabled: false,
  }))
  return [
    ...state,
    { type: 'separator' as const },
    ...itemsOf(entries, shellPlatform(platform), run),
  ].map(withoutShortcut)
}

/** A tray's menu has no shortcuts: they would only work while it is open. */
function withoutShortcut({
  accelerator: _,
  registerAccelerator: __,
  ...item
}: MenuItemConstructorOptions) {
  return item
}

/** The text under a right click, as Chromium reports it. */
export interface ClickedText {
  readonly isEditable: boolean
  readonly selectionText: string
  readonly editFlags: {
    readonly canUndo: boolean
    readonly canRedo: boolean
    readonly canCut: boolean
    readonly canCopy: boolean
    readonly canPaste: boolean
    readonly canDelete: boolean
    readonly canSelectAll: boolean
  }
}

const editFlags = {
  undo: 'canUndo',
  redo: 'canRedo',
  cut: 'canCut',
  copy: 'canCopy',
  paste: 'canPaste',
  delete: 'canDelete',
  selectAll: 'canSelectAll',
} as const

/** The menu of a text field or of selected text; null if there is nothing to do. */
export function textMenu(
  clicked: ClickedText,
  platform: NodeJS.Platform,
  run: RunEntry,
): MenuItemConstructorOptions[] | null {
  const entries: readonly Entry[] = clicked.isEditable
    ? ['undo', 'redo', '-', 'cut', 'copy', 'paste', 'delete', '-', 'selectAll']
    : whenOn(clicked.selectionText.trim() !== '', 'copy')
  if (entries.length === 0) return null
  return itemsOf(entries, shellPlatform(platform), run).map((item) => {
    const flag = editFlags[item.id as keyof typeof editFlags]
    return flag === undefined ? item : { ...item, enabled: clicked.editFlags[flag] }
  })
}

// Everything that a menu, the tray or a shortcut of the desktop app can do, in one table. `shell-menus.ts` puts the actions
// into the menus of each platform; `shell.ts` carries them out. Nothing here needs Electron.

/** Platforms with their own conventions; all others follow Linux. */
type ShellPlatform = 'darwin' | 'win32' | 'linux'

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
  flows: { page: 'go-flows', label: 'Flows' },
  handlers: { page: 'go-handlers', label: 'Handlers' },
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

type ShellActionId = keyof typeof shellActions

/** The label on one platform; null for a role, which the system labels. */
function actionLabel(id: ShellActionId, platform: ShellPlatform): string | null {
  const action: ShellAction = shellActions[id]
  return (platform === 'darwin' ? action.macLabel : undefined) ?? action.label ?? null
}

/** The shortcut on one platform; null if there is none. */
function acceleratorOf(id: ShellActionId, platform: ShellPlatform): string | null {
  const action: ShellAction = shellActions[id]
  const own = action.accelerators?.[platform]
  return own === undefined ? (action.accelerator ?? null) : own
}

/**
 * The desktop app's actions in one table, and its menus as data: the application menu, the tray's
 * menu and the context menu of text. `AppMenu` carries them out.
 */
import type { ContextMenuParams, MenuItemConstructorOptions } from 'electron'
import { PRODUCT_NAME } from '../shared/product.ts'
import type { PageAction } from '../shared/contract/native.ts'
import type { TrayState } from './tray.ts'

export type ShellAction = ({ readonly page: PageAction } | { readonly command: string }) & {
  /** Text in sentence case, as on Windows and Linux. */
  readonly label: string
  /** Text on a Mac, if it isn't the label in title case. */
  readonly macLabel?: string
  /** Shortcut in Electron's notation. */
  readonly accelerator?: string
  /** Set if the page itself handles the shortcut, so that the menu only shows it. */
  readonly pageHasKey?: true
}

export const shellActions = {
  about: { command: 'about', label: 'About Countersign' },
  updates: { page: 'updates', label: 'Check for updates…' },
  installTool: { command: 'command-line-tool', label: 'Install command line tool' },
  uninstallTool: { command: 'command-line-tool', label: 'Uninstall command line tool' },
  settings: {
    page: 'go-settings',
    label: 'Settings…',
    accelerator: 'CmdOrCtrl+,',
    pageHasKey: true,
  },
  import: { page: 'import', label: 'Import…', accelerator: 'CmdOrCtrl+O' },
  export: { page: 'export', label: 'Export…', accelerator: 'CmdOrCtrl+Shift+E' },
  dataFolder: { command: 'data-folder', label: 'Open data folder' },
  quit: {
    command: 'quit',
    label: 'Quit',
    macLabel: 'Quit Countersign',
    accelerator: 'CmdOrCtrl+Q',
  },
  // Alt+F4 closes the window on Windows, and there is no usual shortcut to quit.
  exit: { command: 'quit', label: 'Exit' },
  find: {
    page: 'filter',
    label: 'Find deliveries',
    accelerator: 'CmdOrCtrl+F',
    pageHasKey: true,
  },
  palette: {
    page: 'palette',
    label: 'Command palette…',
    accelerator: 'CmdOrCtrl+K',
    pageHasKey: true,
  },
  deliveries: { page: 'go-deliveries', label: 'Deliveries' },
  compare: { page: 'go-compare', label: 'Compare' },
  hooks: { page: 'go-hooks', label: 'Hooks' },
  flows: { page: 'go-flows', label: 'Flows' },
  handlers: { page: 'go-handlers', label: 'Handlers' },
  sandbox: { page: 'go-sandbox', label: 'Sandbox' },
  zoomReset: { command: 'zoom-reset', label: 'Actual size', accelerator: 'CmdOrCtrl+0' },
  zoomIn: { command: 'zoom-in', label: 'Zoom in', accelerator: 'CmdOrCtrl+Plus' },
  zoomOut: { command: 'zoom-out', label: 'Zoom out', accelerator: 'CmdOrCtrl+-' },
  docs: { command: 'docs', label: 'Documentation', accelerator: 'F1' },
  shortcuts: { page: 'shortcuts', label: 'Keyboard shortcuts' },
  diagnostics: { page: 'diagnostics', label: 'Save diagnostics…' },
  licenses: { command: 'licenses', label: 'Licenses' },
  logs: { command: 'logs', label: 'Show logs' },
  showWindow: { command: 'show-window', label: 'Open Countersign' },
  pause: { command: 'pause', label: 'Pause capture' },
  resume: { command: 'resume', label: 'Resume capture' },
} as const satisfies Readonly<Record<string, ShellAction>>

type ActionId = keyof typeof shellActions
type MenuAction = (typeof shellActions)[ActionId]
export type ShellCommand = Extract<MenuAction, { readonly command: string }>['command']

type Role = NonNullable<MenuItemConstructorOptions['role']>
type Entry = ActionId | Role | '-'

const isAction = (entry: Entry): entry is ActionId => entry in shellActions

const titleCase = (label: string) =>
  label.replaceAll(/ (?!for )[a-z]/g, (start) => start.toUpperCase())

export interface MenuHost {
  readonly platform: NodeJS.Platform
  run(action: MenuAction): void
}

function itemOf(entry: Entry, { platform, run }: MenuHost): MenuItemConstructorOptions {
  if (entry === '-') return { type: 'separator' }
  if (!isAction(entry)) return { role: entry }
  const isMac = platform === 'darwin'
  const action = shellActions[entry]
  const { label, macLabel, accelerator, pageHasKey }: ShellAction = action
  // A Mac uses the function keys itself.
  const hasShortcut = accelerator !== undefined && !(isMac && accelerator.startsWith('F'))
  return {
    id: entry,
    label: isMac ? (macLabel ?? titleCase(label)) : label,
    ...(hasShortcut ? { accelerator } : {}),
    ...(pageHasKey === true ? { registerAccelerator: false } : {}),
    click: () => run(action),
  }
}

/** Further shortcuts, such as `=`, the key of `+` without Shift. */
const zoomKeys = [
  { action: 'zoomIn', accelerator: 'CmdOrCtrl+=' },
  { action: 'zoomIn', accelerator: 'CmdOrCtrl+numadd' },
  { action: 'zoomOut', accelerator: 'CmdOrCtrl+numsub' },
  { action: 'zoomReset', accelerator: 'CmdOrCtrl+num0' },
] as const

interface MenuContext extends MenuHost {
  readonly isDevelopment: boolean
  /** Change of the command line tool that the menu offers; null for none. */
  readonly tool: 'install' | 'uninstall' | null
}

const editEntries = (isMac: boolean): readonly Entry[] => [
  'undo',
  'redo',
  '-',
  'cut',
  'copy',
  'paste',
  ...(isMac ? (['pasteAndMatchStyle'] as const) : []),
  'delete',
  'selectAll',
  '-',
  'find',
]

const viewEntries = (isDevelopment: boolean): readonly Entry[] => [
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
  ...(isDevelopment ? (['toggleDevTools'] as const) : []),
  '-',
  'zoomReset',
  'zoomIn',
  'zoomOut',
  '-',
  'togglefullscreen',
]

const appEntries = (toolEntry: readonly Entry[]): readonly Entry[] => [
  'about',
  'updates',
  '-',
  'settings',
  ...toolEntry,
  '-',
  'services',
  '-',
  'hide',
  'hideOthers',
  'unhide',
  '-',
  'quit',
]

function fileEntries(platform: NodeJS.Platform): readonly Entry[] {
  const start: readonly Entry[] = ['import', 'export', '-', 'dataFolder', '-']
  if (platform === 'darwin') return [...start, 'close']
  return [...start, 'settings', '-', 'close', platform === 'win32' ? 'exit' : 'quit']
}

function helpEntries(isMac: boolean, toolEntry: readonly Entry[]): readonly Entry[] {
  const start: readonly Entry[] = ['docs', 'shortcuts', '-', 'diagnostics', 'logs', '-']
  if (isMac) return [...start, 'licenses']
  const separator: readonly Entry[] = toolEntry.length === 0 ? [] : ['-']
  return [...start, ...toolEntry, ...separator, 'licenses', 'updates', 'about']
}

/**
 * Returns the application menu. On a Mac the app has its own menu; elsewhere its entries are in
 * File and Help.
 */
export function applicationMenu(context: MenuContext): MenuItemConstructorOptions[] {
  const { isDevelopment, platform, tool } = context
  const isMac = platform === 'darwin'
  const toolEntry: readonly Entry[] = tool === null ? [] : [`${tool}Tool`]
  const menu = (label: string, entries: readonly Entry[]) => ({
    label,
    submenu: entries.map((entry) => itemOf(entry, context)),
  })
  const view = menu('View', viewEntries(isDevelopment))
  for (const { action, accelerator } of zoomKeys)
    view.submenu.push({
      ...itemOf(action, context),
      id: `${action} ${accelerator}`,
      accelerator,
      visible: false,
    })
  const window = menu('Window', ['minimize', 'zoom', '-', 'front'])
  return [
    ...(isMac ? [menu(PRODUCT_NAME, appEntries(toolEntry))] : []),
    menu('File', fileEntries(platform)),
    menu('Edit', editEntries(isMac)),
    view,
    // Windows and Linux put these on the window's frame.
    ...(isMac ? [{ ...window, role: 'windowMenu' as const }] : []),
    // The role gives a Mac its search field.
    { ...menu('Help', helpEntries(isMac, toolEntry)), role: 'help' as const },
  ]
}

export function trayMenu(
  { lines, paused, canPause }: Pick<TrayState, 'lines' | 'paused' | 'canPause'>,
  place: MenuHost,
): MenuItemConstructorOptions[] {
  const capture: readonly Entry[] = canPause ? [paused ? 'resume' : 'pause'] : []
  const entries: readonly Entry[] = ['-', 'showWindow', ...capture, '-', 'quit']
  return [
    ...lines.map((label, index) => ({
      id: `state ${index}`,
      // A single & would underline the next letter.
      label: label.replaceAll('&', '&&'),
      enabled: false,
    })),
    // Without shortcuts: they would only work while the menu is open.
    ...entries.map((entry) => itemOf(entry, place)).map(({ accelerator: _, ...item }) => item),
  ]
}

export type ClickedText = Pick<ContextMenuParams, 'isEditable' | 'selectionText' | 'editFlags'>

/** Returns the context menu of clicked text; null if no entry applies. */
export function textMenu({
  isEditable,
  selectionText,
  editFlags,
}: ClickedText): MenuItemConstructorOptions[] | null {
  const item = (role: Role, enabled: boolean) => ({ role, enabled })
  const copy = item('copy', editFlags.canCopy)
  if (!isEditable) return selectionText.trim() === '' ? null : [copy]
  return [
    item('undo', editFlags.canUndo),
    item('redo', editFlags.canRedo),
    { type: 'separator' },
    item('cut', editFlags.canCut),
    copy,
    item('paste', editFlags.canPaste),
    item('delete', editFlags.canDelete),
    { type: 'separator' },
    item('selectAll', editFlags.canSelectAll),
  ]
}

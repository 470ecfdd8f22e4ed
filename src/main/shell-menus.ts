/**
 * The menus of each platform, made from the table of actions: the application menu, the tray's menu and the context menus. Each is
 * data, so that a test can compare them with the platform's conventions.
 */
import type { MenuItemConstructorOptions } from 'electron'
import { PRODUCT_NAME } from '../shared/product.ts'
import {
  acceleratorOf,
  actionLabel,
  shellActions,
  shellPlatform,
  type ShellAction,
  type ShellActionId,
  type ShellPlatform,
} from './shell-actions.ts'

/** `-` is a separator. */
type Entry = ShellActionId | '-'

/** Carries out an entry. */
export type RunEntry = (action: ShellAction) => void

export interface MenuSurroundings {
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
    'flows',
    'handlers',
    'forward',
    'hooks',
    'check',
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

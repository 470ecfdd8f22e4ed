/** Every key of the window in one table. */
import { screenNames, screens, type Screen } from './screens.ts'

export type KeyScope =
  | 'everywhere'
  | 'list'
  | 'detail'
  | 'compare'
  | 'flows'
  | 'sandbox'
  | 'composer'

/** Scopes of keys, as headings in this order. */
export const keyHeadings: Readonly<Record<KeyScope, string>> = {
  everywhere: 'Everywhere',
  list: 'Delivery list',
  detail: 'Delivery details',
  compare: 'Comparison',
  flows: 'Flow',
  sandbox: 'Sandbox',
  composer: 'Replay composer',
}

interface KeysOfAction {
  /**
   * Alternatives; a space separates the steps of a sequence, as in `g d`. `Mod` is ⌘ on macOS and
   * Ctrl elsewhere.
   */
  readonly keys?: readonly string[]
  /** Keys that buttons and tabs need too: they work only if the list or nothing has the focus. */
  readonly listKeys?: readonly string[]
  readonly meaning: string
  /** Whether the keys work in text fields too. */
  readonly inText?: true
  /** Whether the keys work while an overlay is open too. */
  readonly inDialog?: true
}

const goKeys = Object.fromEntries(
  screenNames.map((screen): [string, KeysOfAction] => {
    const { keys, title } = screens[screen]
    return [`go-${screen}`, { keys, meaning: `Go to ${title}`, inText: true }]
  }),
) as Readonly<Record<`go-${Screen}`, KeysOfAction>>

const keyMap = {
  everywhere: {
    palette: { keys: ['Mod+k'], meaning: 'Command palette', inText: true },
    shortcuts: { keys: ['?'], meaning: 'Keyboard shortcuts' },
    ...goKeys,
    'go-replays': { keys: ['g r'], meaning: 'Go to Replays' },
    'cancel-replays': { keys: ['Mod+.'], meaning: 'Cancel replay', inText: true, inDialog: true },
    'history-back': { keys: ['Alt+ArrowLeft'], meaning: 'Back to the previous page' },
    'history-forward': { keys: ['Alt+ArrowRight'], meaning: 'Forward to the next page' },
    filter: { keys: ['/', 'Mod+f'], meaning: 'Filter deliveries' },
    'next-pane': { keys: ['F6', 'Mod+]'], meaning: 'Next pane', inText: true },
    'previous-pane': { keys: ['Shift+F6', 'Mod+['], meaning: 'Previous pane', inText: true },
    back: {
      keys: ['Escape'],
      meaning: 'Close detail, clear selection, clear filter',
      inText: true,
    },
    undo: { keys: ['Mod+z'], meaning: 'Undo mark or deletion' },
  },
  list: {
    next: { keys: ['j'], listKeys: ['ArrowDown'], meaning: 'Next delivery' },
    previous: { keys: ['k'], listKeys: ['ArrowUp'], meaning: 'Previous delivery' },
    'next-page': { listKeys: ['PageDown'], meaning: 'Page down' },
    'previous-page': { listKeys: ['PageUp'], meaning: 'Page up' },
    first: { listKeys: ['Home'], meaning: 'Newest delivery' },
    last: { listKeys: ['End'], meaning: 'Oldest delivery' },
    open: { listKeys: ['Enter'], meaning: 'Open delivery' },
    peek: { listKeys: ['Space'], meaning: 'Preview delivery' },
    follow: { keys: ['f'], meaning: 'Toggle follow' },
    newest: { keys: ['N'], meaning: 'Jump to newest' },
    'new-request': { keys: ['n'], meaning: 'New request' },
    'view-all': { keys: ['s a'], meaning: 'Show all' },
    'view-invalid': { keys: ['s i'], meaning: 'Show invalid' },
    'view-stale': { keys: ['s s'], meaning: 'Show stale' },
    'view-retried': { keys: ['s r'], meaning: 'Show retried' },
    'view-schema-errors': { keys: ['s e'], meaning: 'Show schema errors' },
    'view-failing': { keys: ['s f'], meaning: 'Show failing at your handler' },
    'view-imported': { keys: ['s m'], meaning: 'Show imported' },
    'view-flow-runs': { keys: ['s w'], meaning: 'Show flow runs' },
    'view-composed': { keys: ['s c'], meaning: 'Show composed' },
    'view-last-hour': { keys: ['s h'], meaning: 'Show last hour' },
    'send-sample': { keys: ['S'], meaning: 'Send sample' },
    'copy-id': { keys: ['y'], meaning: 'Copy ID' },
    'copy-curl': { keys: ['Y'], meaning: 'Copy as cURL (re-signed)' },
    'copy-body': { keys: ['b'], meaning: 'Copy body' },
    menu: { listKeys: ['Shift+F10', 'ContextMenu'], meaning: 'Open menu' },
    pick: { keys: ['x'], meaning: 'Toggle selection' },
    'pick-next': { listKeys: ['Shift+ArrowDown'], meaning: 'Extend selection down' },
    'pick-previous': { listKeys: ['Shift+ArrowUp'], meaning: 'Extend selection up' },
    'pick-all': { listKeys: ['Mod+a'], meaning: 'Select all matching' },
    replay: { keys: ['r'], meaning: 'Replay delivery or selection' },
    'replay-compose': { keys: ['R'], meaning: 'Replay with changes…' },
    pin: { keys: ['p'], meaning: 'Toggle pin' },
    note: { keys: ['e'], meaning: 'Edit note' },
    delete: { keys: ['Delete', 'Mod+Backspace'], meaning: 'Delete delivery or selection' },
    'clear-shown': {
      keys: ['Mod+Shift+Backspace'],
      meaning: 'Delete all shown that is not pinned',
    },
    compare: { keys: ['c'], meaning: 'Compare two selected, or pick A, then B' },
    'compare-previous': { keys: ['C'], meaning: 'Compare with previous of this hook and event' },
    'older-alike': { keys: ['['], meaning: 'Previous delivery of this hook and event' },
    'newer-alike': { keys: [']'], meaning: 'Next delivery of this hook and event' },
  },
  detail: {
    'tab-overview': { keys: ['1'], meaning: 'Overview' },
    'tab-signature': { keys: ['2'], meaning: 'Signature' },
    'tab-body': { keys: ['3'], meaning: 'Body' },
    'tab-headers': { keys: ['4'], meaning: 'Headers' },
    'tab-history': { keys: ['5'], meaning: 'History' },
    'tab-raw': { keys: ['6'], meaning: 'Raw' },
    verify: { keys: ['v'], meaning: 'Verify signature again' },
    'body-view': { keys: ['t'], meaning: 'Switch body view' },
    wrap: { keys: ['w'], meaning: 'Toggle line wrap' },
    full: { keys: ['o'], meaning: 'Toggle full width' },
  },
  compare: {
    'next-change': { keys: ['n'], meaning: 'Next difference' },
    'previous-change': { keys: ['N'], meaning: 'Previous difference' },
    'swap-sides': { keys: ['s'], meaning: 'Swap sides' },
    'compare-layout': { keys: ['u'], meaning: 'Toggle side by side' },
    'ignore-volatile': { keys: ['i'], meaning: 'Toggle ignored IDs, times and signatures' },
  },
  flows: {
    'flow-next': { keys: ['j'], listKeys: ['ArrowDown'], meaning: 'Next step' },
    'flow-previous': { keys: ['k'], listKeys: ['ArrowUp'], meaning: 'Previous step' },
    'flow-first': { listKeys: ['Home'], meaning: 'First step' },
    'flow-last': { listKeys: ['End'], meaning: 'Last step' },
    'flow-step': { listKeys: ['Space'], meaning: 'Run one step' },
    'flow-run': { listKeys: ['Enter'], meaning: 'Run, pause or resume' },
    'flow-replay': { keys: ['r'], meaning: 'Replay the step to your handler' },
    'flow-open': { keys: ['o'], meaning: "Open the step's delivery" },
    'flow-failed': { keys: ['.'], meaning: 'First failed step' },
    'flow-run-all': { keys: ['Shift+Enter'], meaning: 'Run all flows' },
  },
  composer: {
    'composer-send': { keys: ['Mod+Enter'], meaning: 'Send', inText: true },
  },
  sandbox: {
    'sandbox-send': { keys: ['Mod+Enter'], meaning: 'Send event', inText: true },
    'sandbox-trigger': { keys: ['1'], meaning: 'Trigger' },
    'sandbox-objects': { keys: ['2'], meaning: 'Objects' },
    'sandbox-log': { keys: ['3'], meaning: 'Log' },
  },
} as const satisfies Readonly<Record<KeyScope, Readonly<Record<string, KeysOfAction>>>>

export type KeyAction = { [Scope in KeyScope]: keyof (typeof keyMap)[Scope] }[KeyScope]

export interface KeyLine extends KeysOfAction {
  readonly action: KeyAction
  readonly scope: KeyScope
  readonly keys: readonly string[]
}

export const keyLines: readonly KeyLine[] = Object.entries(keyMap).flatMap(([scope, actions]) =>
  Object.entries<KeysOfAction>(actions).map(([action, line]) => ({
    ...line,
    action: action as KeyAction,
    scope: scope as KeyScope,
    keys: [...(line.keys ?? []), ...(line.listKeys ?? [])],
  })),
)

const shownKeys = new Map(keyLines.map(({ action, keys: [first = ''] }) => [action, first]))

/** Returns the keys shown for an action: the first alternative. */
export function keysOf(action: KeyAction): string {
  return shownKeys.get(action) ?? ''
}

/**
 * Every keyboard shortcut in one table, and the rules for custom keys: the window's shortcuts sheet, palette, hints and key listener
 * use it, and so does `countersign settings --key`.
 */
import { z } from 'zod'

export type KeyScope =
  'everywhere' | 'list' | 'detail' | 'compare' | 'flows' | 'sandbox' | 'composer'

export interface KeyBinding {
  /** Alternatives; the steps of a sequence are separated by a space, as in `g d`. `Mod` is ⌘ on macOS and Ctrl elsewhere. */
  readonly keys: readonly string[]
  readonly scope: KeyScope
  readonly action: string
  readonly meaning: string
  /** Works only if the list or nothing has the focus, because buttons and tabs need these keys. */
  readonly needsListFocus?: true
  /** Works in text fields too. */
  readonly inText?: true
  /** Works while an overlay is open too. */
  readonly inDialog?: true
}

const keyMap = [
  {
    keys: ['Mod+k'],
    scope: 'everywhere',
    action: 'palette',
    meaning: 'Command palette',
    inText: true,
  },
  { keys: ['?'], scope: 'everywhere', action: 'shortcuts', meaning: 'Keyboard shortcuts' },
  { keys: ['g d'], scope: 'everywhere', action: 'go-deliveries', meaning: 'Go to Deliveries' },
  { keys: ['g c'], scope: 'everywhere', action: 'go-compare', meaning: 'Go to Compare' },
  { keys: ['g f'], scope: 'everywhere', action: 'go-flows', meaning: 'Go to Flows' },
  { keys: ['g e'], scope: 'everywhere', action: 'go-handlers', meaning: 'Go to Handlers' },
  { keys: ['g w'], scope: 'everywhere', action: 'go-forward', meaning: 'Go to Forward' },
  { keys: ['g h'], scope: 'everywhere', action: 'go-hooks', meaning: 'Go to Hooks' },
  { keys: ['g k'], scope: 'everywhere', action: 'go-check', meaning: 'Go to Check' },
  { keys: ['g s'], scope: 'everywhere', action: 'go-sandbox', meaning: 'Go to Sandbox' },
  { keys: ['g r'], scope: 'everywhere', action: 'go-replays', meaning: 'Go to Replays' },
  {
    keys: ['Mod+.'],
    scope: 'everywhere',
    action: 'cancel-replays',
    meaning: 'Cancel replay',
    inText: true,
    inDialog: true,
  },
  {
    keys: ['g ,', 'Mod+,'],
    scope: 'everywhere',
    action: 'go-settings',
    meaning: 'Go to Settings',
    inText: true,
  },
  {
    keys: ['Alt+ArrowLeft'],
    scope: 'everywhere',
    action: 'history-back',
    meaning: 'Back to the previous page',
  },
  {
    keys: ['Alt+ArrowRight'],
    scope: 'everywhere',
    action: 'history-forward',
    meaning: 'Forward to the next page',
  },
  { keys: ['/', 'Mod+f'], scope: 'everywhere', action: 'filter', meaning: 'Filter deliveries' },
  {
    keys: ['F6', 'Mod+]'],
    scope: 'everywhere',
    action: 'next-pane',
    meaning: 'Next pane',
    inText: true,
  },
  {
    keys: ['Shift+F6', 'Mod+['],
    scope: 'everywhere',
    action: 'previous-pane',
    meaning: 'Previous pane',
    inText: true,
  },
  {
    keys: ['Escape'],
    scope: 'everywhere',
    action: 'back',
    meaning: 'Close detail, clear selection, clear filter',
    inText: true,
  },
  { keys: ['j'], scope: 'list', action: 'next', meaning: 'Next delivery' },
  { keys: ['k'], scope: 'list', action: 'previous', meaning: 'Previous delivery' },
  {
    keys: ['ArrowDown'],
    scope: 'list',
    action: 'next',
    meaning: 'Next delivery',
    needsListFocus: true,
  },
  {
    keys: ['ArrowUp'],
    scope: 'list',
    action: 'previous',
    meaning: 'Previous delivery',
    needsListFocus: true,
  },
  {
    keys: ['PageDown'],
    scope: 'list',
    action: 'next-page',
    meaning: 'Page down',
    needsListFocus: true,
  },
  {
    keys: ['PageUp'],
    scope: 'list',
    action: 'previous-page',
    meaning: 'Page up',
    needsListFocus: true,
  },
  {
    keys: ['Home'],
    scope: 'list',
    action: 'first',
    meaning: 'Newest delivery',
    needsListFocus: true,
  },
  {
    keys: ['End'],
    scope: 'list',
    action: 'last',
    meaning: 'Oldest delivery',
    needsListFocus: true,
  },
  {
    keys: ['Enter'],
    scope: 'list',
    action: 'open',
    meaning: 'Open delivery',
    needsListFocus: true,
  },
  {
    keys: ['Space'],
    scope: 'list',
    action: 'peek',
    meaning: 'Preview delivery',
    needsListFocus: true,
  },
  { keys: ['f'], scope: 'list', action: 'follow', meaning: 'Toggle follow' },
  { keys: ['n'], scope: 'list', action: 'newest', meaning: 'Jump to newest' },
  { keys: ['s a'], scope: 'list', action: 'view-all', meaning: 'Show all' },
  { keys: ['s i'], scope: 'list', action: 'view-invalid', meaning: 'Show invalid' },
  { keys: ['s s'], scope: 'list', action: 'view-stale', meaning: 'Show stale' },
  { keys: ['s r'], scope: 'list', action: 'view-retried', meaning: 'Show retried' },
  { keys: ['s e'], scope: 'list', action: 'view-schema-errors', meaning: 'Show schema errors' },
  { keys: ['s f'], scope: 'list', action: 'view-failing', meaning: 'Show failing at my handler' },
  { keys: ['s m'], scope: 'list', action: 'view-imported', meaning: 'Show imported' },
  { keys: ['s h'], scope: 'list', action: 'view-last-hour', meaning: 'Show last hour' },
  { keys: ['S'], scope: 'list', action: 'send-sample', meaning: 'Send sample' },
  { keys: ['y'], scope: 'list', action: 'copy-id', meaning: 'Copy ID' },
  { keys: ['Y'], scope: 'list', action: 'copy-curl', meaning: 'Copy as cURL (re-signed)' },
  { keys: ['b'], scope: 'list', action: 'copy-body', meaning: 'Copy body' },
  {
    keys: ['Shift+F10', 'ContextMenu'],
    scope: 'list',
    action: 'menu',
    meaning: 'Menu of the delivery',
    needsListFocus: true,
  },
  { keys: ['x'], scope: 'list', action: 'pick', meaning: 'Toggle selection' },
  {
    keys: ['Shift+ArrowDown'],
    scope: 'list',
    action: 'pick-next',
    meaning: 'Extend selection down',
    needsListFocus: true,
  },
  {
    keys: ['Shift+ArrowUp'],
    scope: 'list',
    action: 'pick-previous',
    meaning: 'Extend selection up',
    needsListFocus: true,
  },
  {
    keys: ['Mod+a'],
    scope: 'list',
    action: 'pick-all',
    meaning: 'Select all matching',
    needsListFocus: true,
  },
  { keys: ['r'], scope: 'list', action: 'replay', meaning: 'Replay delivery or selection' },
  { keys: ['R'], scope: 'list', action: 'replay-compose', meaning: 'Replay with changes…' },
  { keys: ['p'], scope: 'list', action: 'pin', meaning: 'Toggle pin' },
  { keys: ['e'], scope: 'list', action: 'note', meaning: 'Edit note' },
  {
    keys: ['Delete', 'Mod+Backspace'],
    scope: 'list',
    action: 'delete',
    meaning: 'Delete delivery or selection',
  },
  {
    keys: ['Mod+Shift+Backspace'],
    scope: 'list',
    action: 'clear-shown',
    meaning: 'Delete all shown that is not pinned',
  },
  { keys: ['Mod+z'], scope: 'everywhere', action: 'undo', meaning: 'Undo mark or deletion' },
  {
    keys: ['c'],
    scope: 'list',
    action: 'compare',
    meaning: 'Compare two selected, or pick A, then B',
  },
  {
    keys: ['C'],
    scope: 'list',
    action: 'compare-previous',
    meaning: 'Compare with previous of this hook and event',
  },
  {
    keys: ['['],
    scope: 'list',
    action: 'older-alike',
    meaning: 'Previous delivery of this hook and event',
  },
  {
    keys: [']'],
    scope: 'list',
    action: 'newer-alike',
    meaning: 'Next delivery of this hook and event',
  },
  { keys: ['1'], scope: 'detail', action: 'tab-overview', meaning: 'Overview' },
  { keys: ['2'], scope: 'detail', action: 'tab-signature', meaning: 'Signature' },
  { keys: ['3'], scope: 'detail', action: 'tab-body', meaning: 'Body' },
  { keys: ['4'], scope: 'detail', action: 'tab-headers', meaning: 'Headers' },
  { keys: ['5'], scope: 'detail', action: 'tab-attempts', meaning: 'Attempts' },
  { keys: ['6'], scope: 'detail', action: 'tab-sends', meaning: 'Replays' },
  { keys: ['7'], scope: 'detail', action: 'tab-lifecycle', meaning: 'Lifecycle' },
  { keys: ['8'], scope: 'detail', action: 'tab-raw', meaning: 'Raw' },
  { keys: ['v'], scope: 'detail', action: 'verify', meaning: 'Verify signature again' },
  { keys: ['t'], scope: 'detail', action: 'body-view', meaning: 'Switch body view' },
  { keys: ['w'], scope: 'detail', action: 'wrap', meaning: 'Toggle line wrap' },
  { keys: ['o'], scope: 'detail', action: 'full', meaning: 'Toggle full width' },
  { keys: ['n'], scope: 'compare', action: 'next-change', meaning: 'Next difference' },
  { keys: ['N'], scope: 'compare', action: 'previous-change', meaning: 'Previous difference' },
  { keys: ['s'], scope: 'compare', action: 'swap-sides', meaning: 'Swap sides' },
  { keys: ['u'], scope: 'compare', action: 'compare-layout', meaning: 'Toggle side by side' },
  {
    keys: ['i'],
    scope: 'compare',
    action: 'ignore-volatile',
    meaning: 'Toggle ignored IDs, times and signatures',
  },
  { keys: ['j'], scope: 'flows', action: 'flow-next', meaning: 'Next step' },
  { keys: ['k'], scope: 'flows', action: 'flow-previous', meaning: 'Previous step' },
  {
    keys: ['ArrowDown'],
    scope: 'flows',
    action: 'flow-next',
    meaning: 'Next step',
    needsListFocus: true,
  },
  {
    keys: ['ArrowUp'],
    scope: 'flows',
    action: 'flow-previous',
    meaning: 'Previous step',
    needsListFocus: true,
  },
  {
    keys: ['ArrowRight'],
    scope: 'flows',
    action: 'flow-right',
    meaning: 'Actor to the right',
    needsListFocus: true,
  },
  {
    keys: ['ArrowLeft'],
    scope: 'flows',
    action: 'flow-left',
    meaning: 'Actor to the left',
    needsListFocus: true,
  },
  {
    keys: ['Home'],
    scope: 'flows',
    action: 'flow-first',
    meaning: 'First step',
    needsListFocus: true,
  },
  {
    keys: ['End'],
    scope: 'flows',
    action: 'flow-last',
    meaning: 'Last step',
    needsListFocus: true,
  },
  {
    keys: ['Space'],
    scope: 'flows',
    action: 'flow-step',
    meaning: 'Run one step',
    needsListFocus: true,
  },
  {
    keys: ['Enter'],
    scope: 'flows',
    action: 'flow-run',
    meaning: 'Run, pause or resume',
    needsListFocus: true,
  },
  {
    keys: ['r'],
    scope: 'flows',
    action: 'flow-replay',
    meaning: 'Replay the step to your handler',
  },
  { keys: ['o'], scope: 'flows', action: 'flow-open', meaning: "Open the step's delivery" },
  {
    keys: ['.'],
    scope: 'flows',
    action: 'flow-failed',
    meaning: 'First failed step, or next failed flow',
  },
  { keys: ['Shift+Enter'], scope: 'flows', action: 'flow-run-all', meaning: 'Run all flows' },
  { keys: ['l'], scope: 'flows', action: 'flow-view', meaning: 'Toggle diagram and list' },
  {
    keys: ['Mod+Enter'],
    scope: 'composer',
    action: 'composer-send',
    meaning: 'Send',
    inText: true,
  },
  {
    keys: ['Mod+Enter'],
    scope: 'sandbox',
    action: 'sandbox-send',
    meaning: 'Send event',
    inText: true,
  },
  { keys: ['1'], scope: 'sandbox', action: 'sandbox-trigger', meaning: 'Trigger' },
  { keys: ['2'], scope: 'sandbox', action: 'sandbox-objects', meaning: 'Objects' },
  { keys: ['3'], scope: 'sandbox', action: 'sandbox-log', meaning: 'Log' },
] as const satisfies readonly KeyBinding[]

export type KeyAction = (typeof keyMap)[number]['action']

export type ActionBinding = KeyBinding & { readonly action: KeyAction }
export const defaultBindings: readonly ActionBinding[] = keyMap

/** The user's own keys by action. An empty text: the action has no key. */
export type CustomKeys = Readonly<Partial<Record<KeyAction, string>>>

/** Keys that buttons, tabs and text fields need; an action with one of them only runs if the list or nothing has the focus. */
const CONTROL_KEYS =
  /^(Shift\+)?(Enter|Space|Arrow(Up|Down|Left|Right)|Home|End|PageUp|PageDown|Delete|Backspace)$/

/** The table with the user's keys. A custom letter doesn't replace the list's arrow keys. */
export function bindingsWith(custom: CustomKeys): readonly ActionBinding[] {
  const replaced = new Set<KeyAction>()
  return defaultBindings.flatMap((binding) => {
    const own = custom[binding.action]
    if (own === undefined) return [binding]
    if (replaced.has(binding.action)) return binding.needsListFocus === true ? [binding] : []
    replaced.add(binding.action)
    const { needsListFocus: _, ...rest } = binding
    return [
      {
        ...rest,
        keys: own === '' ? [] : [own],
        ...(CONTROL_KEYS.test(own) ? { needsListFocus: true as const } : {}),
      },
    ]
  })
}

export function isKeyAction(text: string): text is KeyAction {
  return defaultBindings.some(({ action }) => action === text)
}

export interface KeyLine {
  readonly action: KeyAction
  readonly scope: KeyScope
  readonly meaning: string
  readonly keys: readonly string[]
}

/** Whether both can be active at once. Overlays, such as the composer, keep all keys to themselves. */
function overlap(a: KeyScope, b: KeyScope): boolean {
  if (a === b) return true
  if (a === 'composer' || b === 'composer') return false
  return (
    a === 'everywhere' ||
    b === 'everywhere' ||
    (['list', 'detail'].includes(a) && ['list', 'detail'].includes(b))
  )
}

/** The other action that these keys would run, or whose sequence they would cut short; null if they are free. */
export function conflictOf(action: KeyAction, keys: string, custom: CustomKeys): KeyLine | null {
  const scope = defaultBindings.find((binding) => binding.action === action)?.scope
  const clashes = (one: string) =>
    one === keys || one.startsWith(`${keys} `) || keys.startsWith(`${one} `)
  const found = bindingsWith(custom).find(
    (binding) =>
      binding.action !== action &&
      scope !== undefined &&
      overlap(binding.scope, scope) &&
      binding.keys.some(clashes),
  )
  return found ?? null
}

const RESERVED = /^(Mod\+([ntwlrpcvx1-9]|Tab)|(Shift\+)?Tab|F5|F11|F12)$/

/** Whether the browser or the system uses these keys. */
export function isReserved(keys: string): boolean {
  return keys.split(' ').some((step) => RESERVED.test(step))
}

/** One step of a shortcut: a character or a named key, with its modifiers. */
const STEP = /^(Mod\+)?(Shift\+)?([!-~]|[A-Z][A-Za-z0-9]+)$|^Alt\+Arrow(Left|Right)$/

/** Keys in the table's notation; an empty text for no key. */
export const keysSchema = z
  .string()
  .max(40)
  .refine(
    (keys) =>
      keys === '' ||
      (keys.split(' ').length <= 2 && keys.split(' ').every((step) => STEP.test(step))),
    {
      error: 'Write keys such as Mod+k, g d or F6.',
    },
  )

/** An action of the table. */
export const keyActionSchema = z.string().refine((action): boolean => isKeyAction(action), {
  error: 'Unknown command. Settings > Keyboard shows the name of each.',
})

/** Every key of the window in one table, and the reader of key presses. */

export type KeyScope =
  'everywhere' | 'list' | 'detail' | 'compare' | 'flows' | 'sandbox' | 'composer'

interface KeyBinding {
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

type ActionBinding = KeyBinding & { readonly action: KeyAction }
export const bindings: readonly ActionBinding[] = keyMap

const shownKeys = new Map(
  bindings.toReversed().map(({ action, keys: [first = ''] }) => [action, first]),
)

/** The keys shown for an action: the first alternative. */
export function keysOf(action: KeyAction): string {
  return shownKeys.get(action) ?? ''
}

interface KeyLine {
  readonly action: KeyAction
  readonly scope: KeyScope
  readonly meaning: string
  readonly keys: readonly string[]
}

/** Each action once, with all its keys, in the table's order. */
export function keyLines(): readonly KeyLine[] {
  const lines = new Map<KeyAction, KeyLine>()
  for (const { action, scope, meaning, keys } of bindings)
    lines.set(action, {
      action,
      scope,
      meaning,
      keys: [...(lines.get(action)?.keys ?? []), ...keys],
    })
  return [...lines.values()]
}

export interface KeyPress {
  readonly key: string
  readonly ctrl: boolean
  readonly meta: boolean
  readonly alt: boolean
  readonly shift: boolean
}

export interface KeySurroundings {
  readonly inText: boolean
  /** An overlay is open. */
  readonly inDialog: boolean
  /** Nothing focused needs the keys for itself. */
  readonly listFocus: boolean
  readonly singleKeys: boolean
  readonly scopes: readonly KeyScope[]
  readonly isApple: boolean
}

/** Whether a key press is the action's, for overlays, which handle their own keys. */
export function isKeyOf(action: KeyAction, press: KeyPress, isApple: boolean): boolean {
  const step = stepOf(press, isApple)
  return (
    step !== null &&
    bindings.some((binding) => binding.action === action && binding.keys.includes(step))
  )
}

/** What a keyboard event says of its key. */
export function pressOf(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>,
): KeyPress {
  return {
    key: event.key,
    ctrl: event.ctrlKey,
    meta: event.metaKey,
    alt: event.altKey,
    shift: event.shiftKey,
  }
}

/** Reads keys one at a time, remembers the first of a sequence, and returns the triggered action or null. */
export function createKeyReader(): (
  press: KeyPress,
  surroundings: KeySurroundings,
) => KeyAction | null {
  let begun: string | null = null
  return (press, surroundings) => {
    const step = stepOf(press, surroundings.isApple)
    if (step === null) return null
    const sequence = begun === null ? step : `${begun} ${step}`
    begun = null
    const usable = bindings.filter((binding) => mayAct(binding, surroundings))
    const found = usable.find((binding) =>
      binding.keys.some((keys) => keys === sequence && isAllowed(keys, surroundings)),
    )
    if (found !== undefined) return found.action
    if (
      usable.some((binding) =>
        binding.keys.some((keys) => keys.startsWith(`${step} `) && isAllowed(keys, surroundings)),
      )
    )
      begun = step
    return null
  }
}

function mayAct(
  binding: KeyBinding,
  { inText, inDialog, listFocus, scopes }: KeySurroundings,
): boolean {
  if (inDialog && binding.inDialog !== true) return false
  if (!scopes.includes(binding.scope)) return false
  if (binding.needsListFocus === true && !listFocus) return false
  return !inText || binding.inText === true
}

/** In text fields only modifier combinations, function keys and Esc work; single letters work only if enabled. */
function isAllowed(keys: string, { inText, singleKeys }: KeySurroundings): boolean {
  const single = !keys.includes('Mod+') && keys.split(' ').every((step) => step.length === 1)
  return !single || (singleKeys && !inText)
}

/** A key press in the table's notation; null for a modifier on its own and for browser shortcuts. */
export function stepOf({ key, ctrl, meta, alt, shift }: KeyPress, isApple: boolean): string | null {
  // Browsers use these two; the desktop app has no others.
  if (alt)
    return !ctrl && !meta && !shift && ['ArrowLeft', 'ArrowRight'].includes(key)
      ? `Alt+${key}`
      : null
  if (['Shift', 'Control', 'Meta', 'Alt'].includes(key)) return null
  const mod = isApple ? meta : ctrl
  if ((isApple ? ctrl : meta) && !mod) return null
  const name = key === ' ' ? 'Space' : key.length === 1 && mod ? key.toLowerCase() : key
  // With Shift, only letters and named keys: shifted digits depend on the keyboard layout.
  if (mod && shift) return name.length > 1 || /^[a-z]$/.test(name) ? `Mod+Shift+${name}` : null
  if (mod) return `Mod+${name}`
  // A shifted character is its own key; only named keys include "Shift".
  return shift && name.length > 1 ? `Shift+${name}` : name
}

/** The keyboard: which keys do what, and where. One table; the sheet, the settings and the listener all read it. */

export type KeyScope = 'everywhere' | 'list' | 'detail' | 'compare' | 'flows' | 'sandbox' | 'composer'

export interface KeyBinding {
  /** Alternatives, each with its steps parted by a space: `g d`. `Mod` is ⌘ on Apple machines and Ctrl elsewhere. */
  readonly keys: readonly string[]
  readonly scope: KeyScope
  readonly action: string
  readonly meaning: string
  /** Acts only where the list itself, or nothing, has the focus: buttons and tabs need these keys for themselves. */
  readonly needsListFocus?: true
  /** Acts in text fields too. */
  readonly inText?: true
  /** Acts while something lies over the page too. */
  readonly inDialog?: true
}

export const keyMap = [
  { keys: ['Mod+k'], scope: 'everywhere', action: 'palette', meaning: 'Commands and places', inText: true },
  { keys: ['?'], scope: 'everywhere', action: 'shortcuts', meaning: 'Keyboard shortcuts' },
  { keys: ['g d'], scope: 'everywhere', action: 'go-deliveries', meaning: 'Deliveries' },
  { keys: ['g c'], scope: 'everywhere', action: 'go-compare', meaning: 'Compare' },
  { keys: ['g h'], scope: 'everywhere', action: 'go-hooks', meaning: 'Hooks' },
  { keys: ['g f'], scope: 'everywhere', action: 'go-flows', meaning: 'Flows' },
  { keys: ['g k'], scope: 'everywhere', action: 'go-check', meaning: 'Check' },
  { keys: ['g s'], scope: 'everywhere', action: 'go-sandbox', meaning: 'Sandbox' },
  { keys: ['g r'], scope: 'everywhere', action: 'go-replays', meaning: 'Replays: what was sent again' },
  {
    keys: ['Mod+.'],
    scope: 'everywhere',
    action: 'cancel-replays',
    meaning: 'Cancel the replay that goes on',
    inText: true,
    inDialog: true,
  },
  { keys: ['g ,', 'Mod+,'], scope: 'everywhere', action: 'go-settings', meaning: 'Settings', inText: true },
  { keys: ['/', 'Mod+f'], scope: 'everywhere', action: 'filter', meaning: 'Filter the deliveries' },
  { keys: ['F6', 'Mod+]'], scope: 'everywhere', action: 'next-pane', meaning: 'Next pane', inText: true },
  { keys: ['Shift+F6', 'Mod+['], scope: 'everywhere', action: 'previous-pane', meaning: 'Previous pane', inText: true },
  {
    keys: ['Escape'],
    scope: 'everywhere',
    action: 'back',
    meaning: 'Back: leave the detail, then the selection, then the filter',
    inText: true,
  },
  { keys: ['j'], scope: 'list', action: 'next', meaning: 'Next delivery' },
  { keys: ['k'], scope: 'list', action: 'previous', meaning: 'Previous delivery' },
  { keys: ['ArrowDown'], scope: 'list', action: 'next', meaning: 'Next delivery', needsListFocus: true },
  { keys: ['ArrowUp'], scope: 'list', action: 'previous', meaning: 'Previous delivery', needsListFocus: true },
  { keys: ['PageDown'], scope: 'list', action: 'next-page', meaning: 'A page down', needsListFocus: true },
  { keys: ['PageUp'], scope: 'list', action: 'previous-page', meaning: 'A page up', needsListFocus: true },
  { keys: ['Home'], scope: 'list', action: 'first', meaning: 'The newest delivery', needsListFocus: true },
  { keys: ['End'], scope: 'list', action: 'last', meaning: 'The oldest delivery', needsListFocus: true },
  { keys: ['Enter'], scope: 'list', action: 'open', meaning: 'Open the detail', needsListFocus: true },
  { keys: ['Space'], scope: 'list', action: 'peek', meaning: 'Look without leaving the list', needsListFocus: true },
  { keys: ['f'], scope: 'list', action: 'follow', meaning: 'Follow the newest, or not' },
  { keys: ['m'], scope: 'list', action: 'mark', meaning: 'Mark what matches the filter, or hide the rest' },
  { keys: ['n'], scope: 'list', action: 'newest', meaning: 'Jump to the newest' },
  { keys: ['y'], scope: 'list', action: 'copy-id', meaning: 'Copy the id' },
  { keys: ['x'], scope: 'list', action: 'pick', meaning: 'Select it, or not' },
  { keys: ['Shift+ArrowDown'], scope: 'list', action: 'pick-next', meaning: 'Select the next too', needsListFocus: true },
  { keys: ['Shift+ArrowUp'], scope: 'list', action: 'pick-previous', meaning: 'Select the previous too', needsListFocus: true },
  { keys: ['Mod+a'], scope: 'list', action: 'pick-all', meaning: 'Select all that the filter finds', needsListFocus: true },
  { keys: ['r'], scope: 'list', action: 'replay', meaning: 'Replay: send it again, or what is selected' },
  { keys: ['R'], scope: 'list', action: 'replay-compose', meaning: 'Replay with changes…' },
  { keys: ['p'], scope: 'list', action: 'pin', meaning: 'Pin it, or not' },
  { keys: ['e'], scope: 'list', action: 'note', meaning: 'Write a note' },
  { keys: ['Delete', 'Mod+Backspace'], scope: 'list', action: 'delete', meaning: 'Delete it, or what is selected' },
  { keys: ['Mod+Shift+Backspace'], scope: 'list', action: 'clear-shown', meaning: 'Delete all that is shown and not pinned' },
  { keys: ['Mod+z'], scope: 'list', action: 'undo', meaning: 'Undo: a mark, or within ten seconds a deletion' },
  { keys: ['Mod+Shift+z'], scope: 'list', action: 'redo', meaning: 'Do the undone mark again' },
  { keys: ['c'], scope: 'list', action: 'compare', meaning: 'Compare the two selected; else keep this one as A, then B' },
  { keys: ['['], scope: 'list', action: 'older-alike', meaning: 'The delivery of this hook and event before it' },
  { keys: [']'], scope: 'list', action: 'newer-alike', meaning: 'The delivery of this hook and event after it' },
  { keys: ['1'], scope: 'detail', action: 'tab-overview', meaning: 'Overview' },
  { keys: ['2'], scope: 'detail', action: 'tab-signature', meaning: 'Signature' },
  { keys: ['3'], scope: 'detail', action: 'tab-body', meaning: 'Body' },
  { keys: ['4'], scope: 'detail', action: 'tab-headers', meaning: 'Headers' },
  { keys: ['5'], scope: 'detail', action: 'tab-attempts', meaning: 'Attempts' },
  { keys: ['6'], scope: 'detail', action: 'tab-raw', meaning: 'Raw' },
  { keys: ['7'], scope: 'detail', action: 'tab-lifecycle', meaning: 'Lifecycle' },
  { keys: ['8'], scope: 'detail', action: 'tab-sends', meaning: 'Sends' },
  { keys: ['v'], scope: 'detail', action: 'verify', meaning: 'Verify the signature again' },
  { keys: ['t'], scope: 'detail', action: 'body-view', meaning: 'Tree, formatted, as sent, hex' },
  { keys: ['w'], scope: 'detail', action: 'wrap', meaning: 'Wrap lines, or not' },
  { keys: ['o'], scope: 'detail', action: 'full', meaning: 'Full width, or beside the list' },
  { keys: ['n'], scope: 'compare', action: 'next-change', meaning: 'Next difference' },
  { keys: ['N'], scope: 'compare', action: 'previous-change', meaning: 'Previous difference' },
  { keys: ['s'], scope: 'compare', action: 'swap-sides', meaning: 'Swap the sides' },
  { keys: ['u'], scope: 'compare', action: 'compare-layout', meaning: 'Side by side, or one under the other' },
  { keys: ['i'], scope: 'compare', action: 'ignore-volatile', meaning: 'Ignore ids, times and signatures, or not' },
  { keys: ['j'], scope: 'flows', action: 'flow-next', meaning: 'Next step' },
  { keys: ['k'], scope: 'flows', action: 'flow-previous', meaning: 'Previous step' },
  { keys: ['ArrowDown'], scope: 'flows', action: 'flow-next', meaning: 'Next step', needsListFocus: true },
  { keys: ['ArrowUp'], scope: 'flows', action: 'flow-previous', meaning: 'Previous step', needsListFocus: true },
  { keys: ['ArrowRight'], scope: 'flows', action: 'flow-right', meaning: 'The actor to the right', needsListFocus: true },
  { keys: ['ArrowLeft'], scope: 'flows', action: 'flow-left', meaning: 'The actor to the left', needsListFocus: true },
  { keys: ['Home'], scope: 'flows', action: 'flow-first', meaning: 'The first step', needsListFocus: true },
  { keys: ['End'], scope: 'flows', action: 'flow-last', meaning: 'The last step', needsListFocus: true },
  { keys: ['Enter'], scope: 'flows', action: 'flow-open', meaning: 'Open the delivery of the step', needsListFocus: true },
  { keys: ['.'], scope: 'flows', action: 'flow-failed', meaning: 'The first step that failed' },
  { keys: ['r'], scope: 'flows', action: 'flow-run', meaning: 'Run, pause or resume' },
  { keys: ['s'], scope: 'flows', action: 'flow-step', meaning: 'Run one step' },
  { keys: ['l'], scope: 'flows', action: 'flow-view', meaning: 'Diagram or list' },
  { keys: ['Mod+Enter'], scope: 'composer', action: 'composer-send', meaning: 'Send', inText: true },
  { keys: ['Mod+Enter'], scope: 'sandbox', action: 'sandbox-send', meaning: 'Send the event', inText: true },
  { keys: ['1'], scope: 'sandbox', action: 'sandbox-trigger', meaning: 'Trigger' },
  { keys: ['2'], scope: 'sandbox', action: 'sandbox-objects', meaning: 'Objects' },
  { keys: ['3'], scope: 'sandbox', action: 'sandbox-log', meaning: 'Log' },
] as const satisfies readonly KeyBinding[]

export type KeyAction = (typeof keyMap)[number]['action']

const shownKeys = new Map<KeyAction, string>(keyMap.toReversed().map(({ action, keys: [first] }) => [action, first]))

/** The keys of an action as they are shown beside it: the first of the alternatives. */
export function keysOf(action: KeyAction): string {
  return shownKeys.get(action) ?? ''
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
  /** Something lies over the page. */
  readonly inDialog: boolean
  /** Nothing that needs the keys for itself has the focus. */
  readonly listFocus: boolean
  readonly singleKeys: boolean
  readonly scopes: readonly KeyScope[]
  readonly isApple: boolean
}

/** Reads keys one by one, remembering the first of two; gives the action that they ask for, or null. */
export function createKeyReader(): (press: KeyPress, surroundings: KeySurroundings) => KeyAction | null {
  let begun: string | null = null
  return (press, surroundings) => {
    const step = stepOf(press, surroundings.isApple)
    if (step === null) return null
    const sequence = begun === null ? step : `${begun} ${step}`
    begun = null
    const usable = (keyMap as readonly (KeyBinding & { readonly action: KeyAction })[]).filter((binding) =>
      mayAct(binding, surroundings),
    )
    const found = usable.find((binding) => binding.keys.some((keys) => keys === sequence && isAllowed(keys, surroundings)))
    if (found !== undefined) return found.action
    if (usable.some((binding) => binding.keys.some((keys) => keys.startsWith(`${step} `) && isAllowed(keys, surroundings))))
      begun = step
    return null
  }
}

function mayAct(binding: KeyBinding, { inText, inDialog, listFocus, scopes }: KeySurroundings): boolean {
  if (inDialog && binding.inDialog !== true) return false
  if (!scopes.includes(binding.scope)) return false
  if (binding.needsListFocus === true && !listFocus) return false
  return !inText || binding.inText === true
}

/** In text only keys with a modifier, function keys and Esc act; single letters act only where they are switched on. */
function isAllowed(keys: string, { inText, singleKeys }: KeySurroundings): boolean {
  const single = !keys.includes('Mod+') && keys.split(' ').every((step) => step.length === 1)
  return !single || (singleKeys && !inText)
}

/** A press as it is written in the table, or null for a modifier alone and for combinations that are the browser's. */
function stepOf({ key, ctrl, meta, alt, shift }: KeyPress, isApple: boolean): string | null {
  if (alt || ['Shift', 'Control', 'Meta', 'Alt'].includes(key)) return null
  const mod = isApple ? meta : ctrl
  if ((isApple ? ctrl : meta) && !mod) return null
  const name = key === ' ' ? 'Space' : key.length === 1 && mod ? key.toLowerCase() : key
  // With Shift only letters and keys that have a name: what a digit becomes is a matter of the keyboard.
  if (mod && shift) return name.length > 1 || /^[a-z]$/.test(name) ? `Mod+Shift+${name}` : null
  if (mod) return `Mod+${name}`
  // A shifted character is its own key; the names of keys say when Shift was down.
  return shift && name.length > 1 ? `Shift+${name}` : name
}

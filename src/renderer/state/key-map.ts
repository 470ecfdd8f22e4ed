/** The keys of this window: the table with the user's own keys, and the reader of key presses. */
import {
  bindingsWith,
  defaultBindings,
  type ActionBinding,
  type CustomKeys,
  type KeyAction,
  type KeyBinding,
  type KeyLine,
  type KeyScope,
} from '../../shared/model/key-table.ts'

function shownIn(bindings: readonly ActionBinding[]): ReadonlyMap<KeyAction, string> {
  return new Map(bindings.toReversed().map(({ action, keys: [first = ''] }) => [action, first]))
}

let bindings = defaultBindings
let shownKeys = shownIn(bindings)

/** Makes these the keys of the window. */
export function applyKeys(custom: CustomKeys): void {
  bindings = bindingsWith(custom)
  shownKeys = shownIn(bindings)
  for (const listener of listeners) listener()
}

const listeners = new Set<() => void>()

/** Calls the listener whenever the keys change. */
export function watchKeys(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The keys shown for an action: the first alternative; empty if the user removed them. */
export function keysOf(action: KeyAction): string {
  return shownKeys.get(action) ?? ''
}

/** Each action once, with all its current keys, in the table's order. */
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

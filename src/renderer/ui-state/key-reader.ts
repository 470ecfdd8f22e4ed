import { type KeyScope, type KeyAction, type KeyLine, keyLines } from '../key-map.ts'

export interface KeyPress {
  readonly key: string
  readonly ctrl: boolean
  readonly meta: boolean
  readonly alt: boolean
  readonly shift: boolean
}

export interface KeyContext {
  readonly inText: boolean
  readonly inDialog: boolean
  /** Whether the focus is on the list or nowhere, so that keys of the list apply. */
  readonly listFocus: boolean
  readonly singleKeys: boolean
  readonly scopes: readonly KeyScope[]
  readonly isApple: boolean
}

/** Whether a key press triggers the action; for overlays, which handle their own keys. */
export function isKeyOf(action: KeyAction, press: KeyPress, isApple: boolean): boolean {
  const step = stepOf(press, isApple)
  return (
    step !== null && keyLines.some((line) => line.action === action && line.keys.includes(step))
  )
}

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

/** Returns a reader that remembers the first key of a sequence and returns the triggered action. */
export function createKeyReader(): (press: KeyPress, context: KeyContext) => KeyAction | null {
  let firstStep: string | null = null
  return (press, context) => {
    const step = stepOf(press, context.isApple)
    if (step === null) return null
    const sequence = firstStep === null ? step : `${firstStep} ${step}`
    firstStep = null
    const usableKeys = keyLines.flatMap((line) =>
      line.keys.filter((keys) => isUsable(keys, line, context)).map((keys) => ({ keys, line })),
    )
    const match = usableKeys.find(({ keys }) => keys === sequence)
    if (match !== undefined) return match.line.action
    if (usableKeys.some(({ keys }) => keys.startsWith(`${step} `))) firstStep = step
    return null
  }
}

/** Whether keys work here: in text fields only combinations, function keys and Esc. */
function isUsable(
  keys: string,
  { scope, listKeys, inText, inDialog }: KeyLine,
  context: KeyContext,
): boolean {
  if (context.inDialog && inDialog !== true) return false
  if (!context.scopes.includes(scope)) return false
  if (!context.listFocus && listKeys?.includes(keys) === true) return false
  if (context.inText && inText !== true) return false
  const isSingleKey = !keys.includes('Mod+') && keys.split(' ').every((step) => step.length === 1)
  return !isSingleKey || (context.singleKeys && !context.inText)
}

/**
 * Returns a key press in the table's notation; null for a lone modifier and for browser shortcuts.
 */
export function stepOf({ key, ctrl, meta, alt, shift }: KeyPress, isApple: boolean): string | null {
  // Alt is used only for Back and Forward, as in browsers.
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

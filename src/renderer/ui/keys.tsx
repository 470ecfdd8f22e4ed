/** Keyboard shortcuts on screen; `Mod` is the Command key on macOS and Ctrl elsewhere. */
import { type KeyAction, keysOf } from '../key-map.ts'

export const isApple =
  typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent)

/** Returns the caps of keys, such as `⌘` and `K`; a space separates the keys of a sequence. */
export function keyCaps(keys: string): readonly string[] {
  return keys.split(' ').flatMap((step) =>
    (step.length === 1 && step >= 'A' && step <= 'Z' ? `Shift+${step}` : step)
      .split('+')
      .map((key) => {
        if (key === 'Mod') return isApple ? '⌘' : 'Ctrl'
        if (key === 'Alt') return isApple ? '⌥' : 'Alt'
        if (key === 'Shift') return isApple ? '⇧' : 'Shift'
        return (
          {
            ArrowUp: '↑',
            ArrowDown: '↓',
            ArrowLeft: '←',
            ArrowRight: '→',
            Escape: 'Esc',
            PageUp: 'PgUp',
            PageDown: 'PgDn',
            ContextMenu: 'Menu',
          }[key] ?? (key.length === 1 && key !== step ? key.toUpperCase() : key)
        )
      }),
  )
}

/** Shows keys as caps; `spoken` in a sentence, hidden from screen readers beside a button. */
export function Keys({
  keys,
  spoken = false,
}: {
  readonly keys: string
  readonly spoken?: boolean
}) {
  return (
    <span className="inline-flex shrink-0 items-center gap-0.5" aria-hidden={!spoken}>
      {keyCaps(keys).map((cap, index) => (
        <kbd
          key={index}
          className="inline-flex h-[18px] min-w-[18px] items-center justify-center rounded-small border border-line bg-control px-1 font-mono text-tiny text-muted"
        >
          {cap}
        </kbd>
      ))}
    </span>
  )
}

export function ActionKeys({
  action,
  spoken = false,
}: {
  readonly action: KeyAction
  readonly spoken?: boolean
}) {
  return <Keys keys={keysOf(action)} spoken={spoken} />
}

/** A dialog over the page, its footer and its focus: it takes the focus, returns it, and closes with Esc. */
import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import {
  createContext,
  use,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'

/** Best first. Segmented choices (`role=radio`) come after text fields, because they already have a value. */
const ranks = [
  'input:not([type=radio], [type=checkbox], [type=file]), textarea, [role=combobox], [contenteditable=true]',
  'input[type=radio]:checked, input[type=checkbox]',
  'button[data-kind=primary]',
  'button[data-kind=plain]',
] as const

const isUsable = (element: HTMLElement) =>
  !element.matches(':disabled, [readonly]') && element.checkVisibility()

/** Null if there is neither a field nor such a button: the dialog is only for reading. */
function firstFocusOf(content: HTMLElement): HTMLElement | null {
  for (const rank of ranks) {
    const found = [...content.querySelectorAll<HTMLElement>(rank)].find(isUsable)
    if (found !== undefined) return found
  }
  return null
}

/** Whether the dialog around has a form with edits, which Esc and a click beside it don't discard unasked. */
const EditsContext = createContext<(areThere: boolean) => void>(() => undefined)

/** Tells the dialog around that there are edits. */
export function useEdits(areThere: boolean): void {
  const setEdits = use(EditsContext)
  // Before the next key: Esc right after the first letter must not discard it.
  useLayoutEffect(() => {
    setEdits(areThere)
    return () => setEdits(false)
  }, [setEdits, areThere])
}

export interface DialogProps {
  readonly title: string
  readonly description?: string
  readonly wide?: boolean
  /** Fills the window, with content up to its edges. */
  readonly large?: boolean
  /** The element to focus. Default: the result of `firstFocusOf`, unless the content took the focus itself (`useFirstFocus`). */
  readonly initialFocus?: RefObject<HTMLElement | null>
}

export function Dialog({
  open,
  onClose,
  title,
  description,
  wide = false,
  large = false,
  initialFocus,
  children,
}: DialogProps & {
  readonly open: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const content = useRef<HTMLDivElement>(null)
  const hasEdits = useRef(false)
  const [discarding, setDiscarding] = useState(false)
  const setEdits = useCallback((areThere: boolean) => {
    hasEdits.current = areThere
    if (!areThere) setDiscarding(false)
  }, [])
  /** The previously focused element, recorded before the content can take the focus. */
  const opener = useRef<Element | null>(null)
  useLayoutEffect(() => {
    if (open) opener.current = document.activeElement
  }, [open])
  return (
    <Base.Root
      open={open}
      onOpenChange={(next, { reason }) => {
        if (next) return
        const isUnasked = reason === 'escape-key' || reason === 'outside-press'
        if (isUnasked && hasEdits.current) setDiscarding(true)
        else onClose()
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-30 bg-scrim" />
        <Base.Popup
          data-dialog=""
          initialFocus={initialFocus ?? (() => beginningOf(content.current))}
          finalFocus={() => endOf(opener.current)}
          className={classNames(
            'fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-48px-2*var(--notice-height))] w-[calc(100vw-48px)] -translate-x-1/2 -translate-y-1/2 flex-col overflow-hidden rounded-control border border-line bg-surface shadow-overlay outline-none',
            large
              ? 'h-[min(880px,calc(100dvh-48px-2*var(--notice-height)))] max-w-[1240px]'
              : wide
                ? 'max-w-[720px]'
                : 'max-w-[520px]',
          )}
        >
          <header className="flex shrink-0 items-start gap-4 border-b border-line px-5 pt-4 pb-3">
            <div className="min-w-0 flex-1">
              <Base.Title className="text-title font-medium">{title}</Base.Title>
              {description !== undefined && (
                <Base.Description className="mt-0.5 text-small text-muted">
                  {description}
                </Base.Description>
              )}
            </div>
            <Base.Close
              aria-label="Close"
              className="-mt-1 -mr-2 inline-flex size-7 items-center justify-center rounded-control text-muted hover:bg-control hover:text-text"
            >
              <X size={15} />
            </Base.Close>
          </header>
          <div
            ref={content}
            tabIndex={-1}
            className={classNames(
              'outline-none',
              large
                ? 'flex min-h-0 flex-1 flex-col'
                : 'min-h-0 scroll-pb-16 overflow-auto px-5 py-4',
            )}
          >
            <EditsContext value={setEdits}>{children}</EditsContext>
          </div>
          {discarding && <Discard onDiscard={onClose} onKeep={() => setDiscarding(false)} />}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

function Discard({
  onDiscard,
  onKeep,
}: {
  readonly onDiscard: () => void
  readonly onKeep: () => void
}) {
  const first = useFirstFocus<HTMLButtonElement>()
  return (
    <div
      role="group"
      aria-label="Unsaved changes"
      className="flex shrink-0 flex-wrap items-center gap-2 border-t border-warn bg-warn-wash px-5 py-3"
    >
      <p className="min-w-0 flex-1 font-medium">Discard your changes?</p>
      <Button onClick={onKeep} ref={first}>
        Keep editing
      </Button>
      <Button kind="danger" onClick={onDiscard}>
        Discard
      </Button>
    </div>
  )
}

/** False if the content has the focus. Read-only content takes it itself, so that keys can scroll it. */
function beginningOf(content: HTMLElement | null): HTMLElement | boolean {
  if (content === null) return true
  return content.contains(document.activeElement) ? false : (firstFocusOf(content) ?? content)
}

/** True if the previously focused element (a palette or menu) no longer exists; the primitive remembers the focus before that. */
function endOf(opener: Element | null): HTMLElement | boolean {
  return opener instanceof HTMLElement && opener !== document.body && opener.isConnected
    ? opener
    : true
}

/** Focuses the dialog itself if the focused element disappears, now or within the next frames. */
const FRAMES = 3

/** `ready`: whether the element can be focused yet. A disabled button gets the focus once it is enabled. */
export function useFirstFocus<T extends HTMLElement>(ready = true): RefObject<T | null> {
  const element = useRef<T>(null)
  const given = useRef(false)
  useEffect(() => {
    if (!ready || given.current) return
    given.current = true
    element.current?.focus()
    let left = FRAMES
    const keep = () => {
      const { activeElement } = document
      // Returns the focus only if it is still near the dialog: someone who moved elsewhere stays there.
      if (activeElement !== element.current && activeElement?.contains(element.current) === true)
        element.current?.focus()
      if (--left > 0) requestAnimationFrame(keep)
    }
    requestAnimationFrame(keep)
  }, [ready])
  return element
}

/** Covers the dialog's bottom padding. */
const style =
  'sticky -bottom-4 -mx-5 -mb-4 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-surface px-5 py-3'

/** The footer of a dialog's form. It stays visible if the dialog is taller than the window. */
export function FormFoot({
  onCancel,
  action,
  busyWords,
  busy,
  disabled = false,
  danger = false,
  aside,
}: {
  /** Null for a form that isn't in a dialog. */
  readonly onCancel: (() => void) | null
  /** The submit button's label, and `busyWords` while submitting. */
  readonly action: string
  readonly busyWords: string
  readonly busy: boolean
  readonly disabled?: boolean
  readonly danger?: boolean
  /** An alternative action, on the other side. */
  readonly aside?: ReactNode
}) {
  return (
    <div className={onCancel === null ? 'flex' : style}>
      {aside}
      {onCancel !== null && <Button onClick={onCancel}>Cancel</Button>}
      <Button
        kind={danger ? 'danger' : 'primary'}
        type="submit"

        disabled={busy || disabled}
      >
        {busy ? busyWords : action}
      </Button>
    </div>
  )
}

/** `children`: an alternative action, on the other side. */
export function DoneFoot({
  onDone,
  children,
}: {
  readonly onDone: () => void
  readonly children?: ReactNode
}) {
  const first = useFirstFocus<HTMLButtonElement>()
  return (
    <div className={style}>
      {children}
      <Button kind="primary" onClick={onDone} ref={first}>
        Done
      </Button>
    </div>
  )
}

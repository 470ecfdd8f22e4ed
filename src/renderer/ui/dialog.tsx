/** A dialog over the page: it takes the focus, returns it, and closes with Esc. */
import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import {
  createContext,
  use,
  useCallback,
  useLayoutEffect,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { useFirstFocus } from './use-first-focus.ts'

/**
 * Selectors of what to focus, best first. Radio buttons come after text fields, because they
 * already have a value.
 */
const focusSelectors = [
  'input:not([type=radio], [type=checkbox], [type=file]), textarea, [role=combobox], [contenteditable=true]',
  'input[type=radio]:checked, input[type=checkbox]',
  'button[data-kind=primary]',
  'button[data-kind=plain]',
] as const

const isUsable = (element: HTMLElement) =>
  !element.matches(':disabled, [readonly]') && element.checkVisibility()

/** Returns the element to focus; null if the dialog is only for reading. */
function firstFocusOf(content: HTMLElement): HTMLElement | null {
  for (const selector of focusSelectors) {
    const element = [...content.querySelectorAll<HTMLElement>(selector)].find(isUsable)
    if (element !== undefined) return element
  }
  return null
}

/**
 * Setter of whether the content has edits: Esc and outside clicks then ask before discarding them.
 */
const EditsContext = createContext<(hasEdits: boolean) => void>(() => undefined)

export function useEdits(hasEdits: boolean): void {
  const setEdits = use(EditsContext)
  // A layout effect precedes the next key: Esc right after the first letter must not discard it.
  useLayoutEffect(() => {
    setEdits(hasEdits)
    return () => setEdits(false)
  }, [setEdits, hasEdits])
}

export interface DialogProps {
  readonly title: string
  readonly description?: ReactNode
  readonly wide?: boolean
  /** Whether the dialog fills the window, with content up to its edges. */
  readonly large?: boolean
  /**
   * Element to focus; by default that of `firstFocusOf`, unless the content took the focus
   * (`useFirstFocus`).
   */
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
  const setEdits = useCallback((isEdited: boolean) => {
    hasEdits.current = isEdited
    if (!isEdited) setDiscarding(false)
  }, [])
  /** Element that had the focus before the content could take it. */
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
          initialFocus={initialFocus ?? (() => initialFocusOf(content.current))}
          finalFocus={() => finalFocusOf(opener.current)}
          className={classNames(
            'fixed top-1/2 left-1/2 z-40 flex max-h-[calc(100dvh-48px-2*var(--notice-height))] w-[calc(100vw-48px)] -translate-x-1/2 -translate-y-1/2 flex-col overflow-hidden rounded-control border border-line bg-surface shadow-overlay outline-none',
            large
              ? 'h-[min(880px,calc(100dvh-48px-2*var(--notice-height)))] max-w-[1240px]'
              : wide
                ? 'max-w-[720px]'
                : 'max-w-[520px]',
          )}
        >
          <DialogHeader title={title} description={description} large={large} />
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

function DialogHeader({
  title,
  description,
  large,
}: {
  readonly title: string
  readonly description: ReactNode
  readonly large: boolean
}) {
  return (
    <header
      className={classNames(
        'flex shrink-0 gap-4 border-b border-line px-5',
        large ? 'min-h-12 items-center' : 'items-start pt-4 pb-3',
      )}
    >
      <div className={classNames('min-w-0 flex-1', large && 'flex items-center gap-3')}>
        <Base.Title className="shrink-0 text-title font-medium">{title}</Base.Title>
        {description !== undefined && (
          <Base.Description
            className={classNames('text-small text-muted', large ? 'min-w-0 truncate' : 'mt-0.5')}
          >
            {description}
          </Base.Description>
        )}
      </div>
      <Base.Close
        aria-label="Close"
        className={classNames(
          '-mr-2 inline-flex size-7 shrink-0 items-center justify-center rounded-control text-muted hover:bg-control hover:text-text',
          !large && '-mt-1',
        )}
      >
        <X size={15} />
      </Base.Close>
    </header>
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

/** Returns the element to focus at first; false if the content has the focus already. */
function initialFocusOf(content: HTMLElement | null): HTMLElement | boolean {
  if (content === null) return true
  return content.contains(document.activeElement) ? false : (firstFocusOf(content) ?? content)
}

/** Returns the element to focus at the end; true (the primitive's choice) if the opener is gone. */
function finalFocusOf(opener: Element | null): HTMLElement | boolean {
  return opener instanceof HTMLElement && opener !== document.body && opener.isConnected
    ? opener
    : true
}

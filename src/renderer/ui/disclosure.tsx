/** A collapsible section whose content is rendered only while it is open. */
import { ChevronRight } from 'lucide-react'
import { useId, useState, type KeyboardEventHandler, type ReactNode } from 'react'

export function Disclosure({
  title,
  note,
  openAtFirst = false,
  children,
}: {
  readonly title: string
  readonly note?: string
  readonly openAtFirst?: boolean
  readonly children: ReactNode
}) {
  const [open, setOpen] = useState(openAtFirst)
  const id = useId()
  return (
    <section className="border-t border-line">
      <h3>
        <DisclosureButton open={open} content={id} onToggle={setOpen} className="gap-2 px-5">
          <span className="flex min-w-0 flex-wrap items-baseline gap-x-2">
            <span className="font-medium">{title}</span>
            {note !== undefined && (
              <span className="text-small font-normal text-subtle">{note}</span>
            )}
          </span>
        </DisclosureButton>
      </h3>
      {open && (
        <div id={id} className="px-5 pt-1 pb-5 pl-[42px] @max-[480px]:pl-5">
          {children}
        </div>
      )}
    </section>
  )
}

/**
 * Renders the button that toggles a section; the class `flex-row-reverse` puts its arrow at the
 * end.
 */
export function DisclosureButton({
  open,
  content,
  onToggle,
  onKeyDown,
  className,
  children,
}: {
  readonly open: boolean
  /** Id of the content, which exists only while open. */
  readonly content: string
  readonly onToggle: (open: boolean) => void
  readonly onKeyDown?: KeyboardEventHandler
  readonly className: string
  readonly children: ReactNode
}) {
  return (
    <button
      type="button"
      aria-expanded={open}
      aria-controls={open ? content : undefined}
      onClick={() => onToggle(!open)}
      onKeyDown={onKeyDown}
      className={`flex min-h-9 w-full items-center py-1.5 text-left outline-offset-[-2px] hover:bg-raised ${className}`}
    >
      <ChevronRight
        size={14}
        className={`shrink-0 text-subtle transition-transform ${open ? 'rotate-90' : ''}`}
      />
      {children}
    </button>
  )
}

/** Parts of a handler's page that other screens use too, and the look of its sections. */
import { CircleCheck, CircleQuestionMark, CircleX, type LucideIcon } from 'lucide-react'
import type { ReactNode, Ref } from 'react'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { UrlText } from '../../ui/exact-text.tsx'
import { LoadProblem } from '../../ui/message.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { reachabilityOf, type Reachability } from './handler-facts.ts'

const styles: Readonly<
  Record<Reachability['tone'], { readonly Icon: LucideIcon; readonly className: string }>
> = {
  good: { Icon: CircleCheck, className: 'text-ok' },
  bad: { Icon: CircleX, className: 'text-bad' },
  neutral: { Icon: CircleQuestionMark, className: 'text-muted' },
}

export function ReachabilityMark({ handler }: { readonly handler: SavedHandler }) {
  const probe = useApp((state) => state.handlers.probes[handler.id] ?? null)
  const { tone, word } = reachabilityOf(probe)
  const { Icon, className } = styles[tone]
  return (
    <span className={`flex min-w-0 items-center gap-1 text-small font-medium ${className}`}>
      <Icon size={14} className="shrink-0" />
      <span className="truncate">{visibleText(word)}</span>
    </span>
  )
}

export function SigningFacts({ handler }: { readonly handler: SavedHandler }) {
  const hook = useApp((state) => state.core.hooks.find(({ id }) => id === handler.hookId))
  const { registeredUrl, hasSecret, url } = handler
  return (
    <>
      <dt className="text-subtle">Registered URL</dt>
      <dd className="data wrap-anywhere">
        <UrlText
          url={registeredUrl ?? hook?.url ?? (hasSecret ? url : "Each hook's registered URL")}
        />
      </dd>
      <dt className="text-subtle">Secret</dt>
      <dd className="wrap-anywhere text-muted">
        {hook === undefined ? (
          hasSecret ? (
            "The handler's own"
          ) : (
            "None: each delivery's hook signs"
          )
        ) : (
          <>
            {hook.secretHint !== null && (
              <span className="data text-text">{visibleText(hook.secretHint)} </span>
            )}
            from the {visibleText(hook.event)} hook
          </>
        )}
      </dd>
    </>
  )
}

/** Shows a section of a page: name, note and action in one line, then its rows. */
export function PageSection({
  name,
  note,
  action,
  ref,
  children,
}: {
  readonly name: string
  readonly note?: ReactNode
  readonly action?: ReactNode
  readonly ref?: Ref<HTMLElement> | undefined
  readonly children?: ReactNode
}) {
  return (
    <section ref={ref} aria-label={name} className="min-w-0 border-t border-line first:border-t-0">
      <div className="flex min-h-10 flex-wrap items-center gap-3 px-5 py-1">
        <h3 className="font-medium">{name}</h3>
        <span className="min-w-0 flex-1 truncate text-small text-subtle">{note}</span>
        {action}
      </div>
      {children}
    </section>
  )
}

export const rowStyle = 'flex h-7 w-full items-center gap-2 border-t border-line/50 px-5 text-left'

/** Shows a row with the result of a check's group or of a flow, linked to its details. */
export function ResultRow({
  name,
  isFailed,
  words,
  onClick,
}: {
  readonly name: string
  readonly isFailed: boolean
  readonly words: string
  readonly onClick: () => void
}) {
  const Icon = isFailed ? CircleX : CircleCheck
  return (
    <button
      type="button"
      className={`${rowStyle} h-auto min-h-7 flex-wrap py-0.5 hover:bg-raised`}
      onClick={onClick}
    >
      <Icon size={14} className={`shrink-0 ${isFailed ? 'text-bad' : 'text-ok'}`} />
      <span className={`min-w-0 flex-1 ${isFailed ? 'font-medium' : 'text-muted'}`}>{name}</span>
      <span
        className={`max-w-full text-right text-small wrap-anywhere empty:hidden ${isFailed ? 'text-bad' : 'text-muted'}`}
      >
        {words}
      </span>
    </button>
  )
}

/** Shows that a part of the page still loads, or why it couldn't. */
export function LoadingPart({
  what,
  problem,
  readAgain,
}: {
  /** Noun of the part: `check`. */
  readonly what: string
  readonly problem: string | null
  readonly readAgain: () => void
}) {
  return (
    <div className="px-5 py-3">
      {problem === null ? (
        <div role="status" aria-label={`Loading ${what}`} className="late skeleton h-10" />
      ) : (
        <LoadProblem
          isPart
          title={`Couldn't load the ${what}`}
          problem={problem}
          onAgain={readAgain}
        />
      )}
    </div>
  )
}

export function EmptySection({ children }: { readonly children: ReactNode }) {
  return <p className="border-t border-line/50 px-5 py-2 text-small text-muted">{children}</p>
}

export function HeadingLink({
  onClick,
  disabled = false,
  children,
}: {
  readonly onClick: () => void
  readonly disabled?: boolean
  readonly children: ReactNode
}) {
  return (
    <button
      type="button"
      onClick={onClick}
      disabled={disabled}
      className="min-h-6 shrink-0 rounded-small text-small font-medium text-accent hover:underline disabled:opacity-60"
    >
      {children}
    </button>
  )
}

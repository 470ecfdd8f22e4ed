/**
 * Text in an editor, and the difference between two texts. The editor is loaded when first shown.
 */
import { CircleX } from 'lucide-react'
import { lazy, Suspense, useId, useMemo, useState, type ReactNode } from 'react'
import { classNames } from './class-names.ts'
import { QuotedText } from './finding-text.tsx'

const Editor = lazy(async () => ({ default: (await import('./code-mirror.tsx')).Editor }))
const Merge = lazy(async () => ({ default: (await import('./code-mirror.tsx')).Merge }))

export interface CodeProblem {
  readonly message: string
  /** Index of the character concerned; null for the whole text. */
  readonly at: number | null
}

/** A changed value, whose line is marked. */
export interface ChangedValue {
  /** Index of the value in the text. */
  readonly at: number
  /** The value before; empty for an added one. */
  readonly was: string
}

export interface CodeProps {
  readonly label: string
  readonly text: string
  /** Whether it is colored as JSON, whose objects and arrays can be folded. */
  readonly json: boolean
  readonly wrap?: boolean
  /** Called with the text after each change; without it, the text is read-only. */
  readonly onText?: ((text: string) => void) | undefined
  /** Whether a `text` set later, such as by a button, can be undone. */
  readonly undoable?: boolean
  readonly onLeave?: () => void
  readonly problems?: readonly CodeProblem[]
  readonly changes?: readonly ChangedValue[]
  /** Checked values by position, and whether each is as expected; marked beside the lines. */
  readonly marks?: ReadonlyMap<number, boolean>
  /** Position to scroll to; a new object each time. */
  readonly reveal?: { readonly at: number } | null
  /** Whether the search panel is open; left out, the editor decides. */
  readonly search?: boolean
  readonly onSearch?: (open: boolean) => void
  /** Most rows to grow to with the text; without it, the editor fills its container. */
  readonly mostRows?: number
  readonly className?: string
}

const noProblems: readonly CodeProblem[] = []

/** Most characters of a line; longer ones are laid out too slowly. */
const LONGEST_LINE = 200_000

function withLinesCut(text: string): string {
  if (text.length <= LONGEST_LINE) return text
  return text
    .split('\n')
    .map((line) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line))
    .join('\n')
}

export function Code({ className, problems = noProblems, mostRows, ...props }: CodeProps) {
  const about = useId()
  const [requestedReveal, setRequestedReveal] = useState<{ readonly at: number } | null>(null)
  const isEditable = props.onText !== undefined
  const text = useMemo(
    () => (isEditable ? props.text : withLinesCut(props.text)),
    [isEditable, props.text],
  )
  return (
    <div
      className={classNames('flex min-h-0 flex-col', mostRows === undefined && 'h-full', className)}
    >
      <div
        className="min-h-0 flex-1"
        style={mostRows === undefined ? undefined : { maxHeight: mostRows * 20 + 12 }}
      >
        <Loading>
          <Editor
            {...props}
            text={text}
            problems={problems}
            about={about}
            reveal={requestedReveal ?? props.reveal ?? null}
          />
        </Loading>
      </div>
      {text !== props.text && (
        <p className="shrink-0 border-t border-line bg-raised px-4 py-1.5 text-small text-muted">
          Lines are cut after {LONGEST_LINE.toLocaleString('en')} characters. "Copy" and "Save"
          include all.
        </p>
      )}
      {isEditable && (
        <div id={about} role="status" className="shrink-0 empty:hidden">
          {problems.map((problem) => (
            <Problem
              key={problem.message}
              problem={problem}
              onShow={() => setRequestedReveal({ at: problem.at ?? 0 })}
            />
          ))}
        </div>
      )}
    </div>
  )
}

function Problem({
  problem: { message, at },
  onShow,
}: {
  readonly problem: CodeProblem
  readonly onShow: () => void
}) {
  return (
    <p className="flex items-start gap-2 border-t border-line bg-bad-wash px-4 py-1.5 text-small text-bad">
      <CircleX size={13} className="mt-0.5 shrink-0" />
      <span className="min-w-0 flex-1 wrap-anywhere">
        <QuotedText text={message} />
      </span>
      {at !== null && (
        <button
          type="button"
          className="-my-1 shrink-0 rounded-small py-1 underline"
          onClick={onShow}
        >
          Go to error
        </button>
      )}
    </p>
  )
}

export interface DifferenceProps {
  readonly label: string
  readonly before: string
  readonly after: string
  readonly json: boolean
  /** Whether the texts are side by side rather than stacked. */
  readonly split: boolean
  /** Whether unchanged lines are shown too. */
  readonly isWhole?: boolean
  /** Index of the difference to scroll to. */
  readonly at: number
  readonly onCount?: (count: number) => void
}

/** Shows the difference between two texts line by line; long unchanged stretches are folded. */
export function Difference(props: DifferenceProps) {
  return (
    <Loading>
      <Merge {...props} />
    </Loading>
  )
}

function Loading({ children }: { readonly children: ReactNode }) {
  return (
    <Suspense
      fallback={
        <div role="status" aria-label="Loading the text" className="late m-5 skeleton h-16" />
      }
    >
      {children}
    </Suspense>
  )
}

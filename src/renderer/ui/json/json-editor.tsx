/**
 * A JSON editor: a plain text area under a syntax-colored copy of its text that lets clicks through, both wrapped at the same places.
 * Invalid lines are marked, with the reason below; clicking it jumps there.
 */
import { CircleX } from 'lucide-react'
import { Fragment, memo, useId, useRef, type ReactNode } from 'react'
import { placeAt } from '../../../shared/json/scan.ts'
import { classNames } from '../class-names.ts'
import { ExactText } from '../exact-text.tsx'
import { QuotedText } from '../finding-text.tsx'
import { layOutJson } from './json-rows.ts'

const tokenPattern =
  /("(?:[^"\\\n]|\\.)*"?)(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b|[{}[\],]/g

interface Piece {
  readonly text: string
  readonly look: string | null
}

/** The text in pieces. Whitespace and invalid parts stay unstyled. */
function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let from = 0
  const push = (part: string, look: string | null) => {
    if (part !== '') pieces.push({ text: part, look })
  }
  for (const match of text.matchAll(tokenPattern)) {
    const [whole, string, colon] = match
    push(text.slice(from, match.index), null)
    if (string !== undefined) {
      push(string, colon === undefined ? 'text-code-string' : 'text-code-key')
      push(colon ?? '', 'text-subtle')
    } else push(whole, lookOf(whole))
    from = match.index + whole.length
  }
  push(text.slice(from), null)
  return pieces
}

function lookOf(token: string): string {
  if (/^[-\d]/.test(token)) return 'text-code-number'
  return token.length === 1 ? 'text-subtle' : 'text-code-word'
}

/** `exact`: draws invisible characters as escapes. Not under a text area, whose caret counts the original characters. */
export function JsonText({
  text,
  exact = true,
}: {
  readonly text: string
  readonly exact?: boolean
}) {
  return piecesOf(text).map((piece, index) => {
    const shown = exact && piece.text.trim() !== '' ? <ExactText text={piece.text} /> : piece.text
    return piece.look === null ? (
      <Fragment key={index}>{shown}</Fragment>
    ) : (
      <span key={index} className={piece.look}>
        {shown}
      </span>
    )
  })
}

export type ReadJson =
  | { readonly ok: true; readonly value: Readonly<Record<string, unknown>> }
  /** `at` is the index of the first unexpected character. */
  | { readonly ok: false; readonly at: number; readonly message: string }

/** Why a text isn't JSON, with the exact position of the first mistake; null if it is JSON. */
export function jsonMistake(
  text: string,
): { readonly at: number; readonly message: string } | null {
  const layout = layOutJson(text, Number.POSITIVE_INFINITY)
  if (layout.outcome === 'json') return null
  const at = layout.outcome === 'not-json' ? layout.at : text.trimEnd().length
  const { line, column } = placeAt(text, at)
  const found = text.slice(at, at + 12).split('\n')[0] ?? ''
  const message = `Invalid JSON at ${line}:${column}: unexpected ${found === '' ? 'end' : `\`${found}\``}.`
  return { at, message }
}

/** Parses an object. The position of the first mistake is exact. */
export function readJsonObject(text: string): ReadJson {
  const mistake = jsonMistake(text)
  if (mistake !== null) return { ok: false, ...mistake }
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { ok: false, at: 0, message: 'Expected an object: { … }.' }
  return { ok: true, value: value as Readonly<Record<string, unknown>> }
}

export interface EditorProblem {
  readonly message: string
  /** The character concerned; null for the whole text. */
  readonly at: number | null
}

const EditorLine = memo(function EditorLine({
  number,
  text,
  exact,
  isMarked,
  changed,
}: {
  readonly number: number
  readonly text: string
  readonly exact: boolean
  readonly isMarked: boolean
  readonly changed?: ReactNode
}) {
  return (
    <div
      className={classNames('relative min-h-5 pr-6 pl-14', changed !== undefined && 'bg-accent/8')}
    >
      <span
        className={classNames(
          'absolute inset-y-0 left-0 w-11 pr-3 text-right text-subtle select-none',
          isMarked && 'bg-bad-wash font-medium text-bad',
          changed !== undefined && 'border-r-3 border-accent',
        )}
      >
        {number}
      </span>
      <JsonText text={text} exact={exact} />
      {changed}
    </div>
  )
})

export function JsonEditor({
  label,
  text,
  onText,
  onLeave,
  problems,
  readOnly = false,
  className,
  changed,
}: {
  readonly label: string
  readonly text: string
  readonly onText: (text: string) => void
  readonly onLeave?: () => void
  readonly problems: readonly EditorProblem[]
  readonly readOnly?: boolean
  readonly className?: string
  /** Changed lines, counting from 1, each with what follows its text: only for the eye and the pointer. */
  readonly changed?: ReadonlyMap<number, ReactNode>
}) {
  const field = useRef<HTMLTextAreaElement>(null)
  const about = useId()
  const lines = text.split('\n')
  const marked = new Set(
    problems.flatMap(({ at }) => (at === null ? [] : [placeAt(text, at).line])),
  )
  const goTo = (at: number) => {
    field.current?.focus()
    field.current?.setSelectionRange(at, Math.min(text.length, at + 1))
  }
  return (
    <div className={classNames('flex min-h-0 flex-col', className)}>
      <div className="relative min-h-0 flex-1 has-[textarea:focus-visible]:after:pointer-events-none has-[textarea:focus-visible]:after:absolute has-[textarea:focus-visible]:after:inset-0 has-[textarea:focus-visible]:after:z-20 has-[textarea:focus-visible]:after:shadow-[inset_0_0_0_2px_var(--accent)]">
        <div className="data h-full overflow-x-hidden overflow-y-auto bg-ground">
          <div className="grid min-h-full grid-cols-[minmax(0,1fr)] py-2 leading-5 wrap-anywhere whitespace-pre-wrap">
            <pre
              aria-hidden
              className="pointer-events-none relative col-start-1 row-start-1 font-[inherit] whitespace-pre-wrap"
            >
              {lines.map((line, index) => (
                <EditorLine
                  key={index}
                  number={index + 1}
                  text={line}
                  exact={readOnly}
                  isMarked={marked.has(index + 1)}
                  changed={changed?.get(index + 1)}
                />
              ))}
            </pre>
            <textarea
              ref={field}
              aria-label={label}
              aria-invalid={problems.length > 0}
              aria-describedby={about}
              readOnly={readOnly}
              spellCheck={false}
              autoComplete="off"
              value={text}
              onChange={(event) => onText(event.currentTarget.value)}
              onBlur={onLeave}
              className="col-start-1 row-start-1 size-full resize-none overflow-hidden bg-transparent pr-6 pl-14 wrap-anywhere whitespace-pre-wrap [-webkit-text-fill-color:transparent] caret-text outline-none"
            />
          </div>
        </div>
      </div>
      <div id={about} role="status" className="shrink-0 empty:hidden">
        {problems.map(({ message, at }) => (
          <p
            key={message}
            className="flex items-start gap-2 border-t border-line bg-bad-wash px-4 py-1.5 text-small text-bad"
          >
            <CircleX size={13} aria-hidden className="mt-0.5 shrink-0" />
            <span className="min-w-0 flex-1 wrap-anywhere">
              <QuotedText text={message} />
            </span>
            {at !== null && (
              <button
                type="button"
                className="shrink-0 rounded-small underline"
                onClick={() => goTo(at)}
              >
                Go to error
              </button>
            )}
          </p>
        ))}
      </div>
    </div>
  )
}

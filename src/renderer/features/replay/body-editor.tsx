/** The body in the composer: editor, and differences from the captured one. */
import { CircleAlert, CircleCheck } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { formattedPair } from '../../../shared/diff/compare-bodies.ts'
import { formatJson, placeInFormatted } from '../../../shared/json/format.ts'
import { explainInvalidJson } from '../../../shared/json/scan.ts'
import { checkPayload } from '../../../shared/service/payload.ts'
import { counted } from '../../../shared/text/english.ts'
import { Button } from '../../ui/button.tsx'
import { Code, Difference } from '../../ui/code.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { LONGEST_EDITED, type Captured } from './draft.ts'
import type { DraftChange } from './draft-changes.ts'
import { sentText } from './sent-text.ts'

interface BodyEditorProps {
  /** Text to send. */
  readonly text: string
  /** Whether the original is JSON. */
  readonly isJson: boolean
  /** Whether the editor adds line breaks that aren't sent. */
  readonly isFormatted: boolean
  readonly changes: readonly DraftChange[]
  /** Event whose schema the body should match; null if unknown. */
  readonly event: string | null
  readonly onText: (text: string) => void
}

const formatted = (text: string) => ({ base: text, sent: text, shown: formatJson(text) ?? text })

/** Returns the text to show, and a callback for an edit of it, which may add only layout. */
function useShownText({ text, isFormatted, onText }: BodyEditorProps) {
  const [kept, setKept] = useState(() => formatted(text))
  const current = useMemo(
    () => (kept.sent === text || !isFormatted ? kept : formatted(text)),
    [kept, text, isFormatted],
  )
  if (!isFormatted) return { shown: text, edit: onText }
  return {
    shown: current.shown,
    edit(shown: string) {
      // Compared with the same base each time, so that undone edits restore its whitespace.
      const sent = sentText(current.base, shown)
      setKept({ base: current.base, sent, shown })
      onText(sent)
    },
  }
}

export function BodyEditor(props: BodyEditorProps) {
  const { text, isJson, isFormatted, changes, event } = props
  const { shown, edit } = useShownText(props)
  const mistake = shown.trim() === '' || !isJson ? null : explainInvalidJson(shown)
  const places = changes.flatMap(({ at, before }) =>
    at === null
      ? []
      : { at: isFormatted ? placeInFormatted(text, shown, at) : at, was: before ?? '' },
  )
  return (
    <div className="@container flex h-full flex-col">
      <Code
        key={String(isFormatted)}
        label="Body"
        className="flex-1"
        text={shown}
        json={isJson}
        onText={edit}
        undoable
        changes={places}
        problems={mistake === null ? [] : [mistake]}
      />
      <p
        role="status"
        className="flex min-h-8 shrink-0 items-center gap-x-4 border-t border-line px-5 py-1 text-small text-muted"
      >
        {isJson && mistake === null && (
          <>
            <span className="flex shrink-0 items-center gap-1.5">
              <CircleCheck size={13} className="text-ok" />
              Valid JSON
            </span>
            <SchemaMark event={event} text={text} />
          </>
        )}
        {isJson && mistake !== null && <span>Not JSON, sent as written</span>}
        <span className="ml-auto shrink-0">
          {!isFormatted
            ? 'Sent as written, '
            : text.includes('\n')
              ? 'Sent with its own line breaks, '
              : 'Sent without line breaks, '}
          <span className="data text-text">{bytesIn(text)}</span> bytes
        </span>
      </p>
    </div>
  )
}

/** Shows whether the body matches its event's schema, shortly after typing. */
function SchemaMark({ event, text }: Pick<BodyEditorProps, 'event' | 'text'>) {
  const checked = useDeferredValue(text)
  const { outcome, failures } = useMemo(() => checkPayload(event, checked), [event, checked])
  if (event === null || (outcome !== 'ok' && outcome !== 'issues')) return null
  if (outcome === 'ok')
    return <span className="truncate @max-[520px]:hidden">Matches the {event} schema</span>
  return (
    <span
      className="flex min-w-0 items-center gap-1.5"
      title={failures
        .slice(0, MAX_NAMED_ERRORS)
        .map(({ message }) => visibleText(message))
        .join('\n')}
    >
      <CircleAlert size={13} className="shrink-0 text-bad" />
      <span className="min-w-0 truncate">
        <span className="text-bad">{counted(failures.length, 'schema error')}:</span>{' '}
        <QuotedText text={failures[0]?.message ?? ''} />
      </span>
    </span>
  )
}

/** Schema errors that the hint names. */
const MAX_NAMED_ERRORS = 5

const bytesIn = (text: string) => new TextEncoder().encode(text).length.toLocaleString('en')

/**
 * Shows the differences between the captured body and the draft's, as formatted JSON if possible.
 */
export function BodyDiff({ original, text }: { readonly original: string; readonly text: string }) {
  const { left: before, right: after } = useMemo(
    () => formattedPair({ left: original, right: text }),
    [original, text],
  )
  if (text === original)
    return <p className="px-5 py-4 text-muted">No changes. Sends the original bytes.</p>
  if (before === after) return <p className="px-5 py-4 text-muted">Only whitespace differs.</p>
  return (
    <Difference
      label="Changes to the body"
      before={before}
      after={after}
      json
      split={false}
      at={0}
    />
  )
}

export function NoEditableBody({
  captured: { delivery },
  onReplace,
}: {
  readonly captured: Captured
  readonly onReplace: () => void
}) {
  const reason = delivery.truncated
    ? "Only the start of the body was stored, so the delivery can't be replayed unchanged."
    : delivery.bodySize > LONGEST_EDITED
      ? 'Body too long to edit here. Sent as captured.'
      : 'Binary body. Sent as captured.'
  return (
    <div className="px-5 py-4">
      <p className="text-muted">{reason}</p>
      <Button className="mt-3" onClick={onReplace}>
        Replace body
      </Button>
    </div>
  )
}

/** The body in the composer: editor, and differences from the captured one. */
import { CircleAlert, CircleCheck } from 'lucide-react'
import { useDeferredValue, useMemo } from 'react'
import { formattedPair } from '../../../shared/diff/compare-bodies.ts'
import { explainInvalidJson } from '../../../shared/json/scan.ts'
import { checkPayload } from '../../../shared/service/payload.ts'
import { counted } from '../../../shared/text/english.ts'
import { Button } from '../../ui/button.tsx'
import { Code, Difference } from '../../ui/code.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { LONGEST_EDITED, type Captured } from './draft.ts'

interface BodyEditorProps {
  readonly text: string
  readonly original: string | null
  /** Whether the original is JSON. */
  readonly isJson: boolean
  /** Event whose schema the body should match; null if unknown. */
  readonly event: string | null
  readonly onText: (text: string) => void
}

export function BodyEditor({ text, original, isJson, event, onText }: BodyEditorProps) {
  const mistake = text.trim() === '' || !isJson ? null : explainInvalidJson(text)
  return (
    <div className="flex h-full flex-col">
      <Code
        label="Body"
        className="flex-1"
        text={text}
        json={isJson}
        onText={onText}
        undoable
        problems={mistake === null ? [] : [mistake]}
      />
      <p
        role="status"
        className="flex min-h-8 shrink-0 flex-wrap items-center gap-x-4 border-t border-line px-5 py-1 text-small text-muted"
      >
        {isJson && mistake === null && (
          <span className="flex items-center gap-1.5">
            <CircleCheck size={13} className="text-ok" />
            Valid JSON
          </span>
        )}
        {isJson && mistake === null && <SchemaMark event={event} text={text} />}
        {isJson && mistake !== null && <span>Not JSON, sent as written</span>}
        <span className="ml-auto">
          <SentSize text={text} original={original} />
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
  const isOk = outcome === 'ok'
  const Icon = isOk ? CircleCheck : CircleAlert
  return (
    <span
      className="flex min-w-0 items-center gap-1.5"
      title={failures
        .slice(0, MAX_NAMED_ERRORS)
        .map(({ message }) => visibleText(message))
        .join('\n')}
    >
      <Icon size={13} className={isOk ? 'text-ok' : 'text-bad'} />
      {isOk ? `Matches the ${event} schema` : counted(failures.length, 'schema error')}
    </span>
  )
}

/** Schema errors that the hint names. */
const MAX_NAMED_ERRORS = 5

const bytesIn = (text: string) => new TextEncoder().encode(text).length.toLocaleString('en')

function SentSize({ text, original }: Pick<BodyEditorProps, 'text' | 'original'>) {
  const size = <span className="data text-text">{bytesIn(text)}</span>
  if (text === original) return <>Original bytes, {size} sent</>
  return (
    <>
      {original !== null && (
        <>
          <span className="data">{bytesIn(original)}</span> →{' '}
        </>
      )}
      {size} bytes, sent as written
    </>
  )
}

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

/** The request in the composer: body, headers and preview. */
import { CircleAlert, CircleCheck } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import type { InputOf, OutputOf } from '../../../shared/contract/contract.ts'
import { formattedPair } from '../../../shared/diff/compare-bodies.ts'
import { formatJson } from '../../../shared/json/format.ts'
import { jsonMistake } from '../../../shared/json/scan.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import { headerProblem } from '../../../shared/http.ts'
import { checkPayload } from '../../../shared/service/payload.ts'
import { counted, listed } from '../../../shared/text/counted.ts'
import { DEFAULT_PREFIX, headerNames } from '../../../shared/service/header-rules.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { Code, Difference } from '../../ui/code.tsx'
import { Segments } from '../../ui/segments.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { headerLines, LONGEST_EDITED, type Captured, type Draft } from './draft.ts'
import { utf8Text } from '../../../shared/body/encoding.ts'
import { fromBase64 } from '../../ui/bytes.ts'
import { useRead } from '../../core-data/use-read.ts'
import { QuotedText } from '../../ui/finding-text.tsx'
import { byteCount } from '../../ui/moment.ts'
import { useSettled } from '../../ui/use-form.ts'

type View = 'body' | 'diff' | 'headers' | 'request'

/** A body can be compared if it and the captured one are text. */
const viewsOf = (hasDiff: boolean): readonly { value: View; label: string }[] => [
  { value: 'body', label: 'Body' },
  ...(hasDiff ? [{ value: 'diff', label: 'Diff' } as const] : []),
  { value: 'headers', label: 'Headers' },
  { value: 'request', label: 'Preview' },
]

export interface RequestPaneProps {
  readonly draft: Draft
  readonly captured: Captured
  readonly onChange: (part: Partial<Draft>) => void
  readonly previewInput: InputOf<'replay.preview'>
}

/** Whether this is the header of a signature or a timestamp under any environment's prefix. */
function isHeader(
  kind: 'signature' | 'timestamp',
  name: string,
  environments: readonly Environment[],
): boolean {
  return [DEFAULT_PREFIX, ...environments.map(({ prefix }) => prefix)].some(
    (prefix) => headerNames(prefix)[kind] === name.toLowerCase(),
  )
}

export const isTimestamp = (name: string, environments: readonly Environment[]) =>
  isHeader('timestamp', name, environments)

/** Whether a header's value is replaced or left out on send. */
function isSetOnSend(
  name: string,
  { signature, timestamp }: Draft,
  environments: readonly Environment[],
): boolean {
  if (signature === 'keep') return false
  return (
    isHeader('signature', name, environments) ||
    (timestamp === 'now' && isTimestamp(name, environments))
  )
}

/** The headers as text, one per line, in order and with duplicates. */
function HeadersEditor({
  draft,
  environments,
  onChange,
}: Pick<RequestPaneProps, 'draft' | 'onChange'> & {
  readonly environments: readonly Environment[]
}) {
  const lines = headerLines(draft.headers)
  const made = lines.filter(({ name }) => isSetOnSend(name, draft, environments))
  const problems = lines.flatMap((line) => {
    const message = made.includes(line) ? null : headerProblem(line.name, line.value)
    return message === null ? [] : [{ at: line.at, message }]
  })
  return (
    <div className="flex h-full flex-col">
      <Code
        label="Headers"
        className="flex-1"
        text={draft.headers}
        json={false}
        onText={(headers) => onChange({ headers })}
        undoable
        problems={problems}
      />
      <p className="shrink-0 border-t border-line px-5 py-1.5 text-small text-muted">
        Host, Connection and Content-Length are set automatically.
        {made.length > 0 &&
          ` ${listed(
            made.map(({ name }) => name),
            'and',
          )} ${made.length === 1 ? 'is' : 'are'} ${draft.signature === 'drop' ? 'set or omitted' : 'set'} on send.`}
      </p>
    </div>
  )
}

export function RequestPane({ draft, captured, onChange, previewInput }: RequestPaneProps) {
  const environments = useApp((state) => state.core.environments)
  const [view, setView] = useState<View>('body')
  const { text } = draft
  const original = captured.original.text
  const isJson = original !== null && jsonMistake(original) === null
  const hasDiff = text !== null && original !== null
  return (
    <>
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-2 border-b border-line px-5 py-1.5">
        <Segments label="Request view" options={viewsOf(hasDiff)} value={view} onChange={setView} />
        <span className="flex-1" />
        {view === 'body' && hasDiff && (
          <>
            {isJson && (
              <Button onClick={() => onChange({ text: formatJson(text) ?? text })}>Format</Button>
            )}
            <Button onClick={() => onChange({ text: original })}>Original</Button>
          </>
        )}
      </div>
      <div className="min-h-0 flex-1">
        {view === 'body' && text === null && (
          <NoText captured={captured} onReplace={() => onChange({ text: '' })} />
        )}
        {view === 'diff' && hasDiff && <BodyDiff original={original} text={text} />}
        {text !== null && (
          // Hidden rather than removed, so that edits can still be undone later.
          <div className="h-full" hidden={view !== 'body'}>
            <BodyEditor
              text={text}
              original={original}
              isJson={isJson}
              event={captured.delivery.event}
              onText={(next) => onChange({ text: next })}
            />
          </div>
        )}
        <div className="h-full" hidden={view !== 'headers'}>
          <HeadersEditor draft={draft} environments={environments} onChange={onChange} />
        </div>
        {view === 'request' && <PreviewView input={previewInput} />}
      </div>
    </>
  )
}

interface BodyEditorProps {
  readonly text: string
  readonly original: string | null
  /** Whether the original is JSON. */
  readonly isJson: boolean
  /** Whose schema the body should match; null if unknown. */
  readonly event: string | null
  readonly onText: (text: string) => void
}

function BodyEditor({ text, original, isJson, event, onText }: BodyEditorProps) {
  const mistake = text.trim() === '' || !isJson ? null : jsonMistake(text)
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

/** Whether the body matches its event's schema, shortly after typing. */
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
        .slice(0, MOST_NAMED)
        .map(({ message }) => visibleText(message))
        .join('\n')}
    >
      <Icon size={13} className={isOk ? 'text-ok' : 'text-bad'} />
      {isOk ? `Matches the ${event} schema` : counted(failures.length, 'schema error')}
    </span>
  )
}

/** How many schema errors the hint names. */
const MOST_NAMED = 5

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

/** The captured body against the one that is sent, line by line, as JSON with one field per line. */
function BodyDiff({ original, text }: { readonly original: string; readonly text: string }) {
  const [before, after] = useMemo(() => formattedPair(original, text), [original, text])
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

function NoText({
  captured: { delivery },
  onReplace,
}: {
  readonly captured: Captured
  readonly onReplace: () => void
}) {
  const why = delivery.truncated
    ? "Only the start of the body was stored, so the delivery can't be replayed unchanged."
    : delivery.bodySize > LONGEST_EDITED
      ? 'Body too long to edit here. Sent as captured.'
      : 'Binary body. Sent as captured.'
  return (
    <div className="px-5 py-4">
      <p className="text-muted">{why}</p>
      <Button className="mt-3" onClick={onReplace}>
        Replace body
      </Button>
    </div>
  )
}

/** Delay after typing before the preview updates. */
const PAUSE_MS = 250
const SHOWN_CHARACTERS = 20_000

function PreviewView({ input }: { readonly input: InputOf<'replay.preview'> }) {
  const settled = useSettled(JSON.stringify(input), PAUSE_MS)
  const { output, problem } = useRead(
    'replay.preview',
    JSON.parse(settled) as InputOf<'replay.preview'>,
    { keep: true },
  )
  return (
    <div className="flex h-full flex-col">
      {problem !== null ? (
        <p role="alert" className="px-5 py-3 text-bad wrap-anywhere">
          <QuotedText text={problem} />
        </p>
      ) : (
        output !== undefined && <RequestText preview={output} />
      )}
    </div>
  )
}

function RequestText({
  preview: { method, target, headers, base64, signedUrl },
}: {
  readonly preview: OutputOf<'replay.preview'>
}) {
  const { pathname, search, host } = new URL(target)
  const bytes = fromBase64(base64)
  const text = utf8Text(bytes, false)
  return (
    <>
      <p className="px-5 py-2 text-small text-subtle">
        To <span className="data">{host}</span>.
        {signedUrl !== null && ' Signed just now. Re-signed on send.'}
      </p>
      <Code
        label="Request"
        className="min-h-0 flex-1"
        json={false}
        text={[
          `${method} ${pathname}${search} HTTP/1.1`,
          ...headers.map(([name, value]) => `${name}: ${value}`),
          '',
          text?.slice(0, SHOWN_CHARACTERS) ?? '',
        ].join('\n')}
      />
      {text === null && (
        <p className="px-5 py-1 text-small text-subtle">{byteCount(bytes.length)}, binary</p>
      )}
      {text !== null && text.length > SHOWN_CHARACTERS && (
        <p className="px-5 py-1 text-small text-subtle">
          Showing the start of {byteCount(bytes.length)}.
        </p>
      )}
    </>
  )
}

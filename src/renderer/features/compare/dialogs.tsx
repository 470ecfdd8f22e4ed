/** The comparison's dialogs: choosing a side, the ignored fields, and the export. */
import { useDeferredValue, useEffect, useState, type FormEvent, type ReactNode } from 'react'
import { headerRows } from '../../../shared/diff/compare-bodies.ts'
import {
  countRows,
  countSentence,
  type DiffRow,
  type VolatileFields,
} from '../../../shared/diff/rows.ts'
import { writeMarkdown, writeText, type Written } from '../../../shared/diff/written.ts'
import type { VolatileList } from '../../../shared/model/comparison.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { useData, useRead } from '../../core-data/use-read.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import { calendarDay, clockTime } from '../../ui/moment.ts'
import { OverlayDialog } from '../../ui/overlay-dialog.tsx'
import { saveBytes } from '../../ui/bytes.ts'
import { Segments } from '../../ui/segments.tsx'
import { useCall, useOutcome } from '../../ui/use-outcome.ts'
import { eventWord, VerdictBadge } from '../../ui/verdict.tsx'
import { compareInWorker } from './use-comparison.ts'
import type { SideChoice } from './compare-slice.ts'
import { sideTitle, type ComparedSides, type Side } from './use-comparison.ts'

export function CompareDialogs({ sides }: { readonly sides: ComparedSides }) {
  return (
    <>
      <ChooseDialog sides={sides} />
      <IgnoredDialog {...sides} />
      <CompareExportDialog {...sides} />
    </>
  )
}

const ways = [
  { value: 'delivery', label: 'Delivery' },
  { value: 'text', label: 'Pasted text' },
] as const

/** Selects a side of the comparison: a suggested delivery, any other delivery, or pasted text. */
function ChooseDialog({ sides }: { readonly sides: ComparedSides }) {
  const name = useApp((state) => state.compare.choosing)
  return (
    <OverlayDialog overlay="compare-choose" title={`Choose ${name === 'left' ? 'A' : 'B'}`} wide>
      {(close) => <Choice sides={sides} onDone={close} />}
    </OverlayDialog>
  )
}

function Choice({ sides, onDone }: { readonly sides: ComparedSides; readonly onDone: () => void }) {
  const { choosing: name, setSide } = useParts('compare', 'choosing', 'setSide')
  const [way, setWay] = useState<'delivery' | 'text'>('delivery')
  const choose = (choice: SideChoice) => {
    onDone()
    setSide(name, choice)
  }
  return (
    <div className="flex flex-col gap-3.5">
      <div>
        <Segments label="Source" options={ways} value={way} onChange={setWay} />
      </div>
      {way === 'delivery' ? (
        <DeliveryChoice
          other={sides[name === 'left' ? 'right' : 'left'].choice}
          onChoose={choose}
        />
      ) : (
        <TextChoice onChoose={choose} />
      )}
    </div>
  )
}

function TextChoice({ onChoose }: { readonly onChoose: (choice: SideChoice) => void }) {
  const [text, setText] = useState('')
  return (
    <form
      className="flex flex-col gap-3.5"
      onSubmit={(event) => {
        event.preventDefault()
        onChoose({ kind: 'text', text })
      }}
    >
      <TextAreaField
        label="Text"
        rows={12}
        value={text}
        onChange={setText}
        hint="JSON is compared by structure, other text by line. Not stored."
      />
      <Button kind="primary" type="submit" className="self-end" disabled={text === ''}>
        Use this text
      </Button>
    </form>
  )
}

function DeliveryChoice({
  other,
  onChoose,
}: {
  readonly other: SideChoice | null
  readonly onChoose: (choice: SideChoice) => void
}) {
  const offers =
    useRead('compare.offers', other?.kind === 'delivery' ? { deliveryId: other.id } : null).output
      ?.offers ?? []
  const [query, setQuery] = useState('')
  const filter = useDeferredValue(query.trim())
  const { output, problem } = useRead(
    'deliveries.page',
    { limit: 30, ...(filter === '' ? {} : { query: filter }) },
    { keep: true },
  )
  const rows = problem === null ? output?.rows : undefined
  const choose = (row: DeliveryRow) => onChoose({ kind: 'delivery', id: row.id })
  return (
    <>
      {offers.length > 0 && (
        <Choices title="Suggested">
          {offers.map(({ name, delivery }) => (
            <DeliveryButton key={delivery.id} row={delivery} name={name} onClick={choose} />
          ))}
        </Choices>
      )}
      <TextField
        label="Find delivery"
        value={query}
        onChange={setQuery}
        placeholder="event:transaction.auth, or any text"
        {...(problem === null ? {} : { problem })}
      />
      <Choices title={query === '' ? 'Latest' : 'Matching'}>
        {rows?.map((row) => (
          <DeliveryButton key={row.id} row={row} onClick={choose} />
        ))}
        {rows?.length === 0 && (
          <li className="px-3 py-2 text-muted">
            {query === '' ? 'No deliveries yet' : 'No matching deliveries'}
          </li>
        )}
      </Choices>
    </>
  )
}

function Choices({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <h3 className="mb-1 text-small font-medium text-muted">{title}</h3>
      <ul className="max-h-[260px] overflow-y-auto rounded-control border border-line">
        {children}
      </ul>
    </section>
  )
}

function DeliveryButton({
  row,
  name,
  onClick,
}: {
  readonly row: DeliveryRow
  readonly name?: string
  readonly onClick: (row: DeliveryRow) => void
}) {
  return (
    <li className="not-last:border-b not-last:border-line/50">
      <button
        type="button"
        onClick={() => onClick(row)}
        className="grid h-8 w-full grid-cols-[104px_minmax(0,1fr)_auto] items-center gap-3 px-3 text-left hover:bg-raised"
      >
        <VerdictBadge of={row} />
        <span className="truncate">
          {name === undefined ? (
            <span className="data">{eventWord(row).text}</span>
          ) : (
            <span className="font-medium">{name}</span>
          )}
        </span>
        <span className="text-small whitespace-nowrap text-subtle">
          {calendarDay(row.receivedAt)}{' '}
          <span className="data text-muted">{clockTime(row.receivedAt)}</span>
        </span>
      </button>
    </li>
  )
}

/** The editable list of ignored fields for deliveries of a hook, stored by the core. */
function IgnoredDialog({ hookId, list: { output: list } }: ComparedSides) {
  return (
    <OverlayDialog
      overlay="compare-ignored"
      ready={list !== undefined}
      title="Ignored fields"
      description="Fields that usually differ between deliveries. Saved for this hook."
      wide
    >
      {(close) => list !== undefined && <ListForm hookId={hookId} list={list} onDone={close} />}
    </OverlayDialog>
  )
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

function ListForm({
  hookId,
  list,
  onDone,
}: {
  readonly hookId: string | null
  readonly list: VolatileList
  readonly onDone: () => void
}) {
  const { patch } = useData()
  const call = useCall()
  const { problem, run } = useOutcome()
  const [body, setBody] = useState(list.fields.body.join('\n'))
  const [headers, setHeaders] = useState(list.fields.headers.join('\n'))
  const keep = async (fields: VolatileList['fields'] | null) => {
    const kept = await run(() => call('compare.setVolatile', { hookId, fields }))
    if (kept === null) return
    patch('compare.volatile', { hookId }, () => kept)
    onDone()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void keep({ body: linesOf(body), headers: linesOf(headers) })
  }
  return (
    <form className="flex flex-col gap-3.5" onSubmit={submit}>
      <div className="grid grid-cols-2 gap-4 max-[700px]:grid-cols-1">
        <TextAreaField
          label="Body fields"
          rows={14}
          value={body}
          onChange={setBody}
          hint="One path per line. * matches any characters in a name, ** any depth: **.id matches every id."
        />
        <TextAreaField
          label="Headers"
          rows={14}
          value={headers}
          onChange={setHeaders}
          hint="One name per line. * matches any characters."
        />
      </div>
      {problem !== null && (
        <p role="alert" className="text-bad">
          {problem.message}
        </p>
      )}
      <div className="flex items-center justify-end gap-2">
        {list.isOwn && (
          <Button kind="quiet" onClick={() => void keep(null)}>
            Restore defaults
          </Button>
        )}
        <span className="flex-1" />
        <Button onClick={onDone}>Cancel</Button>
        <Button kind="primary" type="submit">
          Save for this hook
        </Button>
      </div>
    </form>
  )
}

const formats = [
  { value: 'text', label: 'Text' },
  { value: 'markdown', label: 'Markdown' },
] as const
type Format = (typeof formats)[number]['value']

const endings: Readonly<Record<Format, string>> = { text: 'txt', markdown: 'md' }
/** Characters shown of a long export; copying and saving include all. */
const SHOWN = 20_000

function CompareExportDialog({
  left: { side: left },
  right: { side: right },
  volatile,
}: ComparedSides) {
  return (
    <OverlayDialog
      overlay="compare-export"
      ready={left !== null && right !== null}
      title="Export differences"
      wide
    >
      {() =>
        left !== null && right !== null && <Export left={left} right={right} volatile={volatile} />
      }
    </OverlayDialog>
  )
}

interface Sides {
  readonly left: Side
  readonly right: Side
  readonly volatile: VolatileFields
}

function Export({ left, right, volatile }: Sides) {
  const [format, setFormat] = useState<Format>('text')
  const [done, setDone] = useState<{ readonly format: Format; readonly text: string } | null>(null)
  useEffect(() => {
    let wanted = true
    void write(format, { left, right, volatile }).then((text) => {
      if (wanted) setDone({ format, text })
    })
    return () => {
      wanted = false
    }
  }, [format, left, right, volatile])
  const text = done?.format === format ? done.text : null
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center gap-2">
        <Segments label="Format" options={formats} value={format} onChange={setFormat} />
        <span className="min-w-0 flex-1 truncate text-small text-subtle">
          Without ignored fields
        </span>
        {text !== null && (
          <>
            <CopyButton text={text} label="Copy export" caption="Copy" />
            <Button
              kind="quiet"
              onClick={() =>
                saveBytes(new TextEncoder().encode(text), `difference.${endings[format]}`)
              }
            >
              Save
            </Button>
          </>
        )}
      </div>
      <pre
        tabIndex={0}
        aria-label="Exported text"
        className="data h-[46vh] overflow-auto rounded-control border border-line bg-ground px-3 py-2 wrap-anywhere whitespace-pre-wrap"
      >
        {text === null ? '' : text.length > SHOWN ? `${text.slice(0, SHOWN)}\n…` : text}
      </pre>
    </div>
  )
}

async function write(format: Format, { left, right, volatile }: Sides): Promise<string> {
  const parts: Written['parts'][number][] = []
  const add = (name: string, rows: readonly DiffRow[]) =>
    parts.push({ name, sentence: countSentence(countRows(rows)), rows })
  if (left.text !== null && right.text !== null) {
    const texts = { left: left.text, right: right.text }
    const structure = await compareInWorker({ what: 'structure', ...texts, volatile })
    if (structure !== 'too-long' && structure.outcome === 'json') add('Body', structure.rows)
    else {
      const lines = await compareInWorker({ what: 'text', ...texts })
      if (lines !== 'too-long') add('Body', lines.rows)
    }
  }
  if (left.kind === 'delivery' && right.kind === 'delivery')
    add('Headers', headerRows(left.delivery.headers, right.delivery.headers, volatile))
  const written: Written = { leftTitle: sideTitle(left), rightTitle: sideTitle(right), parts }
  return format === 'text' ? writeText(written) : writeMarkdown(written)
}

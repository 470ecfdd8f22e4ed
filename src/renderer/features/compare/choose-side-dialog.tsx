/** The dialog that selects a side of the comparison. */
import { useDeferredValue, useState, type ReactNode } from 'react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { TextAreaField, TextField } from '../../ui/field.tsx'
import { calendarDay, clockTime } from '../../ui/moment.ts'
import { OverlayDialog } from '../../connected/overlay-dialog.tsx'
import { Segments } from '../../ui/segments.tsx'
import { VerdictBadge } from '../../ui/verdict.tsx'
import type { SideChoice } from './compare-slice.ts'
import { SideEvent } from './side-pieces.tsx'
import type { ComparedSides } from './use-sides.ts'

const ways = [
  { value: 'delivery', label: 'Delivery' },
  { value: 'text', label: 'Pasted text' },
] as const

/** Selects a side of the comparison: a suggested delivery, any other delivery, or pasted text. */
export function ChooseSideDialog({ sides }: { readonly sides: ComparedSides }) {
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
            <SideEvent of={row} />
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

/** The fields above the payload: those of the event, then its fault, seed and program. */
import { RefreshCw } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { readJson } from '../../../shared/json/tree.ts'
import { faultMeanings } from '../../../shared/model/fault-meanings.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import type { Fault } from '../../../shared/model/notification.ts'
import type { SandboxObject } from '../../../shared/model/sandbox.ts'
import { hookKindOf, isTransactionEvent } from '../../../shared/service/event-type.ts'
import { IconButton } from '../../ui/button.tsx'
import { controlStyle, Field, TextField } from '../../ui/field.tsx'
import { SelectField, type ListedChoice } from '../../ui/select.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { candidatesFor, choiceLine, objectFieldsOf, type ObjectField } from './catalogue.ts'
import { shownId, withObject, withoutEdits } from './field-edits.ts'
import { valueAt } from './json-edit.ts'
import { newSeed, seedOf, type TriggerDraft } from './trigger-draft.ts'
import type { ShownPayload } from './use-payload.ts'

/** Most objects offered here. Others can be selected on their own page. */
const MOST_CANDIDATES = 200
/** Currencies of the sandbox's cities; JPY has no decimals, KWD three. */
const currencies = ['AUD', 'CAD', 'EUR', 'GBP', 'JPY', 'KWD', 'SEK', 'USD']

interface TriggerFieldsProps {
  readonly draft: TriggerDraft
  /** Objects of the environment. */
  readonly objects: readonly SandboxObject[]
  /** The shown payload; null without a preview. */
  readonly payload: ShownPayload | null
  readonly onChange: (part: Partial<TriggerDraft>) => void
}

export function TriggerFields(props: TriggerFieldsProps) {
  const { draft, payload, onChange } = props
  const { event, fault } = draft
  const fields = objectFieldsOf(event)
  const hasAmount = isTransactionEvent(event)
  return (
    <div
      role="group"
      aria-label="Fields"
      className={`grid shrink-0 items-start gap-2.5 border-b border-line px-4 pt-2.5 pb-3.5 @max-[500px]:grid-cols-2 [@media(max-height:600px)]:max-h-[42%] [@media(max-height:600px)]:overflow-auto ${hasAmount ? 'grid-cols-[104px_92px_1fr_1fr]' : 'grid-cols-4'}`}
    >
      {hasAmount && <AmountField payload={payload} />}
      {hasAmount && <CurrencyField payload={payload} />}
      {fields.map((field) => (
        <Wide key={field.path} on={hasAmount && fields.length === 1}>
          <ObjectSelect field={field} {...props} />
        </Wide>
      ))}
      <Wide on={hasAmount}>
        <SelectField
          label="Fault"
          value={fault}
          choices={[
            { value: '', label: 'None' },
            ...Object.entries(faultMeanings).map(([kind, { name, meaning }]) => ({
              value: kind as Fault,
              label: name,
              note: meaning,
            })),
          ]}
          onChange={(value) => onChange({ fault: value })}
        />
      </Wide>
      <SeedField draft={draft} onChange={onChange} />
      {hookKindOf(event) === 'program' && <ProgramField {...props} />}
    </div>
  )
}

/** Spans two columns. */
function Wide({ on, children }: { readonly on: boolean; readonly children: ReactNode }) {
  return <div className={on ? 'col-span-2 min-w-0' : 'min-w-0'}>{children}</div>
}

/** Edits the amount as written: `36.90` is sent with its zero. */
function AmountField({ payload }: Pick<TriggerFieldsProps, 'payload'>) {
  const [typed, setTyped] = useState<string | null>(null)
  const isNumber = (text: string) => readJson(text)?.kind === 'number'
  return (
    <TextField
      label="Amount"
      inputMode="decimal"
      className={`${controlStyle} text-right data`}
      disabled={payload?.problems.length !== 0}
      problem={typed === null || isNumber(typed) ? undefined : 'Enter a number.'}
      value={typed ?? payload?.fieldText('amount') ?? ''}
      onBlur={() => setTyped(null)}
      onChange={(text) => {
        setTyped(text)
        if (isNumber(text)) payload?.setField('amount', text.trim())
      }}
    />
  )
}

function CurrencyField({ payload }: Pick<TriggerFieldsProps, 'payload'>) {
  const written = payload?.fieldText('currency') ?? ''
  const value = readJson(written)?.string ?? written
  return (
    <SelectField
      label="Currency"
      data
      value={value}
      choices={[...new Set([...currencies, value])]
        .toSorted()
        .map((code) => ({ value: code, label: visibleText(code) }))}
      onChange={(code) => payload?.setField('currency', JSON.stringify(code))}
    />
  )
}

/** Returns the offered objects as choices, preceded by the shown ID if it isn't one of them. */
function choicesOf(
  offered: readonly SandboxObject[],
  objects: readonly SandboxObject[],
  shown: string,
): readonly ListedChoice<string>[] {
  const isOffered = shown === '' || offered.some(({ id }) => id === shown)
  return [
    ...(isOffered ? [] : [{ value: shown, label: visibleText(shortIdOf(shown)) }]),
    ...offered.map((object) => ({
      value: object.id,
      label: choiceLine(object, objects),
      note: visibleText(shortIdOf(object.id)),
    })),
  ]
}

function ObjectSelect({
  field,
  draft,
  objects,
  payload,
  onChange,
}: TriggerFieldsProps & { readonly field: ObjectField }) {
  const candidates = candidatesFor(field, objects, draft.programId)
  const shown = shownId(field, draft, objects, payload?.payload)
  return (
    <SelectField
      label={field.label}
      hint={
        candidates.length > MOST_CANDIDATES
          ? `Showing the latest ${MOST_CANDIDATES} of ${candidates.length}. To use another, open it under Objects.`
          : undefined
      }
      value={shown}
      choices={[
        { value: '', label: field.nothing },
        ...choicesOf(candidates.slice(0, MOST_CANDIDATES), objects, shown),
      ]}
      onChange={(id) => onChange(withObject(field, id, draft, objects))}
    />
  )
}

function SeedField({ draft, onChange }: Pick<TriggerFieldsProps, 'draft' | 'onChange'>) {
  return (
    <Field
      label="Seed"
      problem={seedOf(draft) === undefined ? 'Enter an integer or leave empty.' : undefined}
    >
      {(control) => (
        <span className="relative flex">
          <input
            {...control}
            inputMode="numeric"
            spellCheck={false}
            autoComplete="off"
            placeholder="random"
            title={`Random: ${draft.drawn}. The same seed creates the same IDs, names and amounts.`}
            value={draft.seed}
            onChange={({ currentTarget }) => onChange({ seed: currentTarget.value })}
            className={`${controlStyle} pr-8 data`}
          />
          <IconButton
            label="New random seed"
            icon={RefreshCw}
            className="absolute top-0 right-0"
            onClick={() => onChange({ seed: '', drawn: newSeed() })}
          />
        </span>
      )}
    </Field>
  )
}

/** Paths of the program's ID in the payloads. */
const PROGRAM_PATHS = ['programId', 'location.programId', 'card.programId']

function ProgramField({ draft, objects, payload, onChange }: TriggerFieldsProps) {
  const inPayload = PROGRAM_PATHS.map((path) => valueAt(payload?.payload, path))
  const generated = inPayload.find((id) => typeof id === 'string') ?? ''
  const edited = draft.set['programId']
  const shown = typeof edited === 'string' ? edited : draft.programId || generated
  const programs = objects.filter(({ kind }) => kind === 'program')
  return (
    <SelectField
      label="Program"
      value={shown}
      choices={choicesOf(programs, objects, shown)}
      onChange={(programId) =>
        onChange({
          ...withoutEdits(draft, ['programId', 'card', 'location', 'brand']),
          programId,
          typed: null,
        })
      }
    />
  )
}

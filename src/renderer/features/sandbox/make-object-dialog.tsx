/** Creates an object: kind, program, seed and fields. */
import { Plus, X } from 'lucide-react'
import { z } from 'zod'
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { SandboxObject, SandboxObjectKind } from '../../../shared/model/sandbox.ts'
import { useObjects } from './use-sandbox.ts'
import { useParts } from '../../state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { LiveConfirmation } from '../../ui/consent.tsx'
import { FormFoot } from '../../ui/dialog.tsx'
import { OverlayDialog } from '../../ui/overlay-dialog.tsx'
import { controlLook, SelectField, SuggestInput, TextField } from '../../ui/field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { bySchema, useForm } from '../../ui/use-form.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { pathsOf, typedValue, type Fields } from './json-edit.ts'
import { aKind, kindNames } from './object-words.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import { typedSeed } from './trigger-draft.ts'

/** Transactions are created by triggering a payment. */
const madeKinds = [
  'card',
  'location',
  'brand',
  'offer',
  'program',
] as const satisfies readonly SandboxObjectKind[]

interface Edit {
  readonly path: string
  readonly value: string
}

export function MakeObjectDialog() {
  return (
    <OverlayDialog
      overlay="make-object"
      title="Create object"
      description="Creates it in the sandbox and sends the events that the spec requires."
    >
      {(close) => <MakeForm onDone={close} />}
    </OverlayDialog>
  )
}

interface MakeDraft {
  readonly kind: SandboxObjectKind
  readonly programId: string
  readonly seed: string
  readonly edits: readonly Edit[]
}

const checkSeed = bySchema(
  z.object({
    seed: z
      .string()
      .refine((seed) => typedSeed({ seed }) !== undefined, 'Enter an integer or leave empty.'),
  }),
)

function inputOf(
  { kind, programId, seed, edits }: MakeDraft,
  environment: string,
): InputOf<'sandbox.create'> {
  const set: Fields = Object.fromEntries(
    edits
      .filter(({ path }) => path.trim() !== '')
      .map(({ path, value }) => [path.trim(), typedValue(value)]),
  )
  const number = typedSeed({ seed })
  return {
    environment,
    kind,
    live: environment === 'sandbox-live',
    set: set as InputOf<'sandbox.create'>['set'],
    ...(number == null ? {} : { seed: number }),
    ...(programId === '' || kind === 'brand' || kind === 'program' ? {} : { programId }),
  }
}

function MakeForm({ onDone }: { readonly onDone: () => void }) {
  const {
    environment,
    objectKind: from,
    createObject,
  } = useParts('sandbox', 'environment', 'objectKind', 'createObject')
  const objects = useObjects()
  const live = environment === 'sandbox-live'
  const form = useForm<MakeDraft>({
    begin: () => ({
      kind: from === 'transaction' ? 'card' : from,
      programId: '',
      seed: '',
      edits: [],
    }),
    check: checkSeed,
    early: true,
    confirms: () => live,
    submit: (draft) => createObject(inputOf(draft, environment)),
    onDone,
  })
  const { draft, change, busy, problem } = form
  const { kind, programId, seed, edits } = draft
  const own = (objects ?? []).filter((object) => object.environment === environment)
  const programs = own.filter((object) => object.kind === 'program')
  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      <SelectField
        label="Kind"
        hint={caused(kind, live)}
        choices={madeKinds.map((value) => ({ value, label: kindNames[value].one }))}
        value={kind}
        onChange={(value) => change({ kind: value })}
      />
      {kind !== 'brand' && kind !== 'program' && (
        <SelectField
          label="Program"
          choices={[
            { value: '', label: 'First program' },
            ...programs.map(({ id, title }) => ({
              value: id,
              label: visibleText(title),
              note: visibleText(shortIdOf(id)),
            })),
          ]}
          value={programId}
          onChange={(value) => change({ programId: value })}
        />
      )}
      <TextField
        label="Seed"
        optional
        inputMode="numeric"
        hint="The same seed creates the same object"
        problem={form.problemAt('seed')}
        value={seed}
        onChange={(value) => change({ seed: value })}
      />
      <EditRows
        edits={edits}
        onChange={(next) => change({ edits: next })}
        example={own.findLast((object) => object.kind === kind) ?? null}
      />
      {problem !== null && <ProblemView problem={problem} />}
      {form.confirming ? (
        <LiveConfirmation
          environment={environment}
          action={busy ? 'Creating…' : `Create ${aKind(kind)} in ${environment} (live)`}
          busy={busy}
          onConfirm={form.send}
          onBack={form.back}
        >
          {caused(kind, live)} Live mode of the sandbox: no real cards or money.
        </LiveConfirmation>
      ) : (
        <FormFoot
          onCancel={onDone}
          action={`Create in ${environment}`}
          busyWords="Creating…"
          busy={busy}
        />
      )}
    </form>
  )
}

/** What creating an object of this kind sends (spec 6.2). */
function caused(kind: SandboxObjectKind, live: boolean): string {
  if (kind === 'card') return 'card.linked is sent.'
  if (kind === 'brand')
    return live
      ? 'Sends nothing until the brand consents.'
      : 'Consents immediately and sends brand.consent.'
  if (kind === 'location')
    return live
      ? 'Sends nothing until a scheme is synced.'
      : 'Sends location.status once per scheme.'
  return kind === 'program'
    ? 'Comes with its own brands, locations, cards and an offer. Sends nothing.'
    : 'Sends nothing.'
}

function EditRows({
  edits,
  onChange,
  example,
}: {
  readonly edits: readonly Edit[]
  readonly onChange: (edits: readonly Edit[]) => void
  /** An existing object whose fields are suggested. */
  readonly example: SandboxObject | null
}) {
  const paths = pathsOf(example?.data).map((value) => ({ value }))
  const change = (index: number, part: Partial<Edit>) =>
    onChange(edits.map((edit, place) => (place === index ? { ...edit, ...part } : edit)))
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 text-small font-medium text-muted">
        Fields{' '}
        <span className="font-normal text-subtle">
          (others are generated; values are JSON or plain text)
        </span>
      </legend>
      {edits.map(({ path, value }, index) => (
        <div key={index} className="flex items-center gap-1.5">
          <SuggestInput
            aria-label={`Field ${index + 1}`}
            placeholder="field"
            suggestions={paths}
            value={path}
            onChange={(next) => change(index, { path: next })}
          />
          <span aria-hidden className="text-subtle">
            =
          </span>
          <input
            aria-label={`Value ${index + 1}`}
            placeholder="value"
            spellCheck={false}
            autoComplete="off"
            value={value}
            onChange={(event) => change(index, { value: event.currentTarget.value })}
            className={`${controlLook} data`}
          />
          <IconButton
            label={`Remove field ${index + 1}`}
            icon={<X size={14} aria-hidden />}
            onClick={() => onChange(edits.filter((_, place) => place !== index))}
          />
        </div>
      ))}
      <span>
        <Button
          kind="quiet"
          className="-ml-2"
          icon={<Plus size={13} aria-hidden />}
          onClick={() => onChange([...edits, { path: '', value: '' }])}
        >
          Add field
        </Button>
      </span>
    </fieldset>
  )
}

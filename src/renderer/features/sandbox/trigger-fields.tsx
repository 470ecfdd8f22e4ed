/** Trigger options: program, object, seed and fault. */
import { Dices } from 'lucide-react'
import type { SandboxObject, Fault } from '../../../shared/model/sandbox.ts'
import { hookKindOf } from '../../../shared/service/event-type.ts'
import { IconButton } from '../../ui/button.tsx'
import { controlLook, Field, SelectField } from '../../ui/field.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { candidatesFor, faultMeanings, subjectOf } from './event-catalogue.ts'
import { objectLine } from './object-words.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import { subjectId, typedSeed, type TriggerDraft } from './trigger-draft.ts'

/** Most objects offered here. Others can be selected on their own page. */
const MOST_CANDIDATES = 200

export interface TriggerFieldsProps {
  readonly draft: TriggerDraft
  /** Objects of the environment. */
  readonly objects: readonly SandboxObject[]
  readonly onChange: (part: Partial<TriggerDraft>) => void
}

export function TriggerFields({ draft, objects, onChange }: TriggerFieldsProps) {
  const programs = objects.filter(({ kind }) => kind === 'program')
  const fault = draft.fault === '' ? null : faultMeanings[draft.fault]
  return (
    <div className="flex flex-col gap-3 px-4 pt-3 pb-5">
      {hookKindOf(draft.event) === 'program' && (
        <SelectField
          label="Program"
          value={draft.programId}
          onChange={(programId) => onChange({ programId })}
        >
          <option value="">Default program</option>
          {programs.map((program) => (
            <option key={program.id} value={program.id}>
              {visibleText(program.title)} · {visibleText(shortIdOf(program.id))}
            </option>
          ))}
        </SelectField>
      )}
      <SubjectField draft={draft} objects={objects} onChange={onChange} />
      <SeedField draft={draft} onChange={onChange} />
      <SelectField
        label="Fault"
        hint={fault?.meaning}
        value={draft.fault}
        onChange={(value) => onChange({ fault: value as Fault | '' })}
      >
        <option value="">None</option>
        {Object.entries(faultMeanings).map(([kind, { name }]) => (
          <option key={kind} value={kind}>
            {name}
          </option>
        ))}
      </SelectField>
    </div>
  )
}

function SubjectField({ draft, objects, onChange }: TriggerFieldsProps) {
  const subject = subjectOf(draft.event)
  if (subject === null) return null
  const candidates = candidatesFor(draft.event, objects, draft.programId)
  const chosen = subjectId(draft, objects)
  const shown = candidates.slice(0, MOST_CANDIDATES)
  const elsewhere = chosen !== '' && !shown.some(({ id }) => id === chosen)
  return (
    <SelectField
      label={subject.label}
      hint={
        candidates.length > MOST_CANDIDATES
          ? `Showing the latest ${MOST_CANDIDATES} of ${candidates.length}. To use another, open it under Objects.`
          : undefined
      }
      value={chosen}
      onChange={(of) => onChange({ of })}
    >
      <option value="">{subject.nothing}</option>
      {elsewhere && <option value={chosen}>{visibleText(shortIdOf(chosen))}</option>}
      {shown.map((object) => (
        <option key={object.id} value={object.id}>
          {objectLine(object)} · {visibleText(shortIdOf(object.id))}
        </option>
      ))}
    </SelectField>
  )
}

function SeedField({ draft, onChange }: Pick<TriggerFieldsProps, 'draft' | 'onChange'>) {
  const wrong = typedSeed(draft) === undefined
  return (
    <Field
      label="Seed"
      hint="The same seed creates the same IDs, names and amounts."
      problem={wrong ? 'Enter an integer or leave empty.' : undefined}
    >
      {(control) => (
        <span className="relative">
          <input
            {...control}
            inputMode="numeric"
            spellCheck={false}
            autoComplete="off"
            placeholder={draft.drawn === null ? '' : `random: ${draft.drawn}`}
            value={draft.seed}
            onChange={(event) => onChange({ seed: event.currentTarget.value })}
            className={`${controlLook} pr-9 data`}
          />
          <IconButton
            label="New random seed"
            icon={<Dices size={15} aria-hidden />}
            className="absolute top-0.5 right-0.5"
            onClick={() => onChange({ seed: '', drawn: null })}
          />
        </span>
      )}
    </Field>
  )
}

/** Fields of a trigger beside its event: the object, program, seed and fault. */
import { Dices } from 'lucide-react'
import { useId, useState } from 'react'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import type { Fault } from '../../../shared/model/notification.ts'
import type { SandboxObject } from '../../../shared/model/sandbox.ts'
import { hookKindOf } from '../../../shared/service/event-type.ts'
import { IconButton } from '../../ui/button.tsx'
import { DisclosureButton } from '../../ui/disclosure.tsx'
import { TextField } from '../../ui/field.tsx'
import { SelectField } from '../../ui/select.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { candidatesFor, faultMeanings, objectLine, subjectOf } from './catalogue.ts'
import { newSeed, seedOf, subjectId, type TriggerDraft } from './trigger-draft.ts'

/** Most objects offered here. Others can be selected on their own page. */
const MOST_CANDIDATES = 200

const choiceOf = (object: SandboxObject) => ({
  value: object.id,
  label: objectLine(object),
  note: visibleText(shortIdOf(object.id)),
})

interface TriggerFieldsProps {
  readonly draft: TriggerDraft
  /** Objects of the environment. */
  readonly objects: readonly SandboxObject[]
  readonly onChange: (part: Partial<TriggerDraft>) => void
}

/** Shows the event's object and, behind "More", its program, seed and fault. */
export function TriggerFields(props: TriggerFieldsProps) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <>
      <SubjectField {...props} />
      <DisclosureButton
        open={isOpen}
        content={id}
        onToggle={setOpen}
        className="gap-2 border-t border-line px-4"
      >
        <span className="min-w-0 truncate">
          <span className="font-medium">More</span>{' '}
          <span className="text-small text-subtle">{moreWords(props.draft)}</span>
        </span>
      </DisclosureButton>
      {isOpen && (
        <div id={id} className="flex flex-col gap-3 px-4 pt-1 pb-5">
          <MoreFields {...props} />
        </div>
      )}
    </>
  )
}

/** Chooses the object that the event is about, if it is about one. */
function SubjectField({ draft, objects, onChange }: TriggerFieldsProps) {
  const subject = subjectOf(draft.event)
  if (subject === null) return null
  const candidates = candidatesFor(draft.event, objects, draft.programId)
  const chosen = subjectId(draft, objects)
  const offered = candidates.slice(0, MOST_CANDIDATES).map(choiceOf)
  const isElsewhere = chosen !== '' && !offered.some(({ value }) => value === chosen)
  return (
    <div className="border-t border-line px-4 pt-3 pb-4">
      <SelectField
        label={subject.label}
        hint={
          candidates.length > MOST_CANDIDATES
            ? `Showing the latest ${MOST_CANDIDATES} of ${candidates.length}. To use another, open it under Objects.`
            : undefined
        }
        value={chosen}
        choices={[
          { value: '', label: subject.nothing },
          ...(isElsewhere ? [{ value: chosen, label: visibleText(shortIdOf(chosen)) }] : []),
          ...offered,
        ]}
        onChange={(of) => onChange({ of })}
      />
    </div>
  )
}

function MoreFields({ draft, objects, onChange }: TriggerFieldsProps) {
  const { event, programId, fault } = draft
  return (
    <>
      {hookKindOf(event) === 'program' && (
        <SelectField
          label="Program"
          value={programId}
          choices={[
            { value: '', label: 'Default program' },
            ...objects.filter(({ kind }) => kind === 'program').map(choiceOf),
          ]}
          onChange={(value) => onChange({ programId: value })}
        />
      )}
      <SeedField draft={draft} onChange={onChange} />
      <SelectField
        label="Fault"
        hint={fault === '' ? undefined : faultMeanings[fault].meaning}
        value={fault}
        choices={[
          { value: '', label: 'None' },
          ...Object.entries(faultMeanings).map(([kind, { name }]) => ({
            value: kind as Fault,
            label: name,
          })),
        ]}
        onChange={(value) => onChange({ fault: value })}
      />
    </>
  )
}

function SeedField({ draft, onChange }: Omit<TriggerFieldsProps, 'objects'>) {
  return (
    <div className="flex items-start gap-1.5">
      <div className="min-w-0 flex-1">
        <TextField
          label="Seed"
          inputMode="numeric"
          hint="The same seed creates the same IDs, names and amounts."
          problem={seedOf(draft) === undefined ? 'Enter an integer or leave empty.' : undefined}
          placeholder={`random: ${draft.drawn}`}
          value={draft.seed}
          onChange={(value) => onChange({ seed: value })}
        />
      </div>
      <IconButton
        label="New random seed"
        icon={Dices}
        className="mt-6"
        onClick={() => onChange({ seed: '', drawn: newSeed() })}
      />
    </div>
  )
}

/** Returns the fields under "More" that differ from their default, else their names. */
function moreWords({ programId, seed, fault }: TriggerDraft): string {
  const words = [
    programId === '' ? '' : `program ${shortIdOf(programId)}`,
    seed.trim() === '' ? '' : `seed ${seed.trim()}`,
    fault === '' ? '' : faultMeanings[fault].name.toLowerCase(),
  ].filter((word) => word !== '')
  return words.length === 0 ? 'Program, seed, fault' : words.join(' · ')
}

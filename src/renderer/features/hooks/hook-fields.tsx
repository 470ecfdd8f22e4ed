/** Form fields of hooks, each with its findings, the check that finds them, and the warnings that remain. */
import { TriangleAlert } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { InputOf } from '../../../shared/contract/contract.ts'
import { knownPrograms } from '../../../shared/model/hook.ts'
import { hookKindOf, isQualifiedEvent } from '../../../shared/service/event-type.ts'
import { useRead } from '../../data/use-read.ts'
import { environmentChoices, isOfSandbox } from '../../state/environments.ts'
import { useApp } from '../../state/use-app.ts'
import type { Finding } from '../../ui/call-problem.ts'
import { DoneFoot } from '../../ui/dialog.tsx'
import { SelectField, TextField, type ListedChoice } from '../../ui/field.tsx'
import { findingsAtField, FindingText } from '../../ui/finding-text.tsx'
import { useSettled } from '../../ui/use-form.ts'
import {
  HeaderEditor,
  type HookDraft,
  hookEventGroups,
  inputOfDraft,
  kindSentence,
  proposedProgram,
} from './hook-form.tsx'

const MOST_HEADERS = 5

/** Fields that show their own findings. The form shows all others. */
export const coveredFields = ['event', 'url', 'programId', 'offerId', 'headers'] as const

interface PlainFieldProps {
  readonly value: string
  readonly hint?: ReactNode
  readonly problem?: ReactNode
  readonly onChange: (value: string) => void
}

export function HookEnvironmentField(props: PlainFieldProps) {
  const environments = useApp((state) => state.core.environments)
  return <SelectField label="Environment" choices={environmentChoices(environments)} {...props} />
}

const OTHER = '…'

/** A choice of known values, of which the last opens a field for any other. */
function OpenChoiceField({
  label,
  choices,
  other,
  placeholder,
  ...field
}: PlainFieldProps & {
  readonly label: string
  readonly choices: readonly ListedChoice<string>[]
  /** The name of the field for other values. */
  readonly other: string
  readonly placeholder?: string
}) {
  const { value, onChange } = field
  // Typing a listed name keeps the text field, which would otherwise lose the focus.
  const [isTyped, setTyped] = useState(
    value !== '' && !choices.some((choice) => choice.value === value),
  )
  return (
    <>
      <SelectField
        label={label}
        data
        choices={[...choices, { value: OTHER, label: `Other ${label.toLowerCase()}…` }]}
        {...(isTyped ? {} : field)}
        value={isTyped ? OTHER : value}
        onChange={(chosen) => {
          setTyped(chosen === OTHER)
          onChange(chosen === OTHER ? '' : chosen)
        }}
      />
      {isTyped && <TextField label={other} placeholder={placeholder} {...field} />}
    </>
  )
}

const events = hookEventGroups.flatMap(({ label: group, events: those }) =>
  those.map((event) => ({ value: event, label: event, group })),
)

export function EventField({ hint, ...field }: PlainFieldProps) {
  return (
    <OpenChoiceField
      label="Event"
      other="Event name"
      placeholder="card.expired"
      choices={events}
      hint={hint ?? kindSentence(field.value)}
      {...field}
    />
  )
}

export function HookFields({
  draft,
  onChange,
  findings,
  shows,
  programs,
  proposed,
  offer,
}: {
  readonly draft: HookDraft
  readonly onChange: (change: Partial<HookDraft>) => void
  readonly findings: readonly Finding[]
  /** Fields that may show findings: touched ones, or all after a submit. */
  readonly shows: (field: string) => boolean
  readonly programs: readonly string[]
  readonly proposed: { readonly programId: string; readonly url: string }
  /** Replaces the offer field if the offer can't change. */
  readonly offer: ReactNode
}) {
  const problem = (field: string): ReactNode =>
    shows(field) ? findingsAtField(findings, field) : undefined
  const program = {
    label: 'Program ID',
    problem: problem('programId'),
    value: draft.programId ?? proposed.programId,
    onChange: (programId: string) => onChange({ programId }),
  }
  return (
    <>
      <EventField
        problem={problem('event')}
        value={draft.event}
        onChange={(event) => onChange({ event })}
      />
      {hookKindOf(draft.event) === 'brand' ? null : programs.length > 1 ? (
        <OpenChoiceField
          {...program}
          other="Other program ID"
          choices={programs.map((id) => ({ value: id, label: id }))}
        />
      ) : (
        <TextField {...program} />
      )}
      {offer ??
        (isQualifiedEvent(draft.event) && (
          <TextField
            label="Offer ID"
            optional
            hint="Only transactions of this offer are delivered. Can't be changed later."
            problem={problem('offerId')}
            value={draft.offerId}
            onChange={(offerId) => onChange({ offerId })}
          />
        ))}
      <TextField
        label="URL"
        inputMode="url"
        hint="Signatures cover this exact text, including any trailing slash"
        problem={problem('url')}
        value={draft.url ?? proposed.url}
        onChange={(url) => onChange({ url })}
      />
      <HeaderEditor
        label="Custom headers"
        hint="Up to 5, sent with every delivery"
        rows={draft.headers}
        onChange={(headers) => onChange({ headers })}
        problemOf={(name) => problem(`headers.${name}`) ?? null}
        most={MOST_HEADERS}
      />
      <p className="-mt-2 text-small text-bad empty:hidden">{problem('headers')}</p>
    </>
  )
}

const TYPING_PAUSE_MS = 300

export function useHookCheck(draft: HookDraft) {
  const hooks = useApp((state) => state.core.hooks)
  // The proposed URL has a random part, so keep one per event to avoid it changing while typing.
  const [address, setAddress] = useState({ event: '', url: '' })
  // Without a sandbox, a program ID can still be typed.
  const isOwn = isOfSandbox(draft.environment)
  const read = useRead(
    'sandbox.objects',
    isOwn ? { environment: draft.environment, kind: 'program' } : null,
  )
  const programs = knownPrograms(
    draft.environment,
    hooks,
    read.output?.objects.map(({ id }) => id) ?? [],
  )
  const proposed = {
    programId: proposedProgram(programs),
    url: address.event === draft.event ? address.url : '',
  }
  const about = JSON.stringify(inputOfDraft(draft, proposed))
  const settled = useSettled(about, TYPING_PAUSE_MS)
  const input = JSON.parse(settled) as InputOf<'hooks.check'>
  const areProgramsRead = !isOwn || read.output !== undefined || read.problem !== null
  // A check only advises. Submitting the form reports all problems again.
  const { output, isEarlier } = useRead('hooks.check', areProgramsRead ? input : null, {
    keep: true,
  })
  const isNow = output !== undefined && !isEarlier
  if (isNow && input.url === undefined && address.event !== input.event)
    setAddress({ event: input.event, url: output.url })
  return {
    findings: output?.findings ?? [],
    warnings: output?.warnings ?? [],
    /** Whether the result applies to the current draft. */
    current: isNow && settled === about,
    programs,
    proposed,
  }
}

/** Warnings that don't prevent an action. */
export function Warnings({ warnings }: { readonly warnings: readonly Finding[] }) {
  if (warnings.length === 0) return null
  // A warning about a base URL applies to every hook under it, so show it only once.
  const different = new Map(warnings.map((warning) => [warning.message, warning]))
  return (
    <section
      aria-label="Warnings"
      className="rounded-control border border-warn bg-warn-wash px-3 py-2"
    >
      {[...different.values()].map((warning) => (
        <p key={warning.message} className="flex gap-2 wrap-anywhere">
          <TriangleAlert size={14} className="mt-[3px] shrink-0 text-warn" />
          <span className="min-w-0">
            <FindingText finding={warning} />
          </span>
        </p>
      ))}
    </section>
  )
}

/** The result of a form that succeeded with warnings. `children`: the completed action, as a sentence. */
export function WorthKnowing({
  children,
  warnings,
  onDone,
}: {
  readonly children: ReactNode
  readonly warnings: readonly Finding[]
  readonly onDone: () => void
}) {
  return (
    <div className="flex flex-col gap-3.5">
      <p role="status">{children} Please note:</p>
      <Warnings warnings={warnings} />
      <DoneFoot onDone={onDone} />
    </div>
  )
}

/** Form fields for registering and editing a hook, each with its findings, and the check that finds them. */
import { useState, type ReactNode } from 'react'
import { hookKindOf, isEventType, isQualifiedEvent } from '../../../shared/service/event-type.ts'
import type { Finding } from '../../ui/call-problem.ts'
import { findingsAtField } from '../../ui/finding-text.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { HeaderEditor } from './header-editor.tsx'
import {
  hookEventGroups,
  inputOfDraft,
  kindSentence,
  proposedProgram,
  type HookDraft,
} from './hook-form.ts'
import type { InputOf } from '../../../shared/contract/contract.ts'
import { knownPrograms } from '../../../shared/model/hook.ts'
import { useRead } from '../../data/use-read.ts'
import { isOfSandbox } from '../../state/environments.ts'
import { useApp } from '../../state/use-app.ts'
import { useSettled } from '../../ui/use-form.ts'

const MOST_HEADERS = 5

/** Fields that show their own findings. The form shows all others. */
export const coveredFields = ['event', 'url', 'programId', 'offerId', 'headers'] as const

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
  readonly offer?: ReactNode
}) {
  const problem = (field: string): ReactNode =>
    shows(field) ? findingsAtField(findings, field) : undefined
  const isBrand = hookKindOf(draft.event) === 'brand'
  // Typing a listed name keeps the text field, which would otherwise lose the focus.
  const [isTyped, setTyped] = useState(!isEventType(draft.event))
  return (
    <>
      <SelectField
        label="Event"
        data
        hint={isTyped ? undefined : kindSentence(draft.event)}
        problem={isTyped ? undefined : problem('event')}
        choices={[
          ...hookEventGroups.flatMap(({ label: group, events }) =>
            events.map((event) => ({ value: event as string, label: event, group })),
          ),
          { value: '', label: 'Other event…' },
        ]}
        value={isTyped ? '' : draft.event}
        onChange={(event) => {
          setTyped(event === '')
          onChange({ event })
        }}
      />
      {isTyped && (
        <TextField
          label="Event name"
          placeholder="card.expired"
          hint={kindSentence(draft.event)}
          problem={problem('event')}
          value={draft.event}
          onChange={(event) => onChange({ event })}
        />
      )}
      {!isBrand && (
        <TextField
          label="Program ID"
          hint={
            programs.length > 1
              ? `${programs.length} known programs. Choose one or enter another.`
              : undefined
          }
          problem={problem('programId')}
          suggestions={programs}
          value={draft.programId ?? proposed.programId}
          onChange={(programId) => onChange({ programId })}
        />
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

interface HookAdvice {
  readonly findings: readonly Finding[]
  readonly warnings: readonly Finding[]
  /** Whether the result applies to the current draft. */
  readonly current: boolean
  readonly programs: readonly string[]
  readonly proposed: { readonly programId: string; readonly url: string }
}

export function useHookCheck(draft: HookDraft): HookAdvice {
  const hooks = useApp((state) => state.core.hooks)
  // The proposed URL has a random part, so keep one per event to avoid it changing while typing.
  const [address, setAddress] = useState({ event: '', url: '' })
  // Without a sandbox, a program ID can still be typed.
  const isOwn = isOfSandbox(draft.environment)
  const programs = useRead(
    'sandbox.objects',
    isOwn ? { environment: draft.environment, kind: 'program' } : null,
  )
  const known = knownPrograms(
    draft.environment,
    hooks,
    programs.output?.objects.map(({ id }) => id) ?? [],
  )
  const proposed = {
    programId: proposedProgram(known),
    url: address.event === draft.event ? address.url : '',
  }
  const about = JSON.stringify(inputOfDraft(draft, proposed))
  const settled = useSettled(about, TYPING_PAUSE_MS)
  const input = JSON.parse(settled) as InputOf<'hooks.check'>
  const areProgramsRead = !isOwn || programs.output !== undefined || programs.problem !== null
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
    current: isNow && settled === about,
    programs: known,
    proposed,
  }
}

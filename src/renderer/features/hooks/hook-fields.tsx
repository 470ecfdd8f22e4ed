/** Form fields for registering and editing a hook, each with its findings. */
import type { ReactNode } from 'react'
import { hookKindOf, isQualifiedEvent } from '../../../shared/service/event-type.ts'
import type { Finding } from '../../ui/call-problem.ts'
import { findingsAtField } from '../../ui/finding-text.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { HeaderEditor } from './header-editor.tsx'
import { hookEventGroups, kindSentence, type HookDraft } from './hook-form.ts'

const MOST_HEADERS = 5

/** Fields that show their own findings. The form shows all others. */
export const coveredFields = ['event', 'url', 'programId', 'offerId', 'headers'] as const

export interface HookFieldsProps {
  readonly draft: HookDraft
  readonly onChange: (change: Partial<HookDraft>) => void
  readonly findings: readonly Finding[]
  /** Fields that may show findings: touched ones, or all after a submit. */
  readonly shows: (field: string) => boolean
  readonly programs: readonly string[]
  readonly proposed: { readonly programId: string; readonly url: string }
  /** Replaces the offer field if the offer can't change. */
  readonly offer?: ReactNode
}

export function HookFields({
  draft,
  onChange,
  findings,
  shows,
  programs,
  proposed,
  offer,
}: HookFieldsProps) {
  const problem = (field: string): ReactNode =>
    shows(field) ? findingsAtField(findings, field) : undefined
  const isBrand = hookKindOf(draft.event) === 'brand'
  return (
    <>
      <SelectField
        label="Event"
        data
        hint={kindSentence(draft.event)}
        problem={problem('event')}
        value={draft.event}
        onChange={(event) => {
          onChange({ event })
        }}
      >
        {hookEventGroups.map(({ label, events }) => (
          <optgroup key={label} label={label}>
            {events.map((event) => (
              <option key={event} value={event}>
                {event}
              </option>
            ))}
          </optgroup>
        ))}
        {!hookEventGroups.some(({ events }) => events.some((event) => event === draft.event)) && (
          <option value={draft.event}>{visibleText(draft.event)}</option>
        )}
      </SelectField>
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
          onChange={(programId) => {
            onChange({ programId })
          }}
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
            onChange={(offerId) => {
              onChange({ offerId })
            }}
          />
        ))}
      <TextField
        label="URL"
        inputMode="url"
        hint="Signatures cover this exact text, including any trailing slash"
        problem={problem('url')}
        value={draft.url ?? proposed.url}
        onChange={(url) => {
          onChange({ url })
        }}
      />
      <HeaderEditor
        label="Custom headers"
        hint="Up to 5, sent with every delivery"
        rows={draft.headers}
        onChange={(headers) => {
          onChange({ headers })
        }}
        problemOf={(name) => problem(`headers.${name}`) ?? null}
        most={MOST_HEADERS}
      />
      <p className="-mt-2 text-small text-bad empty:hidden">{problem('headers')}</p>
    </>
  )
}

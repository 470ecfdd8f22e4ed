/** A hook while its form is filled in, and what is sent of it. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import { hookKindOf, isEventType, isQualifiedEvent, eventTypes } from '../../../shared/service/event-type.ts'
import type { CallProblem, Finding } from '../../ui/call-problem.ts'
import type { FieldFinding } from '../../ui/finding-text.tsx'
import { headersOfRows, repeatedNames, rowsOfHeaders, type HookHeaderRow } from './header-rows.ts'

export interface HookDraft {
  readonly environment: string
  readonly event: string
  /** Null while it is the one that was proposed. */
  readonly programId: string | null
  readonly offerId: string
  /** Null while it is the receiver's own address that was proposed. */
  readonly url: string | null
  readonly headers: readonly HookHeaderRow[]
}

export function newHookDraft(environment: string): HookDraft {
  return { environment, event: 'transaction.auth', programId: null, offerId: '', url: null, headers: [] }
}

/** What a new hook begins with: another one, or as much as is known of it. `url` null: the one that is proposed. */
export type HookBeginning = Pick<Hook, 'environment' | 'event' | 'programId' | 'offerId' | 'headers'> & {
  readonly url: string | null
}

export function draftOfHook(hook: HookBeginning): HookDraft {
  return {
    environment: hook.environment,
    event: hook.event,
    programId: hook.programId,
    offerId: hook.offerId ?? '',
    url: hook.url,
    headers: rowsOfHeaders(hook.headers),
  }
}

/** What registers it. What an event does not take is left out, whatever was typed for another one before. */
export function inputOfDraft(draft: HookDraft, proposed: { programId: string; url: string }): InputOf<'hooks.add'> {
  const programId = (draft.programId ?? proposed.programId).trim()
  const url = (draft.url ?? proposed.url).trim()
  const offerId = draft.offerId.trim()
  return {
    environment: draft.environment,
    event: draft.event,
    headers: headersOfRows(draft.headers),
    ...(url === '' ? {} : { url }),
    ...(programId === '' || hookKindOf(draft.event) === 'brand' ? {} : { programId }),
    ...(offerId === '' || !isQualifiedEvent(draft.event) ? {} : { offerId }),
  }
}

/** What changes it: an update carries all of it (section 4.1 of the interface). */
export function updateOfDraft(id: string, draft: HookDraft): InputOf<'hooks.update'> {
  const { event, headers, programId, url } = inputOfDraft(draft, { programId: '', url: '' })
  return {
    id,
    event,
    headers: headers ?? {},
    ...(url === undefined ? {} : { url }),
    ...(programId === undefined ? {} : { programId }),
  }
}

/** What the kind of an event means for its registration, as a sentence. */
export function kindSentence(event: string): string {
  if (!isEventType(event)) return 'Unknown event type.'
  const kind = hookKindOf(event)
  if (kind === null) return 'The spec names this event but doesn’t show how to register it.'
  return kind === 'brand'
    ? 'Brand hook: one for the whole account, no program.'
    : 'Program hook: receives events for one program.'
}

/** The events by the kind of hook that registers them, in the order of section 6.1. */
export const hookEventGroups = [
  { label: 'Program hooks', events: eventTypes.filter((event) => hookKindOf(event) === 'program') },
  { label: 'Brand hook', events: eventTypes.filter((event) => hookKindOf(event) === 'brand') },
  { label: 'Registration not shown in the spec', events: eventTypes.filter((event) => hookKindOf(event) === null) },
] as const

/** What is wrong as far as is known: as the check says of what stands there now, else as the refusal of what was sent. */
export function findingsNow(
  advice: { readonly findings: readonly Finding[]; readonly current: boolean },
  problem: CallProblem | null,
): readonly Finding[] {
  return !advice.current && problem?.code === 'INVALID_HOOK' ? problem.findings : advice.findings
}

/** A header that stands in two rows: its editor says so at the row. */
export function repeatedHeaders(rows: readonly HookHeaderRow[]): readonly FieldFinding[] {
  return [...repeatedNames(rows)].map((name) => ({ field: 'headers', message: name }))
}

/** The draft of the hook form, and what it sends. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import {
  hookKindOf,
  isEventType,
  isQualifiedEvent,
  eventTypes,
} from '../../../shared/service/event-type.ts'
import type { CallProblem, Finding } from '../../ui/call-problem.ts'
import type { FieldFinding } from '../../ui/finding-text.tsx'
import {
  headersOfRows,
  repeatedNames,
  rowsOfHeaders,
  type HookHeaderRow,
} from './header-editor.tsx'

export interface HookDraft {
  readonly environment: string
  readonly event: string
  /** Null while the proposed program is used. */
  readonly programId: string | null
  readonly offerId: string
  /** Null while the proposed receiver URL is used. */
  readonly url: string | null
  readonly headers: readonly HookHeaderRow[]
}

export function newHookDraft(environment: string): HookDraft {
  return {
    environment,
    event: 'transaction.auth',
    programId: null,
    offerId: '',
    url: null,
    headers: [],
  }
}

/** The initial draft for a new hook, or as much as is known of an existing one. `url` null means the proposed URL. */
export type HookBeginning = Pick<
  Hook,
  'environment' | 'event' | 'programId' | 'offerId' | 'headers'
> & {
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

/** The only program of an environment is proposed; of several, the user chooses. */
export function proposedProgram(programs: readonly string[]): string {
  return programs.length === 1 ? (programs[0] ?? '') : ''
}

/** The registration input. Leaves out fields that the selected event doesn't support. */
export function inputOfDraft(
  draft: HookDraft,
  proposed: { programId: string; url: string },
): InputOf<'hooks.add'> {
  const programId = (draft.programId ?? proposed.programId).trim()
  const url = (draft.url ?? proposed.url).trim()
  const offerId = draft.offerId.trim()
  return {
    environment: draft.environment,
    event: draft.event.trim(),
    headers: headersOfRows(draft.headers),
    ...(url === '' ? {} : { url }),
    ...(programId === '' || hookKindOf(draft.event) === 'brand' ? {} : { programId }),
    ...(offerId === '' || !isQualifiedEvent(draft.event) ? {} : { offerId }),
  }
}

/** The update input. An update always sends the whole hook (spec 4.1). */
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

/** One sentence on how this kind of event is registered. */
export function kindSentence(event: string): string {
  if (!isEventType(event))
    return 'Not in the spec: registered as a program hook with a program ID, otherwise as a brand hook.'
  const kind = hookKindOf(event)
  if (kind === null) return "The spec names this event but doesn't show how to register it."
  return kind === 'brand'
    ? 'Brand hook: one for the whole account, no program.'
    : 'Program hook: receives events for one program.'
}

/** Events grouped by hook kind, in the order of spec 6.1. */
export const hookEventGroups = [
  { label: 'Program hooks', events: eventTypes.filter((event) => hookKindOf(event) === 'program') },
  { label: 'Brand hook', events: eventTypes.filter((event) => hookKindOf(event) === 'brand') },
  {
    label: 'Registration not shown in the spec',
    events: eventTypes.filter((event) => hookKindOf(event) === null),
  },
] as const

/** Current findings: those of the check if it is up to date, otherwise those of the rejected request. */
export function findingsNow(
  advice: { readonly findings: readonly Finding[]; readonly current: boolean },
  problem: CallProblem | null,
): readonly Finding[] {
  return !advice.current && problem?.code === 'INVALID_HOOK' ? problem.findings : advice.findings
}

/** Findings for header names used twice. The row editor shows them. */
export function repeatedHeaders(rows: readonly HookHeaderRow[]): readonly FieldFinding[] {
  return [...repeatedNames(rows)].map((name) => ({ field: 'headers', message: name }))
}

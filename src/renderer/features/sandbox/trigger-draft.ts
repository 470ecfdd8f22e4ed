/** The draft of the trigger form and its input for the sandbox. */
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { SandboxObject, Fault } from '../../../shared/model/sandbox.ts'
import type { ShownEventType } from '../../../shared/service/event-type.ts'
import { candidatesFor, subjectOf } from './event-catalogue.ts'
import type { FieldEdit } from './json-edit.ts'

/** A payload being typed: its text, valid or not, and the payload it started from. */
export interface EditedPayload {
  /** Its place among the events of the trigger. */
  readonly index: number
  readonly text: string
  readonly from: unknown
  readonly before: Pick<FieldEdit, 'set' | 'unset'>
  /** The editor lost the focus since. */
  readonly left: boolean
}

/** Changes to the generated payload. */
export interface TriggerDraft extends FieldEdit {
  readonly event: ShownEventType
  /** Empty for the default program. */
  readonly programId: string
  /** ID of the event's object; empty for none; null if nothing was selected. */
  readonly of: string | null
  /** As typed; empty for random. */
  readonly seed: string
  /** The seed of the last preview, so that sending matches it; null for a new one. */
  readonly drawn: number | null
  readonly fault: Fault | ''
  readonly editing: EditedPayload | null
}

export const emptyDraft: TriggerDraft = {
  event: 'transaction.auth',
  programId: '',
  of: null,
  seed: '',
  drawn: null,
  fault: '',
  set: {},
  unset: [],
  literals: {},
  editing: null,
}

/** Another event has other fields and another object. */
export function changedDraft(draft: TriggerDraft, part: Partial<TriggerDraft>): TriggerDraft {
  const other = part.event !== undefined && part.event !== draft.event
  const elsewhere = part.programId !== undefined && part.programId !== draft.programId
  return {
    ...draft,
    ...(other
      ? { of: null, set: {}, unset: [], literals: {}, editing: null }
      : elsewhere
        ? { of: null }
        : {}),
    ...part,
  }
}

/** The event's object: the selected one, or the latest pending payment for a clearing. */
export function subjectId(draft: TriggerDraft, objects: readonly SandboxObject[]): string {
  if (draft.of !== null) return draft.of
  if (!draft.event.startsWith('transaction.clearing')) return ''
  return candidatesFor(draft.event, objects, draft.programId)[0]?.id ?? ''
}

/** The entered seed; null if empty; undefined if invalid. */
export function typedSeed(draft: Pick<TriggerDraft, 'seed'>): number | null | undefined {
  const text = draft.seed.trim()
  if (text === '') return null
  const seed = Number(text)
  return Number.isSafeInteger(seed) ? seed : undefined
}

/** Null if the seed is invalid. */
export function triggerInput(
  draft: TriggerDraft,
  environment: string,
  objects: readonly SandboxObject[],
): InputOf<'sandbox.preview'> | null {
  const typed = typedSeed(draft)
  if (typed === undefined) return null
  const seed = typed ?? draft.drawn
  const set = Object.fromEntries(
    Object.entries(draft.set).filter(([path]) => draft.literals[path] === undefined),
  )
  const of = subjectOf(draft.event) === null ? '' : subjectId(draft, objects)
  return {
    event: draft.event,
    environment,
    ...(draft.programId === '' ? {} : { programId: draft.programId }),
    ...(of === '' ? {} : { of }),
    ...(seed === null ? {} : { seed }),
    ...(draft.fault === '' ? {} : { fault: draft.fault }),
    ...(Object.keys(set).length === 0 ? {} : { set: set as InputOf<'sandbox.preview'>['set'] }),
    ...(Object.keys(draft.literals).length === 0 ? {} : { literals: draft.literals }),
    ...(draft.unset.length === 0 ? {} : { unset: [...draft.unset] }),
  }
}

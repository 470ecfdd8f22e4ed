/** The draft of the trigger form, its edited payload, and what it sends. */
import { z } from 'zod'
import { literalsOf } from '../../../shared/body/json-literals.ts'
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { SandboxObject, TriggerPreview } from '../../../shared/model/sandbox.ts'
import { faultSchema } from '../../../shared/model/notification.ts'
import { shownEventTypes } from '../../../shared/service/event-type.ts'
import type { CodeProblem } from '../../ui/code.tsx'
import { candidatesFor, objectFieldsOf } from './catalogue.ts'
import {
  changesBetween,
  isSame,
  readJsonObject,
  valueAt,
  type FieldEdit,
  type Json,
} from './json-edit.ts'

const fieldEdit = {
  set: z.record(z.string(), z.custom<Json>()).readonly(),
  unset: z.array(z.string()).readonly(),
  literals: z.record(z.string(), z.string()).readonly(),
}

const typedPayloadSchema = z
  .object({
    /** Position among the events of the trigger. */
    index: z.number(),
    text: z.string(),
    /** Payload without edits. */
    made: z.unknown(),
    /** Payload that was typed over. */
    from: z.unknown(),
    /** Edits before typing. */
    before: z.object(fieldEdit).readonly(),
    /** Whether the editor has lost the focus since. */
    left: z.boolean(),
  })
  .readonly()
/** A payload as typed, valid or not. */
type TypedPayload = z.infer<typeof typedPayloadSchema>

export const triggerDraftSchema = z
  .object({
    ...fieldEdit,
    event: z.enum(shownEventTypes),
    /** Empty for the default program. */
    programId: z.string(),
    /** ID of the event's object; empty for none; null if nothing was selected. */
    of: z.string().nullable(),
    /** Seed as typed; empty for the random one. */
    seed: z.string(),
    /** A random seed, so that sending matches the preview. */
    drawn: z.number(),
    fault: faultSchema.or(z.literal('')),
    /** The text that is shown instead of the preview's. */
    typed: typedPayloadSchema.nullable(),
  })
  .readonly()
/** Draft of a trigger, with edits of the generated payload. */
export type TriggerDraft = z.infer<typeof triggerDraftSchema>

export const UNEDITED = { set: {}, unset: [], literals: {}, typed: null } as const

/** Returns a random seed of 48 bits. */
export function newSeed(): number {
  const [high = 0, low = 0] = crypto.getRandomValues(new Uint32Array(2))
  return (high % 65_536) * 2 ** 32 + low
}

export function newTrigger(): TriggerDraft {
  return {
    event: 'transaction.auth',
    programId: '',
    of: null,
    seed: '',
    drawn: newSeed(),
    fault: '',
    ...UNEDITED,
  }
}

/**
 * Returns the changed draft. Another event drops object and fields; another payload keeps the edits
 * of the typed one.
 */
export function changedDraft(draft: TriggerDraft, part: Partial<TriggerDraft>): TriggerDraft {
  const isOther = (name: keyof TriggerDraft) =>
    part[name] !== undefined && part[name] !== draft[name]
  const isOtherPayload = (['programId', 'of', 'seed', 'drawn', 'fault'] as const).some(isOther)
  return {
    ...draft,
    ...(isOther('event') ? { of: null, ...UNEDITED } : {}),
    ...(isOther('programId') ? { of: null } : {}),
    ...(isOtherPayload ? { typed: null } : {}),
    ...part,
  }
}

/** Returns the ID of the selected object, or of the latest pending payment for a clearing. */
export function subjectId(draft: TriggerDraft, objects: readonly SandboxObject[]): string {
  if (draft.of !== null) return draft.of
  const [field] = objectFieldsOf(draft.event)
  if (field === undefined || !draft.event.startsWith('transaction.clearing')) return ''
  return candidatesFor(field, objects, draft.programId)[0]?.id ?? ''
}

/** Returns the seed; undefined if the entered one is invalid. */
export function seedOf({ seed, drawn }: Pick<TriggerDraft, 'seed' | 'drawn'>): number | undefined {
  const typed = seed.trim() === '' ? drawn : Number(seed)
  return Number.isSafeInteger(typed) ? typed : undefined
}

/** Returns the input of the trigger without edits; null if the seed is invalid. */
export function triggerInput(
  draft: TriggerDraft,
  environment: string,
  objects: readonly SandboxObject[],
): InputOf<'sandbox.preview'> | null {
  const seed = seedOf(draft)
  if (seed === undefined) return null
  const { event, programId, fault } = draft
  const of = objectFieldsOf(event).length === 0 ? '' : subjectId(draft, objects)
  return {
    event,
    environment,
    seed,
    ...(programId === '' ? {} : { programId }),
    ...(of === '' ? {} : { of }),
    ...(fault === '' ? {} : { fault }),
  }
}

/** Returns the edits of the payload; null without any. */
export function editsOf({ set, unset, literals }: FieldEdit) {
  const values = Object.fromEntries(
    Object.entries(set).filter(([path]) => literals[path] === undefined),
  ) as NonNullable<InputOf<'sandbox.preview'>['set']>
  const has = (edits: object) => Object.keys(edits).length > 0
  const edits = {
    ...(has(values) ? { set: values } : {}),
    ...(has(literals) ? { literals } : {}),
    ...(has(unset) ? { unset: [...unset] } : {}),
  }
  return has(edits) ? edits : null
}

/** Returns the reasons why a typed payload is refused; empty if it is fine. */
export function problemsOf(typed: TypedPayload | null): readonly CodeProblem[] {
  if (typed === null) return []
  const read = readJsonObject(typed.text)
  if (!read.ok) return [read]
  return changesBetween(typed.made, read.value).problems.map(({ path, message }) => ({
    message,
    at: placeOf(typed.text, path),
  }))
}

const pathsOf = ({ set, unset }: Pick<FieldEdit, 'set' | 'unset'>) => [
  ...Object.keys(set),
  ...unset,
]

/** Whether one path is the other, or within it. */
const touches = (one: string, other: string) =>
  `${one}.`.startsWith(`${other}.`) || other.startsWith(`${one}.`)

/**
 * Returns the fields of a typed payload that the user changed. Times also differ between two
 * previews, so only typed differences count.
 */
export function editOfTyped(typed: TypedPayload): Partial<TriggerDraft> {
  const { made, from, before, text } = typed
  const read = readJsonObject(text)
  const changes = read.ok ? changesBetween(made, read.value) : null
  if (!read.ok || changes === null || changes.problems.length > 0) return { typed }
  const touched = [...pathsOf(changesBetween(from, read.value)), ...pathsOf(before)]
  const isTyped = (path: string) => touched.some((other) => touches(path, other))
  return {
    typed,
    set: Object.fromEntries(Object.entries(changes.set).filter(([path]) => isTyped(path))),
    unset: changes.unset.filter(isTyped),
    literals: literalsOf(text),
  }
}

/** Returns the position of a field in the text, or of its parent if it is missing. */
export function placeOf(text: string, path: string): number | null {
  const positions = path.split('.').map((name) => text.indexOf(`"${name}"`))
  return positions.findLast((at) => at !== -1) ?? null
}

/** Fields that were set but are in no payload: the sandbox overrides them. */
export function ignoredFields({ set }: FieldEdit, { events }: TriggerPreview): readonly string[] {
  return Object.keys(set).filter(
    (path) => !events.some(({ payload }) => isSame(valueAt(payload, path), set[path])),
  )
}

/** Fields above the payload: their values, and the edits that they make of the draft. */
import { nodeOfPath } from '../../../shared/body/json-literals.ts'
import { readJson } from '../../../shared/json/tree.ts'
import type { SandboxObject } from '../../../shared/model/sandbox.ts'
import type { ChangedValue } from '../../ui/code.tsx'
import type { ObjectField } from './catalogue.ts'
import { valueAt, type FieldEdit, type Json } from './json-edit.ts'
import { subjectId, type TriggerDraft } from './trigger-draft.ts'

/** Returns the changed values in a payload's text, each with its text in the generated payload. */
export function changedValues(
  { set, literals }: FieldEdit,
  text: string,
  made: string,
): readonly ChangedValue[] {
  const [root, madeRoot] = [readJson(text), readJson(made)]
  const paths = new Set([...Object.keys(set), ...Object.keys(literals)])
  return [...paths].flatMap((path) => {
    const names = path.split('.')
    const node = nodeOfPath(root, names)
    const was = nodeOfPath(madeRoot, names)?.raw ?? ''
    if (node === null || node.raw === was) return []
    return { at: node.key?.start ?? node.start, was }
  })
}

/** Returns the edits of the draft outside these fields of the payload. */
export function withoutEdits(draft: FieldEdit, fields: readonly string[]): FieldEdit {
  const isKept = (path: string) => !fields.includes(path.split('.')[0] ?? '')
  const kept = <T>(edits: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
    Object.fromEntries(Object.entries(edits).filter(([path]) => isKept(path)))
  return {
    set: kept(draft.set),
    literals: kept(draft.literals),
    unset: draft.unset.filter(isKept),
  }
}

/** Returns the ID of the object that a field shows: edited, selected or drawn; '' for a new one. */
export function shownId(
  field: ObjectField,
  draft: TriggerDraft,
  objects: readonly SandboxObject[],
  payload: unknown,
): string {
  const edited = draft.set[field.path]
  if (typeof edited === 'string') return edited
  const of = subjectId(draft, objects)
  if (objects.some(({ id, kind }) => id === of && kind === field.kind)) return of
  const drawn = field.isDrawn === true ? valueAt(payload, field.path) : undefined
  return typeof drawn === 'string' ? drawn : ''
}

const CARD_FIELDS = ['id', 'firstNumbers', 'lastNumbers', 'scheme'] as const

/**
 * Returns what selecting an object changes; '' selects none. A payment has one subject: if both are
 * selected, it is the location, and the card becomes an edit of the payload.
 */
export function withObject(
  field: ObjectField,
  id: string,
  draft: TriggerDraft,
  objects: readonly SandboxObject[],
): Partial<TriggerDraft> {
  if (field.isDrawn !== true)
    return { ...withoutEdits(draft, [field.path.split('.')[0] ?? '']), of: id, typed: null }
  const shown = (kind: 'card' | 'location') => {
    const ids = kind === field.kind ? [id] : [draft.of, draft.set[`${kind}.id`]]
    return objects.find((object) => object.kind === kind && ids.includes(object.id))
  }
  const [card, location] = [shown('card'), shown('location')]
  const { set, ...kept } = withoutEdits(draft, ['card', 'location', 'brand'])
  const cardEdits =
    card === undefined || location === undefined
      ? []
      : CARD_FIELDS.map((name) => [`card.${name}`, card.data[name] as Json] as const)
  return {
    ...kept,
    set: { ...set, ...Object.fromEntries(cardEdits) },
    of: location?.id ?? card?.id ?? '',
    typed: null,
  }
}

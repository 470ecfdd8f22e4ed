/** The payload that is shown and edited, as JSON and in fields. */
import { useState } from 'react'
import { textAt, withLiteral } from '../../../shared/body/json-literals.ts'
import { formatJson } from '../../../shared/json/format.ts'
import { changedValues } from './field-edits.ts'
import { problemsOf, editOfTyped, type TriggerDraft } from './trigger-draft.ts'
import type { Preview } from './use-trigger-preview.ts'

/** Returns the shown event and callbacks that edit its payload; null without a preview. */
export function usePayload(
  draft: TriggerDraft,
  state: Preview,
  onChange: (part: Partial<TriggerDraft>) => void,
) {
  const { made, preview } = state
  const [selected, setSelected] = useState(0)
  const problems = problemsOf(draft.typed)
  const isInPreview =
    draft.typed?.left === true && problems.length === 0 && state.isCurrent && state.problem === null
  const typed = isInPreview ? null : draft.typed
  const events = preview?.events ?? []
  const at = Math.min(typed?.index ?? selected, events.length - 1)
  const shown = events[at]
  if (shown === undefined) return null
  const text = typed?.text ?? formatJson(shown.body) ?? shown.body
  const edit = (next: string, left: boolean) => {
    const begun = typed ?? {
      index: at,
      made: made?.events[at]?.payload ?? shown.payload,
      from: shown.payload,
      before: draft,
    }
    onChange(editOfTyped({ ...begun, text: next, left }))
  }
  return {
    ...{ events, at, text, ...shown },
    /** Why the typed payload is refused; empty if it is fine. */
    problems,
    isEditable: shown.event.split('.')[0] === draft.event.split('.')[0],
    changes: changedValues(draft, text, made?.events[at]?.body ?? ''),
    show(place: number) {
      onChange({ typed: null })
      setSelected(place)
    },
    edit: (next: string) => edit(next, false),
    /** For when the editor loses the focus. */
    leave() {
      if (typed !== null) onChange({ typed: { ...typed, left: true } })
    },
    /** Returns a field's value as written; '' without the field. */
    fieldText: (path: string) => textAt(text, path) ?? '',
    /** Writes a JSON value into a field, exactly as given. */
    setField(path: string, literal: string) {
      const next = withLiteral(text, path, literal)
      if (next !== null) edit(next, true)
    },
  }
}

export type ShownPayload = NonNullable<ReturnType<typeof usePayload>>

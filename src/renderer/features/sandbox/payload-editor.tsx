/** The payload that a trigger sends, which can be edited as JSON. */
import { CircleX, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { formatJson } from '../../../shared/json/format.ts'
import { counted } from '../../../shared/text/english.ts'
import { Button } from '../../ui/button.tsx'
import { Code, type CodeProblem } from '../../ui/code.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { EventTabs } from './event-tabs.tsx'
import {
  ignoredFields,
  placeOf,
  problemsOf,
  editOfTyped,
  UNEDITED,
  type TriggerDraft,
} from './trigger-draft.ts'
import type { Preview } from './use-trigger-preview.ts'

interface PayloadEditorProps {
  readonly draft: TriggerDraft
  readonly state: Preview
  readonly onChange: (part: Partial<TriggerDraft>) => void
}

/** Returns the typed payload to show; null if the preview already has the edit. */
function shownTyped({ typed }: TriggerDraft, { isCurrent, problem }: Preview) {
  const isInPreview =
    typed?.left === true && problemsOf(typed).length === 0 && isCurrent && problem === null
  return isInPreview ? null : typed
}

export function PayloadEditor({ draft, state, onChange }: PayloadEditorProps) {
  const { made, preview, problem, isCurrent } = state
  const [selected, setSelected] = useState(0)
  const problems = problemsOf(draft.typed)
  const typed = shownTyped(draft, state)
  const events = preview?.events ?? []
  const at = Math.min(typed?.index ?? selected, events.length - 1)
  const shown = events[at]
  if (shown === undefined) return <NoPayload problem={problem} />
  const isEditable = shown.event.split('.')[0] === draft.event.split('.')[0]
  const text = typed?.text ?? formatJson(shown.body) ?? shown.body
  const edit = (next: string) => {
    const begun = typed ?? {
      index: at,
      made: made?.events[at]?.payload ?? shown.payload,
      from: shown.payload,
      before: draft,
    }
    onChange(editOfTyped({ ...begun, text: next, left: false }))
  }
  const ignored =
    isCurrent && problem === null && preview !== null ? ignoredFields(draft, preview) : []
  return (
    <>
      <div className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-1 border-b border-line bg-surface px-2">
        <EventTabs
          events={events}
          at={at}
          isLocked={problems.length > 0}
          onShow={(place) => {
            onChange({ typed: null })
            setSelected(place)
          }}
        />
        <UndoEdits draft={draft} onChange={onChange} />
        <CopyButton text={text} label="Copy payload" />
      </div>
      <Code
        label={`Payload of ${shown.event}`}
        className="min-h-32 flex-1"
        text={text}
        json
        onText={isEditable ? edit : undefined}
        onLeave={() => {
          if (typed !== null) onChange({ typed: { ...typed, left: true } })
        }}
        problems={problem === null ? problems : [...problems, problemIn(text, problem)]}
      />
      {ignored.length > 0 && (
        <p className="shrink-0 border-t border-line bg-warn-wash px-4 py-1.5 text-small wrap-anywhere">
          <span className="data">{ignored.join(', ')}</span>{' '}
          {ignored.length === 1 ? 'keeps its generated value.' : 'keep their generated values.'}
        </p>
      )}
      {!isEditable && (
        <p className="shrink-0 border-t border-line px-4 py-1.5 text-small text-muted">
          Sent automatically and can't be edited. Edit the payload of {draft.event} instead.
        </p>
      )}
    </>
  )
}

/** Returns a problem of the preview at the field that its message quotes. */
function problemIn(text: string, message: string): CodeProblem {
  const [, path] = /`([\w.]+)`/.exec(message) ?? []
  return { message, at: path === undefined ? null : placeOf(text, path) }
}

function NoPayload({ problem }: Pick<Preview, 'problem'>) {
  return problem === null ? (
    <div role="status" aria-label="Loading preview" className="late m-5 skeleton h-40" />
  ) : (
    <p role="alert" className="flex min-h-0 flex-1 gap-2.5 px-5 py-4 text-bad">
      <CircleX size={15} className="mt-0.5 shrink-0" />
      <span className="min-w-0 wrap-anywhere">
        <QuotedText text={problem} />
      </span>
    </p>
  )
}

function UndoEdits({ draft, onChange }: Pick<PayloadEditorProps, 'draft' | 'onChange'>) {
  const { set, literals, unset } = draft
  const count = new Set([...Object.keys(set), ...Object.keys(literals), ...unset]).size
  if (count === 0) return null
  return (
    <Button
      kind="quiet"
      className="h-6 px-1.5 text-small"
      icon={RotateCcw}
      onClick={() => onChange(UNEDITED)}
    >
      Undo {counted(count, 'edit')}
    </Button>
  )
}

/** The payload that a trigger sends, which can be edited as JSON. */
import { CircleX, Undo2 } from 'lucide-react'
import { counted } from '../../../shared/text/english.ts'
import { Button } from '../../ui/button.tsx'
import { Code, type CodeProblem } from '../../ui/code.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { EventTabs } from './event-tabs.tsx'
import { ignoredFields, placeOf, UNEDITED, type TriggerDraft } from './trigger-draft.ts'
import type { ShownPayload } from './use-payload.ts'
import type { Preview } from './use-trigger-preview.ts'

interface PayloadEditorProps {
  readonly draft: TriggerDraft
  readonly state: Preview
  readonly payload: ShownPayload
  readonly onChange: (part: Partial<TriggerDraft>) => void
}

export function PayloadEditor({ draft, state, payload, onChange }: PayloadEditorProps) {
  const { preview, problem, isCurrent } = state
  const { text, event, problems, isEditable } = payload
  const ignored =
    isCurrent && problem === null && preview !== null ? ignoredFields(draft, preview) : []
  return (
    <>
      <div className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-1 border-b border-line bg-surface px-1.5">
        <EventTabs
          events={payload.events}
          at={payload.at}
          isLocked={problems.length > 0}
          onShow={payload.show}
        />
        <UndoEdits draft={draft} shown={payload.changes.length} onChange={onChange} />
        <CopyButton text={text} label="Copy payload" />
      </div>
      <Code
        label={`Payload of ${event}`}
        className="h-auto min-h-24 flex-1 shrink-0 basis-0"
        text={text}
        json
        onText={isEditable ? payload.edit : undefined}
        onLeave={payload.leave}
        changes={payload.changes}
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

export function NoPayload({ problem }: Pick<Preview, 'problem'>) {
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

function UndoEdits({
  draft: { set, literals, unset },
  shown,
  onChange,
}: Pick<PayloadEditorProps, 'draft' | 'onChange'> & { readonly shown: number }) {
  const count = shown + unset.length
  if (Object.keys({ ...set, ...literals }).length + unset.length === 0) return null
  return (
    <Button
      kind="quiet"
      className="h-6 px-1.5 text-small"
      icon={Undo2}
      onClick={() => onChange(UNEDITED)}
    >
      {count === 0 ? 'Undo edits' : `Undo ${counted(count, 'edit')}`}
    </Button>
  )
}

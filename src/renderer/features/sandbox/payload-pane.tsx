/** Previews the events to send, with editable payloads. */
import { CircleX, RotateCcw } from 'lucide-react'
import { useEffect, useState } from 'react'
import { literalsOf } from '../../../shared/body/json-literals.ts'
import { formatJson } from '../../../shared/json/format.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Code, type CodeProblem } from '../../ui/code.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { hookWords } from './event-list.tsx'
import {
  changesBetween,
  isSame,
  mergedEdit,
  readJsonObject,
  valueAt,
  type Fields,
} from './json-edit.ts'
import type { EditedPayload, TriggerDraft } from './trigger-draft.ts'
import type { PreviewState } from './use-trigger-preview.ts'

export function PayloadPane({
  draft,
  state,
  onEdit,
  onReadable,
}: {
  readonly draft: TriggerDraft
  readonly state: PreviewState
  readonly onEdit: (edit: Partial<TriggerDraft>) => void
  /** Whether the text is valid. */
  readonly onReadable: (readable: boolean) => void
}) {
  const { preview, made, problem, current } = state
  const [index, setIndex] = useState(0)
  const { editing } = draft
  const events = preview?.events ?? []
  const at = Math.min(index, Math.max(0, events.length - 1))
  const shown = events[at]
  const problems = editing === null ? [] : problemsOf(editing)
  const readable = problems.length === 0

  useEffect(() => {
    onReadable(readable)
  }, [readable, onReadable])
  const isApplied = editing?.left === true && readable && current && problem === null
  useEffect(() => {
    // The preview includes the edit, so the editor shows the sandbox's version from now on.
    if (isApplied) onEdit({ editing: null })
  }, [isApplied, onEdit])

  if (shown === undefined) {
    if (problem !== null)
      return (
        <p role="alert" className="flex min-h-0 flex-1 gap-2.5 px-5 py-4 text-bad">
          <CircleX size={15} aria-hidden className="mt-0.5 shrink-0" />
          <span className="min-w-0 wrap-anywhere">
            <QuotedText text={problem.message} />
          </span>
        </p>
      )
    return <div role="status" aria-label="Loading preview" className="late m-5 skeleton h-40" />
  }
  const own = editing?.index === at ? editing : null
  const isElsewhere = editing !== null && own === null
  const editable = shown.event.split('.')[0] === draft.event.split('.')[0] && !isElsewhere
  const text = own?.text ?? formatJson(shown.body) ?? shown.body
  const edit = (next: string) => {
    const begun = own ?? {
      index: at,
      from: shown.payload,
      before: { set: draft.set, unset: draft.unset },
    }
    const now = { ...begun, text: next, left: false }
    const read = readJsonObject(next)
    const changes = read.ok ? changesBetween(now.from, read.value) : null
    if (changes === null || changes.problems.length > 0) {
      onEdit({ editing: now })
      return
    }
    const payload = made?.events[now.index]?.payload ?? now.from
    const { set, unset } = mergedEdit(now.before, changes, payload)
    onEdit({ editing: now, set, unset, literals: literalsOf(next) })
  }
  const show = (place: number) => {
    if (readable) onEdit({ editing: null })
    setIndex(place)
  }
  const changed = new Set([
    ...Object.keys(draft.set),
    ...Object.keys(draft.literals),
    ...draft.unset,
  ]).size
  const ignored = current && problem === null ? ignoredFields(draft.set, events) : []
  return (
    <>
      <div className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-1 border-b border-line bg-surface pr-2 pl-2">
        <div
          role="tablist"
          aria-label="Events in sending order"
          className="flex min-w-0 flex-1 flex-wrap items-center"
        >
          {events.map(({ event, hooks }, place) => (
            <button
              key={place}
              type="button"
              role="tab"
              aria-selected={place === at}
              tabIndex={place === at ? 0 : -1}
              onClick={() => show(place)}
              onKeyDown={({ key, currentTarget }) => {
                const by = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
                const next = place + by
                if (by === 0 || next < 0 || next >= events.length) return
                show(next)
                const tab = currentTarget.parentElement?.children[next]
                if (tab instanceof HTMLElement) tab.focus()
              }}
              className={classNames(
                'flex h-9 items-center gap-2 border-b-2 px-2.5',
                place === at
                  ? 'border-accent text-text'
                  : 'border-transparent text-muted hover:text-text',
              )}
            >
              <span className="data">{event}</span>
              <span className={classNames('text-tiny', hooks === 0 ? 'text-warn' : 'text-subtle')}>
                → {hookWords(hooks)}
              </span>
            </button>
          ))}
        </div>
        {changed > 0 && (
          <Button
            kind="quiet"
            className="h-6 px-1.5 text-small"
            icon={<RotateCcw size={12} aria-hidden />}
            onClick={() => onEdit({ set: {}, unset: [], literals: {}, editing: null })}
          >
            Undo {changed === 1 ? '1 edit' : `${changed} edits`}
          </Button>
        )}
        <CopyButton text={text} label="Copy payload" />
      </div>
      <Code
        label={`Payload of ${shown.event}`}
        className="min-h-32 flex-1"
        text={text}
        json
        onText={editable ? edit : undefined}
        onLeave={() => {
          if (own !== null) onEdit({ editing: { ...own, left: true } })
        }}
        problems={[
          ...(isElsewhere ? [] : problems),
          ...(problem === null
            ? []
            : [{ message: problem.message, at: placeOfField(text, problem.message) }]),
        ]}
      />
      {ignored.length > 0 && (
        <p className="shrink-0 border-t border-line bg-warn-wash px-4 py-1.5 text-small wrap-anywhere">
          <span className="data">{ignored.join(', ')}</span>{' '}
          {ignored.length === 1 ? 'keeps its generated value.' : 'keep their generated values.'}
        </p>
      )}
      {!editable && (
        <p className="shrink-0 border-t border-line px-4 py-1.5 text-small text-muted">
          {isElsewhere
            ? `Correct the payload of ${events[editing.index]?.event ?? draft.event} first.`
            : `Sent automatically and can't be edited. Edit the payload of ${draft.event} instead.`}
        </p>
      )}
    </>
  )
}

function problemsOf({ text, from }: EditedPayload): readonly CodeProblem[] {
  const read = readJsonObject(text)
  if (!read.ok) return [read]
  return changesBetween(from, read.value).problems.map(({ path, message }) => ({
    message,
    at: fieldAt(text, path),
  }))
}

/** The position of a field in the text, or of its parent if it is missing. */
function fieldAt(text: string, path: string): number | null {
  const names = path.split('.')
  while (names.length > 0) {
    const found = text.indexOf(`"${names.at(-1) ?? ''}"`)
    if (found !== -1) return found
    names.pop()
  }
  return text.indexOf('{')
}

/** The core puts the rejected field in backticks. */
function placeOfField(text: string, message: string): number | null {
  const [, path] = /`([\w.]+)`/.exec(message) ?? []
  const found = path === undefined ? -1 : text.indexOf(`"${path.split('.').at(-1) ?? ''}"`)
  return found === -1 ? null : found
}

/** Fields that were set but are in no payload: the sandbox overrides them. */
function ignoredFields(
  set: Fields,
  events: readonly { readonly payload: unknown }[],
): readonly string[] {
  return Object.entries(set)
    .filter(([path, value]) => !events.some(({ payload }) => isSame(valueAt(payload, path), value)))
    .map(([path]) => path)
}

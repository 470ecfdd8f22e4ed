/** The form of a new request: event, body with its schema findings, signing, name, and response. */
import { useDeferredValue, useMemo } from 'react'
import { checkPayload } from '../../../shared/service/payload.ts'
import { shownEventTypes } from '../../../shared/service/event-type.ts'
import { counted } from '../../../shared/text/english.ts'
import { useRead } from '../../core-data/use-read.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { findingsAtField, QuotedText } from '../../ui/finding-text.tsx'
import { SelectField } from '../../ui/select.tsx'
import { ComposerFrame } from './composer-frame.tsx'
import { ComposerOptions } from './composer-options.tsx'
import { newDraft } from './draft.ts'
import { NEW_REQUEST } from './new-request-parts.ts'
import type { ReplaySource } from './replay-state.ts'
import { RequestPane } from './request-pane.tsx'
import { SentFromHere } from './sent-from-here.tsx'
import { TargetField } from './target-field.tsx'
import { useComposer, type ComposerState } from './use-composer.ts'

export function NewRequestForm({
  source,
  first,
  onDone,
}: {
  readonly source: ReplaySource
  readonly first: string
  readonly onDone: () => void
}) {
  const composer = useComposer({
    source,
    captured: NEW_REQUEST,
    initialDraft: newDraft({ ...NEW_REQUEST.original, text: '' }, first),
  })
  const { draft, change, composed, hookId, problem, send } = composer
  const nameProblem = findingsAtField(problem?.findings ?? [], 'name')
  const text = draft.text ?? ''
  return (
    <ComposerFrame
      composer={composer}
      captured={null}
      onDone={onDone}
      request={
        <>
          <EventAndTarget composer={composer} />
          <RequestPane
            draft={{ ...draft, text }}
            captured={{
              ...NEW_REQUEST,
              delivery: { ...NEW_REQUEST.delivery, event: draft.event || null },
            }}
            changes={[]}
            onChange={change}
            previewInput={null}
          />
        </>
      }
      options={
        <>
          <SchemaFindings event={draft.event} text={text} />
          <ComposerOptions source={source} composer={composer} />
          <div className="border-b border-line px-5 py-3">
            <TextField
              label="Name"
              optional
              hint="Send it again: replay name:NAME."
              problem={nameProblem}
              value={draft.name}
              onChange={(name) => change({ name })}
            />
            {nameProblem !== undefined && (
              <Button className="mt-2" onClick={() => void send({ takesName: true })}>
                Send and move the name here
              </Button>
            )}
          </div>
          {composed === null ? (
            <p className="px-5 py-3 text-muted">Send to see the response here.</p>
          ) : (
            <SentFromHere
              composer={composer}
              delivery={{ ...NEW_REQUEST.delivery, id: composed.id, hookId }}
              onLeave={onDone}
            />
          )}
        </>
      }
    />
  )
}

function EventAndTarget({
  composer: { draft, registered, changeTarget, change },
}: {
  readonly composer: ComposerState
}) {
  const { event, text, target } = draft
  const { output } = useRead('sandbox.preview', event === '' ? null : { event })
  const sample = output?.events.find((one) => one.event === event)?.body ?? null
  return (
    <div className="flex shrink-0 items-start gap-2 border-b border-line px-5 py-2.5 @max-[560px]:flex-wrap [&_label]:sr-only">
      <div className="w-52 shrink-0">
        <SelectField
          label="Event"
          choices={[
            { value: '', label: 'Any body' },
            ...shownEventTypes.map((value) => ({ value, label: value })),
          ]}
          value={event}
          onChange={(next) => change({ event: next })}
        />
      </div>
      <Button
        className="shrink-0"
        disabled={sample === null || sample === text}
        onClick={() => change({ text: sample })}
      >
        Insert sample
      </Button>
      <div className="min-w-0 flex-1 @max-[560px]:basis-full">
        <TargetField target={target} onTarget={changeTarget} registered={registered} isRow />
      </div>
    </div>
  )
}

const isMissing = ({ message }: { readonly message: string }) => message.startsWith('Missing')

/** Findings shown. */
const MOST_FINDINGS = 8

/** Lists where the body departs from its event's schema, shortly after typing. */
function SchemaFindings({ event, text }: { readonly event: string; readonly text: string }) {
  const checked = useDeferredValue(text)
  const { outcome, failures, findings } = useMemo(
    () => checkPayload(event === '' ? null : event, checked),
    [event, checked],
  )
  const all = [
    // A wrong value was typed; a missing one may come.
    ...failures
      .toSorted((a, b) => Number(isMissing(a)) - Number(isMissing(b)))
      .map((note) => ({ ...note, isError: true })),
    ...findings.map((note) => ({ ...note, isError: false })),
  ]
  const title =
    event === ''
      ? 'No schema'
      : outcome === 'not-json'
        ? 'Not JSON'
        : failures.length === 0
          ? `Matches the ${event} schema`
          : counted(failures.length, 'schema error')
  return (
    <section
      aria-label="Schema"
      tabIndex={0}
      className="h-40 overflow-auto border-b border-line px-5 py-2 outline-offset-[-2px]"
    >
      <h3
        className={`flex min-h-7 items-center font-medium ${failures.length > 0 ? 'text-bad' : ''}`}
      >
        {title}
      </h3>
      <ul className="text-small">
        {all.slice(0, MOST_FINDINGS).map(({ path, message, isError }) => (
          <li key={`${path} ${message}`} className={`py-0.5 ${isError ? '' : 'text-muted'}`}>
            <QuotedText text={message} />
          </li>
        ))}
        {all.length > MOST_FINDINGS && (
          <li className="py-0.5 text-muted">and {all.length - MOST_FINDINGS} more</li>
        )}
      </ul>
    </section>
  )
}

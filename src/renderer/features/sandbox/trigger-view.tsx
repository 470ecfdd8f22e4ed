/** Triggers an event: its kind and object, the payload, which can be edited, and the result. */
import { CircleX, Dices, RotateCcw, Send, Webhook } from 'lucide-react'
import { useId, useState, type KeyboardEvent } from 'react'
import type { InputOf } from '../../../shared/contract/contract.ts'
import { formatJson } from '../../../shared/json/format.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import { outcomeOfAttempt } from '../../../shared/model/service-outcomes.ts'
import type { SandboxObject, TriggerPreview } from '../../../shared/model/sandbox.ts'
import type { Fault } from '../../../shared/model/notification.ts'
import { eventMeaning, hookKindOf } from '../../../shared/service/event-type.ts'
import { counted } from '../../../shared/text/counted.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useAppParts, useParts } from '../../ui-state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Code } from '../../ui/code.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { DisclosureButton } from '../../ui/disclosure.tsx'
import { TextField } from '../../ui/field.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { DetailPane, SplitPanes, useNarrow } from '../../ui/split-panes.tsx'
import { useSettled } from '../../ui/use-form.ts'
import { visibleText } from '../../ui/visible-text.ts'
import {
  candidatesFor,
  eventGroups,
  faultMeanings,
  kindNames,
  objectKinds,
  objectLine,
  refusedIn,
  subjectOf,
} from './catalogue.ts'
import { DeliveryLink, NotificationState } from './log-view.tsx'
import {
  editsOf,
  ignoredFields,
  newSeed,
  UNEDITED,
  placeOf,
  problemsOf,
  seedOf,
  subjectId,
  triggerInput,
  typedEdit,
  type TriggerDraft,
} from './trigger-draft.ts'
import { useNotifications, useObjects, usePlace } from './use-sandbox.ts'
import { SelectField } from '../../ui/select.tsx'

/** The send button; `Mod+Enter` presses it. */
export const SEND_ID = 'sandbox-send'

const TYPING_PAUSE_MS = 150

type Input = InputOf<'sandbox.preview'>

/** Previews the notification once typing pauses: without edits (`made`) and with them. */
function usePreview(input: Input | null, draft: TriggerDraft) {
  const edits = editsOf(draft)
  const about = JSON.stringify([
    input,
    input === null || edits === null ? null : { ...input, ...edits },
  ])
  const settled = useSettled(about, TYPING_PAUSE_MS)
  const [plain, edited] = JSON.parse(settled) as [Input | null, Input | null]
  const made = useRead('sandbox.preview', plain, { keep: true })
  const changed = useRead('sandbox.preview', edited, { keep: true })
  const shown = edited === null ? made : changed
  return {
    made: made.output ?? null,
    preview: shown.output ?? made.output ?? null,
    problem: made.failure ?? (edited === null ? null : changed.failure),
    /** Whether it is what the form says now. */
    isCurrent: settled === about && shown.output !== undefined && !shown.isEarlier,
  }
}

type Preview = ReturnType<typeof usePreview>

export function TriggerView() {
  const { trigger, changeTrigger, sendTrigger } = useParts(
    'sandbox',
    'trigger',
    'changeTrigger',
    'sendTrigger',
  )
  const { draft, sending, problem } = trigger
  const { environment, mode } = usePlace()
  const objects = useObjects() ?? []
  const stacked = useNarrow()
  const input = triggerInput(draft, environment, objects)
  const state = usePreview(input, draft)
  const hooks = (state.preview?.events ?? []).reduce((sum, event) => sum + event.hooks, 0)
  const noHook = state.isCurrent && hooks === 0 && refusedIn(draft.event, mode) === null
  const programId = draft.programId || objects.find(({ kind }) => kind === 'program')?.id || null
  // A live hook needs its own confirmation.
  const addsHook = noHook && mode === 'test'
  const isReadable = problemsOf(draft.typed).length === 0
  const ready = input !== null && isReadable && state.problem === null && (hooks > 0 || addsHook)
  const send = () => {
    if (input === null) return
    const hook = {
      event: draft.event,
      environment,
      ...(hookKindOf(draft.event) === 'program' && programId !== null ? { programId } : {}),
    }
    void sendTrigger({ ...input, ...editsOf(draft) }, addsHook ? hook : undefined)
  }
  const about = (
    <section
      aria-label="Event"
      data-pane="event"
      className="@container h-full overflow-auto bg-ground"
      tabIndex={-1}
    >
      <EventList event={draft.event} />
      <TriggerFields draft={draft} objects={objects} onChange={changeTrigger} />
    </section>
  )
  const payload = (
    <DetailPane label="Payload" pane="payload">
      <PayloadEditor key={draft.event} draft={draft} state={state} onChange={changeTrigger} />
      {noHook && <NoHook addsHook={addsHook} programId={programId} />}
      {problem !== null && (
        <div className="shrink-0 border-t border-line p-3">
          <ProblemView problem={problem} />
        </div>
      )}
      <footer className="flex min-h-12 shrink-0 flex-wrap items-center gap-3 border-t border-line px-4 py-2">
        <p className="min-w-0 flex-1 text-small text-muted" role="status">
          {ready && !addsHook && `For ${counted(hooks, 'hook')}.`}{' '}
          <span className="@max-[560px]:hidden">Times are set on send.</span>
        </p>
        <Button id={SEND_ID} kind="primary" icon={Send} disabled={!ready || sending} onClick={send}>
          {sending ? 'Sending…' : `Send ${draft.event}`}
        </Button>
        <ActionKeys action="sandbox-send" />
      </footer>
      <TriggerResultView />
    </DetailPane>
  )
  return (
    <SplitPanes
      name="sandbox-trigger"
      className="min-h-0 flex-1"
      first={{
        id: 'event',
        minSize: stacked ? '25%' : '324px',
        defaultSize: stacked ? '45%' : '336px',
        content: about,
      }}
      second={{ id: 'payload', content: payload }}
      resize="Resize payload"
    />
  )
}

function hookWords(count: number): string {
  return count === 0 ? 'no hook' : counted(count, 'hook')
}

function EventList({ event }: Pick<TriggerDraft, 'event'>) {
  const hooks = useApp((state) => state.core.hooks)
  const changeTrigger = useApp((state) => state.sandbox.changeTrigger)
  const { environment, mode } = usePlace()
  const name = useId()
  return (
    <div role="radiogroup" aria-label="Event">
      {eventGroups.map(({ label, events }) => (
        <div key={label} role="group" aria-label={label} className="pb-1.5">
          <p className="px-4 pt-2 pb-0.5 text-tiny font-medium text-subtle">{label}</p>
          {events.map((one) => {
            const refused = refusedIn(one, mode)
            const count = hooks.filter(
              (hook) =>
                hook.environment === environment && hook.event === one && hook.status === 'active',
            ).length
            const chosen = one === event
            return (
              <label
                key={one}
                className={classNames(
                  'relative flex flex-col justify-center px-4 py-1 has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent',
                  chosen ? 'bg-selected shadow-[inset_2px_0_0_var(--accent)]' : 'hover:bg-raised',
                )}
              >
                <span className="flex items-baseline gap-3">
                  <input
                    type="radio"
                    name={name}
                    value={one}
                    checked={chosen}
                    disabled={refused !== null}
                    onChange={() => changeTrigger({ event: one })}
                    className="absolute inset-0 opacity-0"
                  />
                  <span
                    className={`data min-w-0 flex-1 truncate ${refused === null ? '' : 'text-subtle'}`}
                  >
                    {one}
                  </span>
                  <span
                    className={`shrink-0 text-tiny ${count > 0 && refused === null ? 'text-muted' : 'text-subtle'}`}
                  >
                    {refused ?? hookWords(count)}
                  </span>
                </span>
                {chosen && <span className="text-small text-muted">{eventMeaning(one)}</span>}
              </label>
            )
          })}
        </div>
      ))}
    </div>
  )
}

/** Most objects offered here. Others can be selected on their own page. */
const MOST_CANDIDATES = 200

const named = (object: SandboxObject) => ({
  value: object.id,
  label: objectLine(object),
  note: visibleText(shortIdOf(object.id)),
})

/** Shows the event's object and, behind "More", its program, seed and fault. */
function TriggerFields({
  draft,
  objects,
  onChange,
}: {
  readonly draft: TriggerDraft
  /** Objects of the environment. */
  readonly objects: readonly SandboxObject[]
  readonly onChange: (part: Partial<TriggerDraft>) => void
}) {
  const { event, programId, fault, seed, drawn } = draft
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const subject = subjectOf(event)
  const candidates = candidatesFor(event, objects, programId)
  const chosen = subjectId(draft, objects)
  const offered = candidates.slice(0, MOST_CANDIDATES).map(named)
  const isElsewhere = chosen !== '' && !offered.some(({ value }) => value === chosen)
  return (
    <>
      {subject !== null && (
        <div className="border-t border-line px-4 pt-3 pb-4">
          <SelectField
            label={subject.label}
            hint={
              candidates.length > MOST_CANDIDATES
                ? `Showing the latest ${MOST_CANDIDATES} of ${candidates.length}. To use another, open it under Objects.`
                : undefined
            }
            value={chosen}
            choices={[
              { value: '', label: subject.nothing },
              ...(isElsewhere ? [{ value: chosen, label: visibleText(shortIdOf(chosen)) }] : []),
              ...offered,
            ]}
            onChange={(of) => onChange({ of })}
          />
        </div>
      )}
      <DisclosureButton
        open={isOpen}
        content={id}
        onToggle={setOpen}
        className="gap-2 border-t border-line px-4"
      >
        <span className="min-w-0 truncate">
          <span className="font-medium">More</span>{' '}
          <span className="text-small text-subtle">{moreWords(draft)}</span>
        </span>
      </DisclosureButton>
      {isOpen && (
        <div id={id} className="flex flex-col gap-3 px-4 pt-1 pb-5">
          {hookKindOf(event) === 'program' && (
            <SelectField
              label="Program"
              value={programId}
              choices={[
                { value: '', label: 'Default program' },
                ...objects.filter(({ kind }) => kind === 'program').map(named),
              ]}
              onChange={(value) => onChange({ programId: value })}
            />
          )}
          <div className="flex items-start gap-1.5">
            <div className="min-w-0 flex-1">
              <TextField
                label="Seed"
                inputMode="numeric"
                hint="The same seed creates the same IDs, names and amounts."
                problem={
                  seedOf(draft) === undefined ? 'Enter an integer or leave empty.' : undefined
                }
                placeholder={`random: ${drawn}`}
                value={seed}
                onChange={(value) => onChange({ seed: value })}
              />
            </div>
            <IconButton
              label="New random seed"
              icon={Dices}
              className="mt-6"
              onClick={() => onChange({ seed: '', drawn: newSeed() })}
            />
          </div>
          <SelectField
            label="Fault"
            hint={fault === '' ? undefined : faultMeanings[fault].meaning}
            value={fault}
            choices={[
              { value: '', label: 'None' },
              ...Object.entries(faultMeanings).map(([kind, { name }]) => ({
                value: kind as Fault,
                label: name,
              })),
            ]}
            onChange={(value) => onChange({ fault: value })}
          />
        </div>
      )}
    </>
  )
}

/** Returns the fields under "More" that differ from their default, else their names. */
function moreWords({ programId, seed, fault }: TriggerDraft): string {
  const words = [
    programId === '' ? '' : `program ${shortIdOf(programId)}`,
    seed.trim() === '' ? '' : `seed ${seed.trim()}`,
    fault === '' ? '' : faultMeanings[fault].name.toLowerCase(),
  ].filter((word) => word !== '')
  return words.length === 0 ? 'Program, seed, fault' : words.join(' · ')
}

function PayloadEditor({
  draft,
  state: { made, preview, problem, isCurrent },
  onChange,
}: {
  readonly draft: TriggerDraft
  readonly state: Preview
  readonly onChange: (part: Partial<TriggerDraft>) => void
}) {
  const [wanted, setWanted] = useState(0)
  const problems = problemsOf(draft.typed)
  const isReadable = problems.length === 0
  // Once the preview has the edit, the sandbox's version of it is shown.
  const typed =
    draft.typed?.left === true && isReadable && isCurrent && problem === null ? null : draft.typed
  const events = preview?.events ?? []
  const at = Math.min(typed?.index ?? wanted, events.length - 1)
  const shown = events[at]
  if (shown === undefined)
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
  const isEditable = shown.event.split('.')[0] === draft.event.split('.')[0]
  const text = typed?.text ?? formatJson(shown.body) ?? shown.body
  const edit = (next: string) => {
    const begun = typed ?? {
      index: at,
      made: made?.events[at]?.payload ?? shown.payload,
      from: shown.payload,
      before: draft,
    }
    onChange(typedEdit({ ...begun, text: next, left: false }))
  }
  const { set, literals, unset } = draft
  const edited = new Set([...Object.keys(set), ...Object.keys(literals), ...unset]).size
  const ignored =
    isCurrent && problem === null && preview !== null ? ignoredFields(draft, preview) : []
  const [, path] = /`([\w.]+)`/.exec(problem ?? '') ?? []
  return (
    <>
      <div className="flex min-h-9 shrink-0 flex-wrap items-center gap-x-1 border-b border-line bg-surface px-2">
        <EventTabs
          events={events}
          at={at}
          isLocked={!isReadable}
          onShow={(place) => {
            onChange({ typed: null })
            setWanted(place)
          }}
        />
        {edited > 0 && (
          <Button
            kind="quiet"
            className="h-6 px-1.5 text-small"
            icon={RotateCcw}
            onClick={() => onChange(UNEDITED)}
          >
            Undo {counted(edited, 'edit')}
          </Button>
        )}
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
        problems={
          problem === null
            ? problems
            : [
                ...problems,
                { message: problem, at: path === undefined ? null : placeOf(text, path) },
              ]
        }
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

function EventTabs({
  events,
  at,
  isLocked,
  onShow,
}: {
  readonly events: TriggerPreview['events']
  readonly at: number
  /** The shown payload has a mistake to correct first. */
  readonly isLocked: boolean
  readonly onShow: (place: number) => void
}) {
  const move = ({ key, currentTarget }: KeyboardEvent<HTMLElement>) => {
    const next = at + (key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0)
    const tab = currentTarget.parentElement?.children[next]
    if (isLocked || next === at || !(tab instanceof HTMLElement)) return
    onShow(next)
    tab.focus()
  }
  return (
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
          disabled={isLocked && place !== at}
          title={isLocked && place !== at ? 'Correct the shown payload first' : undefined}
          onClick={() => onShow(place)}
          onKeyDown={move}
          className={classNames(
            'flex h-9 items-center gap-2 border-b-2 px-2.5 disabled:opacity-60',
            place === at
              ? 'border-accent text-text'
              : 'border-transparent text-muted hover:text-text',
          )}
        >
          <span className="data">{event}</span>
          <span className={`text-tiny ${hooks === 0 ? 'text-warn' : 'text-subtle'}`}>
            → {hookWords(hooks)}
          </span>
        </button>
      ))}
    </div>
  )
}

/**
 * Says before sending that no hook exists, and offers to register one. `addsHook`: sending creates
 * it.
 */
function NoHook({
  addsHook,
  programId,
}: {
  readonly addsHook: boolean
  readonly programId: string | null
}) {
  const { event, open } = useAppParts((state) => ({
    event: state.sandbox.trigger.draft.event,
    open: state.hooks.open,
  }))
  const { environment } = usePlace()
  return (
    <div
      role="note"
      className="flex shrink-0 flex-wrap items-center gap-3 border-t border-line bg-warn-wash px-4 py-2"
    >
      <Webhook size={15} className="shrink-0 text-warn" />
      <p className="min-w-0 flex-1 basis-56">
        <span className="font-medium">No hook in {environment} for this event.</span>{' '}
        <span className="text-muted">
          {addsHook ? 'Sending registers one for this receiver.' : 'Register a hook to send it.'}
        </span>
      </p>
      <Button
        kind={addsHook ? 'plain' : 'primary'}
        onClick={() => open('register-hook', { environment, event, programId })}
      >
        Register hook…
      </Button>
    </div>
  )
}

/** Shows the result of the last trigger: notifications with their deliveries, and objects. */
function TriggerResultView() {
  const { result, show } = useAppParts((state) => ({
    result: state.sandbox.trigger.result,
    show: state.sandbox.show,
  }))
  const notifications = useNotifications()
  const objects = useObjects()
  if (result === null) return null
  // The current state: later attempts follow automatically.
  const sent = result.deliveries.map((one) => notifications?.find(({ id }) => id === one.id) ?? one)
  const about = objectKinds.flatMap(
    (kind) => objects?.find((one) => one.kind === kind && one.id === result.objects[kind]) ?? [],
  )
  return (
    <section
      aria-label="Result"
      className="max-h-[38%] shrink-0 overflow-auto border-t border-line bg-ground"
      tabIndex={0}
    >
      <h2 className="flex items-center gap-3 px-4 pt-2.5 pb-1 font-medium">
        Result
        <span className="text-small font-normal text-subtle">
          {counted(sent.length, 'notification')} in {result.environment}
        </span>
      </h2>
      <ul>
        {sent.map((notification) => {
          const last = notification.attempts.at(-1)
          return (
            <li
              key={notification.id}
              className="flex min-h-8 flex-wrap items-center gap-x-3 border-b border-line/50 px-4 py-0.5"
            >
              <span className="w-28 shrink-0">
                <NotificationState notification={notification} />
              </span>
              <span
                className="data min-w-0 flex-1 basis-28 truncate"
                title={visibleText(notification.url)}
              >
                {visibleText(notification.event)}
              </span>
              <span className="data min-w-0 truncate text-muted">
                {notification.reason?.split('. ')[0] ??
                  (last === undefined ? '' : outcomeOfAttempt(last).word)}
              </span>
              <span className="w-40 shrink-0 @max-[560px]:w-auto">
                {last !== undefined && <DeliveryLink attempt={last} />}
              </span>
              <Button
                kind="quiet"
                className="h-6 px-1.5 text-small"
                aria-label={`Show ${notification.event} in the log`}
                onClick={() => show({ view: 'log', id: notification.id })}
              >
                Log
              </Button>
            </li>
          )
        })}
      </ul>
      {about.length > 0 && (
        <p className="flex flex-wrap items-center gap-x-1 px-3 py-1.5 text-small">
          <span className="px-1 text-subtle">Objects</span>
          {about.map(({ id, kind }) => (
            <button
              key={id}
              type="button"
              onClick={() => show({ view: 'objects', kind, id })}
              className="inline-flex h-6 max-w-60 items-center gap-1.5 rounded-small px-1.5 text-muted hover:bg-control hover:text-text"
            >
              {kindNames[kind].one}
              <span className="data">{visibleText(shortIdOf(id))}</span>
            </button>
          ))}
        </p>
      )}
    </section>
  )
}

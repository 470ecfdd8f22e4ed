/** Triggers an event: type, object, payload and result. */
import { hookKindOf } from '../../../shared/service/event-type.ts'
import { Send, Webhook, Dices } from 'lucide-react'
import { useState } from 'react'
import { useApp, useParts } from '../../state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { LiveConfirmation } from '../../ui/consent.tsx'
import { OverlayDialog } from '../../ui/overlay-dialog.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { DetailPane, SplitPanes, useNarrow } from '../../ui/split-panes.tsx'
import { refusedIn, candidatesFor, faultMeanings, subjectOf } from './event-catalogue.ts'
import { EventList } from './event-list.tsx'
import { PayloadPane } from './payload-pane.tsx'
import { triggerInput, subjectId, typedSeed, type TriggerDraft } from './trigger-draft.ts'
import { useTriggerPreview } from './use-trigger-preview.ts'
import { lookOfAttempt } from '../../../shared/model/outcomes.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { DeliveryLink, NotificationState } from './notification-state.tsx'
import { kindNames, objectKinds, objectLine } from './object-words.ts'
import { useNotifications, useObjects } from './use-sandbox.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import type { SandboxObject, Fault } from '../../../shared/model/sandbox.ts'
import { controlLook, Field, SelectField } from '../../ui/field.tsx'

/** The send button; `Mod+Enter` presses it. */
export const SEND_ID = 'sandbox-send'

function TriggerLiveDialog({ onConfirm }: { readonly onConfirm: () => void }) {
  const event = useApp((state) => state.sandbox.triggerDraft.event)
  return (
    <OverlayDialog overlay="trigger-live" title="Send event">
      {(close) => (
        <LiveConfirmation
          environment="sandbox-live"
          action={`Send ${event} in sandbox-live (live)`}
          busy={false}
          onConfirm={() => {
            close()
            onConfirm()
          }}
          onBack={close}
        >
          The sandbox sends {event} to every live hook for it. Live mode of the sandbox: no real
          cards or money.
        </LiveConfirmation>
      )}
    </OverlayDialog>
  )
}

export function TriggerView() {
  const {
    triggerDraft: draft,
    environment,
    triggering,
    triggerProblem: problem,
    changeTrigger,
    sendTrigger,
  } = useParts(
    'sandbox',
    'triggerDraft',
    'environment',
    'triggering',
    'triggerProblem',
    'changeTrigger',
    'sendTrigger',
  )
  const objects = useObjects()
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  const stacked = useNarrow()
  const state = useTriggerPreview()
  const [readable, setReadable] = useState(true)
  const own = (objects ?? []).filter((object) => object.environment === environment)
  const live = environment === 'sandbox-live'
  const refused = refusedIn(draft.event, live ? 'live' : 'test')
  const hooks = (state.preview?.events ?? []).reduce((sum, event) => sum + event.hooks, 0)
  const noHook = state.current && state.preview !== null && hooks === 0
  const first = own.find(({ kind }) => kind === 'program')
  const programId = draft.programId === '' ? first?.id : draft.programId
  // A live hook needs its own confirmation.
  const addsHook = noHook && !live && refused === null
  const ready = readable && state.problem === null && (hooks > 0 || addsHook)
  const send = () => {
    const input = triggerInput(draft, environment, own)
    const hook = {
      event: draft.event,
      environment,
      ...(hookKindOf(draft.event) === 'program' ? { programId } : {}),
    }
    if (input !== null) void sendTrigger({ ...input, live }, addsHook ? hook : undefined)
  }
  const about = (
    <section
      aria-label="Event"
      data-pane="event"
      className="@container h-full overflow-auto bg-ground"
      tabIndex={-1}
    >
      <EventList
        environment={environment}
        mode={live ? 'live' : 'test'}
        event={draft.event}
        onChange={(event) => changeTrigger({ event })}
      />
      <div className="border-t border-line">
        <TriggerFields draft={draft} objects={own} onChange={changeTrigger} />
      </div>
    </section>
  )
  const payload = (
    <DetailPane label="Payload" pane="payload">
      <PayloadPane
        key={draft.event}
        draft={draft}
        state={state}
        onReadable={setReadable}
        onEdit={changeTrigger}
      />
      {noHook && refused === null && <NoHook addsHook={addsHook} />}
      {problem !== null && (
        <div className="shrink-0 border-t border-line p-3">
          <ProblemView problem={problem} />
        </div>
      )}
      <footer className="flex min-h-12 shrink-0 flex-wrap items-center gap-3 border-t border-line px-4 py-2">
        <p className="min-w-0 flex-1 text-small text-muted" role="status">
          {ready &&
            !addsHook &&
            (hooks === 1 ? 'Sends 1 notification.' : `Sends ${hooks} notifications.`)}{' '}
          <span className="@max-[560px]:hidden">Times are set on send.</span>
        </p>
        <Button
          id={SEND_ID}
          kind="primary"

          icon={<Send size={13} aria-hidden />}
          disabled={!ready || triggering}
          onClick={() => {
            // The form is sent even if the preview is slightly older.
            if (live) openOverlay('trigger-live')
            else send()
          }}
        >
          {triggering ? 'Sending…' : `Send ${draft.event}`}
        </Button>
        <ActionKeys action="sandbox-send" />
      </footer>
      <TriggerResultView />
    </DetailPane>
  )
  return (
    <>
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
      <TriggerLiveDialog onConfirm={send} />
    </>
  )
}

/** Says before sending that no hook exists, and offers to register one. `addsHook`: sending creates it. */
function NoHook({ addsHook }: { readonly addsHook: boolean }) {
  const { triggerDraft: draft, environment } = useParts('sandbox', 'triggerDraft', 'environment')
  const objects = useObjects()
  const setHookDraft = useApp((state) => state.hooks.setDraft)
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  const first = (objects ?? []).find(
    (object) => object.kind === 'program' && object.environment === environment,
  )
  const programId = draft.programId === '' ? (first?.id ?? null) : draft.programId
  return (
    <div
      role="note"
      className="flex shrink-0 flex-wrap items-center gap-3 border-t border-line bg-warn-wash px-4 py-2"
    >
      <Webhook size={15} aria-hidden className="shrink-0 text-warn" />
      <p className="min-w-0 flex-1 basis-56">
        <span className="font-medium">No hook in {environment} for this event.</span>{' '}
        <span className="text-muted">
          {addsHook ? 'Sending registers one for this receiver.' : 'Register a hook to send it.'}
        </span>
      </p>
      <Button
        kind={addsHook ? 'plain' : 'primary'}
        onClick={() => {
          setHookDraft({
            environment,
            event: draft.event,
            programId,
            offerId: null,
            url: null,
            headers: {},
          })
          openOverlay('register-hook')
        }}
      >
        Register hook…
      </Button>
    </div>
  )
}

// The result of the last trigger: notifications with their deliveries, and created objects.

function TriggerResultView() {
  const {
    triggerResult: result,
    show: showSandbox,
    selectNotification,
    showObject,
  } = useParts('sandbox', 'triggerResult', 'show', 'selectNotification', 'showObject')
  const notifications = useNotifications()
  const objects = useObjects()
  if (result === null) return null
  // The current state: later attempts follow automatically.
  const sent = result.deliveries.map((one) => notifications?.find(({ id }) => id === one.id) ?? one)
  const about = objectKinds.flatMap((kind) => {
    const object = objects?.find((one) => one.kind === kind && one.id === result.objects[kind])
    return object === undefined ? [] : [object]
  })
  return (
    <section
      aria-label="Result"
      className="max-h-[38%] shrink-0 overflow-auto border-t border-line bg-ground"
      tabIndex={0}
    >
      <h2 className="flex items-center gap-3 px-4 pt-2.5 pb-1 font-medium">
        Sent
        <span className="text-small font-normal text-subtle">
          {sent.length === 1 ? '1 notification' : `${sent.length} notifications`} in{' '}
          {result.environment}
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
              <span className="data shrink-0 text-muted">
                {last === undefined ? '' : lookOfAttempt(last).word}
              </span>
              <span className="w-40 shrink-0 @max-[560px]:w-auto">
                {last !== undefined && <DeliveryLink attempt={last} />}
              </span>
              <Button
                kind="quiet"
                className="h-6 px-1.5 text-small"
                aria-label={`Show ${notification.event} in the log`}
                onClick={() => {
                  selectNotification(notification.id)
                  showSandbox('log')
                }}
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
          {about.map((object) => (
            <button
              key={object.id}
              type="button"
              onClick={() => showObject(object)}
              className="inline-flex h-6 max-w-60 items-center gap-1.5 rounded-small px-1.5 text-muted hover:bg-control hover:text-text"
            >
              {kindNames[object.kind].one}
              <span className="data">{visibleText(shortIdOf(object.id))}</span>
            </button>
          ))}
        </p>
      )}
    </section>
  )
}

// Trigger options: program, object, seed and fault.

/** Most objects offered here. Others can be selected on their own page. */
const MOST_CANDIDATES = 200

interface TriggerFieldsProps {
  readonly draft: TriggerDraft
  /** Objects of the environment. */
  readonly objects: readonly SandboxObject[]
  readonly onChange: (part: Partial<TriggerDraft>) => void
}

function TriggerFields({ draft, objects, onChange }: TriggerFieldsProps) {
  const programs = objects.filter(({ kind }) => kind === 'program')
  const fault = draft.fault === '' ? null : faultMeanings[draft.fault]
  return (
    <div className="flex flex-col gap-3 px-4 pt-3 pb-5">
      {hookKindOf(draft.event) === 'program' && (
        <SelectField
          label="Program"
          value={draft.programId}
          choices={[
            { value: '', label: 'Default program' },
            ...programs.map(({ id, title }) => ({
              value: id,
              label: visibleText(title),
              note: visibleText(shortIdOf(id)),
            })),
          ]}
          onChange={(programId) => onChange({ programId })}
        />
      )}
      <SubjectField draft={draft} objects={objects} onChange={onChange} />
      <SeedField draft={draft} onChange={onChange} />
      <SelectField
        label="Fault"
        hint={fault?.meaning}
        choices={[
          { value: '', label: 'None' },
          ...Object.entries(faultMeanings).map(([kind, { name }]) => ({
            value: kind as Fault,
            label: name,
          })),
        ]}
        value={draft.fault}
        onChange={(value) => onChange({ fault: value })}
      />
    </div>
  )
}

function SubjectField({ draft, objects, onChange }: TriggerFieldsProps) {
  const subject = subjectOf(draft.event)
  if (subject === null) return null
  const candidates = candidatesFor(draft.event, objects, draft.programId)
  const chosen = subjectId(draft, objects)
  const shown = candidates.slice(0, MOST_CANDIDATES)
  const elsewhere = chosen !== '' && !shown.some(({ id }) => id === chosen)
  return (
    <SelectField
      label={subject.label}
      hint={
        candidates.length > MOST_CANDIDATES
          ? `Showing the latest ${MOST_CANDIDATES} of ${candidates.length}. To use another, open it under Objects.`
          : undefined
      }
      choices={[
        { value: '', label: subject.nothing },
        ...(elsewhere ? [{ value: chosen, label: visibleText(shortIdOf(chosen)) }] : []),
        ...shown.map((object) => ({
          value: object.id,
          label: objectLine(object),
          note: visibleText(shortIdOf(object.id)),
        })),
      ]}
      value={chosen}
      onChange={(of) => onChange({ of })}
    />
  )
}

function SeedField({ draft, onChange }: Pick<TriggerFieldsProps, 'draft' | 'onChange'>) {
  const wrong = typedSeed(draft) === undefined
  return (
    <Field
      label="Seed"
      hint="The same seed creates the same IDs, names and amounts."
      problem={wrong ? 'Enter an integer or leave empty.' : undefined}
    >
      {(control) => (
        <span className="relative">
          <input
            {...control}
            inputMode="numeric"
            spellCheck={false}
            autoComplete="off"
            placeholder={draft.drawn === null ? '' : `random: ${draft.drawn}`}
            value={draft.seed}
            onChange={(event) => onChange({ seed: event.currentTarget.value })}
            className={`${controlLook} pr-9 data`}
          />
          <IconButton
            label="New random seed"
            icon={<Dices size={15} aria-hidden />}
            className="absolute top-0.5 right-0.5"
            onClick={() => onChange({ seed: '', drawn: null })}
          />
        </span>
      )}
    </Field>
  )
}

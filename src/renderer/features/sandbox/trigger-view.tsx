/** Triggers an event: its choice, its fields and payload, and the notifications sent before. */
import { Send, Webhook } from 'lucide-react'
import type { SandboxObject } from '../../../shared/model/sandbox.ts'
import { hookKindOf } from '../../../shared/service/event-type.ts'
import { counted } from '../../../shared/text/english.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useAppParts, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { DetailPane, SplitPanes, useMedia, useNarrow } from '../../ui/split-panes.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { refusalReason } from './catalogue.ts'
import { EventList } from './event-list.tsx'
import { NoPayload, PayloadEditor } from './payload-editor.tsx'
import { SentList } from './sent-list.tsx'
import { editsOf, triggerInput } from './trigger-draft.ts'
import { TriggerFields } from './trigger-fields.tsx'
import { usePayload, type ShownPayload } from './use-payload.ts'
import { useTriggerPreview, type Preview } from './use-trigger-preview.ts'
import { useObjects, useSandboxPlace } from './use-sandbox.ts'

/** The send button; `Mod+Enter` presses it. */
export const SEND_ID = 'sandbox-send'

export function TriggerView() {
  const { draft } = useApp((state) => state.sandbox.trigger)
  const isWide = useMedia('(min-width: 1200px)')
  const stacked = useNarrow()
  const events = (
    <section
      aria-label="Event"
      data-pane="event"
      className={`min-w-0 overflow-auto bg-ground ${isWide ? 'h-full' : stacked ? 'flex-1' : 'max-h-[60%] shrink-0 border-b border-line'}`}
      tabIndex={-1}
    >
      <EventList event={draft.event} />
    </section>
  )
  const payload = <PayloadPane key={draft.event} />
  return (
    <SplitPanes
      name="sandbox-trigger"
      className="min-h-0 flex-1"
      first={{
        id: 'event',
        minSize: stacked ? '25%' : isWide ? '264px' : '34%',
        defaultSize: stacked ? '40%' : '292px',
        content: isWide ? (
          events
        ) : (
          <div className={`flex h-full ${stacked ? 'divide-x divide-line' : 'flex-col'}`}>
            {events}
            <SentList />
          </div>
        ),
      }}
      second={{
        id: 'payload',
        content: isWide ? (
          <SplitPanes
            name="sandbox-sent"
            first={{ id: 'payload', minSize: '420px', content: payload }}
            second={{
              id: 'sent',
              minSize: '264px',
              defaultSize: '332px',
              content: <SentList />,
            }}
            resize="Resize sent"
          />
        ) : (
          payload
        ),
      }}
      resize="Resize payload"
    />
  )
}

function PayloadPane() {
  const { trigger, changeTrigger } = useParts('sandbox', 'trigger', 'changeTrigger')
  const { draft, problem } = trigger
  const { environment } = useSandboxPlace()
  const objects = useObjects() ?? []
  const input = triggerInput(draft, environment, objects)
  const state = useTriggerPreview(input, draft)
  const payload = usePayload(draft, state, changeTrigger)
  return (
    <DetailPane label="Payload" pane="payload">
      <div className="flex min-h-0 flex-1 flex-col overflow-auto">
        <TriggerFields draft={draft} objects={objects} payload={payload} onChange={changeTrigger} />
        {payload === null ? (
          <NoPayload problem={state.problem} />
        ) : (
          <PayloadEditor draft={draft} state={state} payload={payload} onChange={changeTrigger} />
        )}
      </div>
      {problem !== null && (
        <div className="max-h-[40%] shrink-0 overflow-auto border-t border-line p-3">
          <ProblemView problem={problem} />
        </div>
      )}
      <SendFooter objects={objects} input={input} state={state} payload={payload} />
    </DetailPane>
  )
}

/** Sends the event. Stays at the bottom, so that the button never moves. */
function SendFooter({
  objects,
  input,
  state,
  payload,
}: {
  readonly objects: readonly SandboxObject[]
  readonly input: ReturnType<typeof triggerInput>
  readonly state: Preview
  readonly payload: ShownPayload | null
}) {
  const { trigger, sendTrigger } = useParts('sandbox', 'trigger', 'sendTrigger')
  const { draft, sending } = trigger
  const { environment, mode } = useSandboxPlace()
  const hooks = (state.preview?.events ?? []).reduce((sum, event) => sum + event.hooks, 0)
  const noHook = state.isCurrent && hooks === 0 && refusalReason(draft.event, mode) === null
  const programId = draft.programId || objects.find(({ kind }) => kind === 'program')?.id || null
  // A live hook needs its own confirmation.
  const addsHook = noHook && mode === 'test'
  const isReadable = payload?.problems.length === 0
  const ready = input !== null && isReadable && state.problem === null && (hooks > 0 || addsHook)
  const forwardName = useForwardName()
  const forwards = `, then forwards ${hooks === 1 ? 'it' : 'them'} to ${forwardName}`
  const send = () => {
    if (input === null) return
    const hook = {
      event: draft.event,
      environment,
      ...(hookKindOf(draft.event) === 'program' && programId !== null ? { programId } : {}),
    }
    void sendTrigger({ ...input, ...editsOf(draft) }, addsHook ? hook : undefined)
  }
  return (
    <>
      {noHook && <NoHook addsHook={addsHook} programId={programId} />}
      <footer className="flex h-[52px] shrink-0 items-center gap-3 border-t border-line px-4">
        <p className="line-clamp-2 min-w-0 flex-1 text-small text-muted" role="status">
          {ready &&
            hooks > 0 &&
            `Sends ${counted(hooks, 'notification')}${forwardName === null ? '' : forwards}.`}
        </p>
        <Button id={SEND_ID} kind="primary" icon={Send} disabled={!ready || sending} onClick={send}>
          Send {draft.event}
          <span className="@max-[560px]:hidden">
            <ActionKeys action="sandbox-send" />
          </span>
        </Button>
      </footer>
    </>
  )
}

/** Returns where every delivery is forwarded: `@local`; null if nowhere, or not all of them. */
function useForwardName(): string | null {
  const handlers = useApp((state) => state.core.handlers)
  const target = useRead('forward.list', {}).output?.targets.find(
    ({ on, paused, query }) => on && !paused && query === '',
  )
  if (target === undefined) return null
  const name = handlers.find(({ id }) => id === target.handlerId)?.name
  return name === undefined ? visibleText(target.url) : `@${name}`
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
  const { environment } = useSandboxPlace()
  return (
    <div
      role="note"
      className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-t border-line bg-warn-wash px-4 py-2"
    >
      <Webhook size={15} className="shrink-0 text-warn" />
      <p className="min-w-0 flex-1 basis-56">
        <span className="font-medium">No hook in {environment} for this event.</span>{' '}
        <span className="text-muted">
          {addsHook
            ? 'Sending registers one for this receiver, unless you register your own.'
            : 'Register a hook to send it.'}
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

/** Triggers an event: its kind and object, the payload, which can be edited, and the result. */
import { Send, Webhook } from 'lucide-react'
import { hookKindOf } from '../../../shared/service/event-type.ts'
import { counted } from '../../../shared/text/english.ts'
import { useAppParts, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { ActionKeys } from '../../ui/keys.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { DetailPane, SplitPanes, useNarrow } from '../../ui/split-panes.tsx'
import { refusalReason } from './catalogue.ts'
import { EventList } from './event-list.tsx'
import { PayloadEditor } from './payload-editor.tsx'
import { editsOf, problemsOf, triggerInput } from './trigger-draft.ts'
import { TriggerFields } from './trigger-fields.tsx'
import { TriggerResultView } from './trigger-result.tsx'
import { useTriggerPreview } from './use-trigger-preview.ts'
import { useObjects, useSandboxPlace } from './use-sandbox.ts'

/** The send button; `Mod+Enter` presses it. */
export const SEND_ID = 'sandbox-send'

export function TriggerView() {
  const { trigger, changeTrigger, sendTrigger } = useParts(
    'sandbox',
    'trigger',
    'changeTrigger',
    'sendTrigger',
  )
  const { draft, sending, problem } = trigger
  const { environment, mode } = useSandboxPlace()
  const objects = useObjects() ?? []
  const stacked = useNarrow()
  const input = triggerInput(draft, environment, objects)
  const state = useTriggerPreview(input, draft)
  const hooks = (state.preview?.events ?? []).reduce((sum, event) => sum + event.hooks, 0)
  const noHook = state.isCurrent && hooks === 0 && refusalReason(draft.event, mode) === null
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

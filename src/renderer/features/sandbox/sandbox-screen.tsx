/** The Sandbox screen: events, objects, delivery log and clock. */
import { useState } from 'react'
import { counted } from '../../../shared/text/english.ts'
import { useRead } from '../../core-data/use-read.ts'
import { useApp, useAppParts, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { LoadingRows, Message, LoadProblem, Banner } from '../../ui/message.tsx'
import { ModeMark } from '../../ui/outcome-mark.tsx'
import { ActionForm, OverlayDialog } from '../../connected/overlay-dialog.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Select } from '../../ui/select.tsx'
import { ClockBar } from './clock-bar.tsx'
import { ClockDialog } from './clock-dialog.tsx'
import { LogView } from './log-view.tsx'
import { ObjectDialogs } from './object-form.tsx'
import { ObjectsView } from './objects-view.tsx'
import { SandboxMenu } from './sandbox-menu.tsx'
import { TriggerView } from './trigger-view.tsx'
import { useClearings, useNotifications, useSandboxPlace } from './use-sandbox.ts'

const views = [
  { value: 'trigger', label: 'Trigger' },
  { value: 'objects', label: 'Objects' },
  { value: 'log', label: 'Log' },
] as const
const modes = [
  { value: 'test', label: 'sandbox-test' },
  { value: 'live', label: 'sandbox-live' },
] as const

export function SandboxScreen() {
  const { status, problem, readAgain } = useAppParts(({ core }) => core)
  return (
    <section aria-label="Sandbox" className="flex h-full min-w-0 flex-col bg-ground">
      <Heading running={status !== null && status.sandbox !== null} />
      {status === null ? (
        problem === null ? (
          <LoadingSandbox />
        ) : (
          <LoadProblem title="Couldn't load the sandbox" problem={problem} onAgain={readAgain} />
        )
      ) : status.sandbox === null ? (
        <div className="px-8 pt-12">
          <Message title="The sandbox isn't running">
            Restart the app or run <code className="data text-text">countersign serve</code>. If the
            port is in use, run{' '}
            <code className="data text-text">countersign serve --sandbox-port 0</code>. Your hooks
            and deliveries are still available.
          </Message>
        </div>
      ) : (
        <Running />
      )}
    </section>
  )
}

function LoadingSandbox() {
  return <LoadingRows label="Loading sandbox" count={9} columns={['w-24', 'w-40', 'flex-1']} />
}

function Heading({ running }: { readonly running: boolean }) {
  const { view, mode } = useSandboxPlace()
  const { show, changeTrigger } = useParts('sandbox', 'show', 'changeTrigger')
  return (
    <header
      data-pane="sandbox"
      className="window-drag flex min-h-12 shrink-0 flex-wrap items-center gap-x-2 gap-y-1 border-b border-line bg-surface py-1.5 pr-2 pl-4"
    >
      <h1 className="mr-1 text-title font-medium">Sandbox</h1>
      {running && (
        <>
          <Segments
            label="View"
            options={views}
            value={view}
            onChange={(next) => show({ view: next })}
          />
          <div className="w-36 shrink-0">
            <Select
              aria-label="Environment"
              choices={modes}
              value={mode}
              onChange={(next) => {
                show({ mode: next === 'live' ? next : undefined })
                // Programs and objects of the other environment don't exist here.
                changeTrigger({ programId: '', of: null })
              }}
            />
          </div>
          {mode === 'live' && <ModeMark mode="live" />}
        </>
      )}
      <p className="min-w-0 flex-1 truncate text-right text-small text-muted">
        Local: no real service is called
      </p>
      {running && <SandboxMenu />}
    </header>
  )
}

function Running() {
  const { view, mode, environment } = useSandboxPlace()
  const { output, problem, readAgain } = useRead('sandbox.objects', { environment })
  const sent = useNotifications()
  return (
    <>
      {problem !== null && (
        <Banner
          tone="bad"
          title="Couldn't load the sandbox."
          action={<Button onClick={readAgain}>Try again</Button>}
        >
          {problem}
        </Banner>
      )}
      {output === undefined || sent === null ? (
        problem === null && <LoadingSandbox />
      ) : (
        <>
          <ClockBar />
          {view === 'trigger' && <TriggerView />}
          {view === 'objects' && <ObjectsView objects={output.objects} />}
          {view === 'log' && <LogView notifications={sent.filter((one) => one.mode === mode)} />}
        </>
      )}
      <ObjectDialogs />
      <ClockDialog />
      <OverlayDialog overlay="reset-sandbox" title="Reset sandbox">
        {(close) => <ResetForm onDone={close} />}
      </OverlayDialog>
    </>
  )
}

const NAME = 'sandbox-live'

/** Resets the sandbox. Asks for its name, because live mode is reset, too, and there is no undo. */
function ResetForm({ onDone }: { readonly onDone: () => void }) {
  const reset = useApp((state) => state.sandbox.reset)
  const { objects } = useRead('sandbox.objects', {}).output ?? {}
  const clearings = useClearings()
  const [typed, setTyped] = useState('')
  return (
    <ActionForm
      call={reset}
      onDone={onDone}
      action="Reset sandbox (test and live)"
      busyWords="Resetting…"
      disabled={typed.trim() !== NAME}
      danger
    >
      <p>
        Resets sandbox-test and sandbox-live. Deletes {counted(objects?.length ?? 0, 'object')},{' '}
        {clearings.length > 0 && `${counted(clearings.length, 'pending clearing')}, `}
        pending deliveries and the delivery log. Sets the clock to real time.
      </p>
      <p className="text-muted">
        Hooks, keys and received deliveries stay. You can't undo this. The default programs are
        created again.
      </p>
      <TextField
        label={`Type ${NAME} to reset it together with sandbox-test`}
        value={typed}
        onChange={setTyped}
      />
    </ActionForm>
  )
}

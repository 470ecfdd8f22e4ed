/** The Sandbox screen: events, objects, delivery log and clock. */
import { MonitorCheck, RotateCcw } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import { useRead } from '../../data/use-read.ts'
import { useApp, useAppParts, useParts } from '../../state/use-app.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { FormFoot } from '../../ui/dialog.tsx'
import { ActionForm, OverlayDialog } from '../../ui/overlay-dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { LoadingRows, NotRead } from '../../ui/message.tsx'
import { ModeMark } from '../../ui/outcome-mark.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { Segments } from '../../ui/segments.tsx'
import { ClockBar, ClockDialog, ClockLiveDialog } from './clock-bar.tsx'
import { LogView } from './log-view.tsx'
import { MakeObjectDialog } from './make-object-dialog.tsx'
import { ObjectsView } from './objects-view.tsx'
import type { SandboxView } from '../../state/routes.ts'
import type { SandboxEnvironment } from './sandbox-slice.ts'
import { useClearings, useNotifications, useObjects } from './use-sandbox.ts'
import { TriggerView } from './trigger-view.tsx'
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { SandboxObject } from '../../../shared/model/sandbox.ts'
import { LiveConfirmation } from '../../ui/consent.tsx'
import { Code, type CodeProblem } from '../../ui/code.tsx'
import { useForm } from '../../ui/use-form.ts'
import { changesBetween, readJsonObject, type Edit } from './json-edit.ts'
import { kindNames, objectLine } from './object-words.ts'

const NAME = 'sandbox-live'

/** Resets the sandbox. Asks for its name, because live mode is reset, too, and there is no undo. */
function ResetDialog() {
  return (
    <OverlayDialog overlay="reset-sandbox" title="Reset sandbox">
      {(close) => <ResetForm onDone={close} />}
    </OverlayDialog>
  )
}

function ResetForm({ onDone }: { readonly onDone: () => void }) {
  const resetSandbox = useApp((state) => state.sandbox.reset)
  const objects = useObjects()
  const clearings = useClearings()
  const [typed, setTyped] = useState('')
  return (
    <ActionForm
      call={resetSandbox}
      onDone={onDone}
      action="Reset sandbox (test and live)"
      busyWords="Resetting…"
      disabled={typed.trim() !== NAME}
      danger
    >
      <p>
        Resets sandbox-test and sandbox-live. Deletes {objects?.length ?? 0} objects,{' '}
        {clearings.length > 0 &&
          `${clearings.length === 1 ? '1 pending clearing' : `${clearings.length} pending clearings`}, `}
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

const views: readonly { readonly value: SandboxView; readonly label: string }[] = [
  { value: 'trigger', label: 'Trigger' },
  { value: 'objects', label: 'Objects' },
  { value: 'log', label: 'Log' },
]
const environments: readonly { readonly value: SandboxEnvironment; readonly label: string }[] = [
  { value: 'sandbox-test', label: 'sandbox-test' },
  { value: 'sandbox-live', label: 'sandbox-live' },
]

export function SandboxScreen() {
  const { known, problem, readAgain, running } = useAppParts((state) => ({
    known: state.core.status !== null,
    problem: state.core.problem,
    readAgain: state.core.readAgain,
    running: state.core.status !== null && state.core.status.sandbox !== null,
  }))
  return (
    <section aria-label="Sandbox" className="flex h-full min-w-0 flex-col bg-ground">
      <Heading running={running} />
      {!known && problem !== null ? (
        <div className="px-8 pt-12">
          <NotRead title="Couldn't load the sandbox" problem={problem} onAgain={readAgain} />
        </div>
      ) : !known ? (
        <LoadingSandbox />
      ) : running ? (
        <Running />
      ) : (
        <NotRunning />
      )}
    </section>
  )
}

function Heading({ running }: { readonly running: boolean }) {
  const {
    view,
    environment,
    show: showSandbox,
    setEnvironment: setSandboxEnvironment,
    changeTrigger,
  } = useParts('sandbox', 'view', 'environment', 'show', 'setEnvironment', 'changeTrigger')
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  return (
    <header
      data-pane="sandbox"
      className="window-drag flex min-h-11 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-surface py-1.5 pr-3 pl-4"
    >
      <h1 className="text-title font-medium">Sandbox</h1>
      {running && (
        <>
          <Segments label="View" options={views} value={view} onChange={showSandbox} />
          <Segments
            label="Environment"
            options={environments}
            value={environment}
            onChange={(next) => {
              setSandboxEnvironment(next)
              // Programs and objects of the other environment don't exist here.
              changeTrigger({ programId: '', of: null })
            }}
          />
          {environment === 'sandbox-live' && <ModeMark mode="live" />}
        </>
      )}
      <span className="flex min-w-0 flex-1 items-center justify-end gap-1.5 text-small text-muted">
        <MonitorCheck size={14} aria-hidden className="shrink-0 text-subtle" />
        <span className="truncate">Local: no real service is called</span>
      </span>
      {running && (
        <Button
          kind="quiet"
          icon={<RotateCcw size={13} aria-hidden />}
          onClick={() => openOverlay('reset-sandbox')}
        >
          Reset…
        </Button>
      )}
    </header>
  )
}

function Running() {
  const { view, environment, objectKind, objectId } = useParts(
    'sandbox',
    'view',
    'environment',
    'objectKind',
    'objectId',
  )
  const { output, problem, readAgain } = useRead('sandbox.objects', {})
  const objects = output?.objects
  const notifications = useNotifications()
  const own = objects?.filter((object) => object.environment === environment) ?? null
  const mode = environment === 'sandbox-live' ? 'live' : 'test'
  const sent = notifications?.filter((notification) => notification.mode === mode) ?? null
  const ofKind = own?.filter((object) => object.kind === objectKind) ?? []
  const looked = ofKind.find(({ id }) => id === objectId) ?? ofKind.at(-1) ?? null
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
      {own === null || sent === null ? (
        problem === null && <LoadingSandbox />
      ) : (
        <>
          <ClockBar />
          {view === 'trigger' && <TriggerView />}
          {view === 'objects' && <ObjectsView objects={own} />}
          {view === 'log' && <LogView notifications={sent} />}
        </>
      )}
      <MakeObjectDialog />
      <ChangeObjectDialog object={looked} />
      <ClockDialog />
      <ClockLiveDialog />
      <ResetDialog />
    </>
  )
}

function NotRunning() {
  return (
    <Explained title="The sandbox isn't running">
      Restart the app or run <code className="data text-text">countersign serve</code>. If the port
      is in use, run <code className="data text-text">countersign serve --sandbox-port 0</code>.
      Your hooks and deliveries are still available.
    </Explained>
  )
}

function Explained({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="min-h-0 flex-1 px-8 pt-12">
      <h2 className="text-title font-medium">{title}</h2>
      <p className="mt-1 max-w-[560px] text-muted">{children}</p>
    </div>
  )
}

function LoadingSandbox() {
  return <LoadingRows label="Loading sandbox" count={9} columns={['w-24', 'w-40', 'flex-1']} />
}

// Edits an object's fields as JSON. Changed fields are set, missing ones removed.

function ChangeObjectDialog({ object }: { readonly object: SandboxObject | null }) {
  return (
    <OverlayDialog
      overlay="change-object"
      ready={object !== null}
      title={object === null ? 'Edit object' : `Edit ${kindNames[object.kind].one}`}
      {...(object === null ? {} : { description: objectLine(object) })}
      wide
    >
      {(close) => object !== null && <ChangeForm object={object} onDone={close} />}
    </OverlayDialog>
  )
}

function ChangeForm({
  object,
  onDone,
}: {
  readonly object: SandboxObject
  readonly onDone: () => void
}) {
  const updateObject = useApp((state) => state.sandbox.updateObject)
  // The object may change while the dialog is open, so compare with its initial state and set only what the user edited.
  const [from] = useState(object.data)
  const { id, environment } = object
  const live = object.mode === 'live'
  const form = useForm({
    begin: () => ({ text: JSON.stringify(object.data, null, 2) }),
    confirms: () => live,
    submit: () =>
      updateObject({
        id,
        environment,
        live,
        set: edit.set as InputOf<'sandbox.update'>['set'],
        unset: [...edit.unset],
      }),
    onDone,
  })
  const { draft, busy, problem } = form
  const read = readJsonObject(draft.text)
  const edit: Edit = read.ok
    ? changesBetween(from, read.value)
    : { set: {}, unset: [], problems: [] }
  const problems: readonly CodeProblem[] = read.ok
    ? edit.problems.map(({ message }) => ({ message, at: null }))
    : [read]
  const set = Object.keys(edit.set)
  const words = [
    set.length === 0 ? '' : `Sets ${set.join(', ')}.`,
    edit.unset.length === 0 ? '' : `Removes ${edit.unset.join(', ')}.`,
  ]
  const told = words.filter((sentence) => sentence !== '').join(' ')

  return (
    <form className="flex flex-col gap-3" {...form.element}>
      <Code
        label="Fields as JSON"
        json
        className="h-[46vh] min-h-40 overflow-hidden rounded-control border border-line"
        text={draft.text}
        onText={(text) => form.change({ text })}
        problems={problems}
      />
      {problem !== null && <ProblemView problem={problem} />}
      {form.confirming ? (
        <LiveConfirmation
          environment={environment}
          action={busy ? 'Saving…' : `Save in ${environment} (live)`}
          busy={busy}
          onConfirm={form.send}
          onBack={form.back}
        >
          {told} Live mode of the sandbox: no real cards or money.
        </LiveConfirmation>
      ) : (
        <FormFoot
          onCancel={onDone}
          action={`Save in ${environment}`}
          busyWords="Saving…"
          busy={busy}
          disabled={problems.length > 0 || told === ''}
          aside={
            <p className="min-w-0 flex-1 basis-48 truncate text-small text-muted" role="status">
              {told === '' ? 'Nothing changed yet.' : told}
            </p>
          }
        />
      )}
    </form>
  )
}

import { environmentAddSchema, type Environment } from '../../../shared/model/environment.ts'
import { isOfSandbox } from '../../core-data/environments.ts'
import { useApp } from '../../ui-state/use-app.ts'
import type { CallResult } from '../../ui/call-problem.ts'
import { InputForm, useInputForm } from '../../connected/input-form.tsx'
import { ActionForm, OverlayDialog } from '../../connected/overlay-dialog.tsx'
import { useCall } from '../../ui/use-call.ts'

export function EnvironmentDialog() {
  const environment = useApp(
    ({ core, navigation: { about } }) =>
      core.environments.find(({ name }) => name === about) ?? null,
  )
  return (
    <OverlayDialog
      overlay="environment"
      title={environment === null ? 'Add environment' : `Edit ${environment.name}`}
      description={
        environment !== null && isOfSandbox(environment.name)
          ? 'Managed by the sandbox. Only its header prefix and trusted CA certificate can be changed.'
          : 'An account in one mode: base URL and credentials.'
      }
    >
      {(close) => <EnvironmentForm environment={environment} onDone={close} />}
    </OverlayDialog>
  )
}

const sandboxFields = ['prefix', 'caPem']
const fixedFields = ['name', 'mode']

function EnvironmentForm({
  environment,
  onDone,
}: {
  readonly environment: Environment | null
  readonly onDone: () => void
}) {
  const call = useCall()
  const isSandbox = environment !== null && isOfSandbox(environment.name)
  const live = environment?.mode === 'live'
  const form = useInputForm({
    schema: environmentAddSchema,
    // The stored secret isn't shown, and stays if its field is empty.
    begin: () => ({ mode: 'test', ...environment, key: null }),
    shows: (field) =>
      isSandbox
        ? sandboxFields.includes(field)
        : environment === null || !fixedFields.includes(field),
    submit({ mode, ...input }): Promise<CallResult<unknown>> {
      const { name, prefix, caPem } = input
      if (environment === null) return call('environments.add', { ...input, mode })
      return call('environments.update', isSandbox ? { name, prefix, caPem } : input)
    },
    onDone,
  })
  const isStored =
    environment !== null && environment.auth === form.draft['auth'] && environment.key !== null
  const secret = isStored ? { placeholder: 'unchanged' } : {}
  return (
    <InputForm
      form={form}
      flat={isSandbox}
      extra={{ key: secret, clientSecret: secret }}
      live={live}
      action={environment === null ? 'Add environment' : `Save ${environment.name}`}
      busyWords="Saving…"
      disabled={isSandbox && !form.dirty}
      onCancel={onDone}
    />
  )
}

/** Removes an environment after confirmation. The core refuses if it still has hooks. */
export function RemoveEnvironmentDialog() {
  const name = useApp((state) => state.navigation.about)
  return (
    <OverlayDialog overlay="remove-environment" ready={name !== null} title="Remove environment">
      {(close) => name !== null && <Confirmation name={name} onDone={close} />}
    </OverlayDialog>
  )
}

function Confirmation({ name, onDone }: { readonly name: string; readonly onDone: () => void }) {
  const call = useCall()
  const live = useApp(
    ({ core }) =>
      core.environments.find((environment) => environment.name === name)?.mode === 'live',
  )
  return (
    <ActionForm
      call={() => call('environments.remove', { name })}
      onDone={onDone}
      action={`Remove ${name}${live ? ' (live)' : ''}`}
      busyWords="Removing…"
      danger
    >
      <p>
        <span className="font-medium">{name}</span>
        {live && ' (live)'} and its key will be removed from Countersign. Nothing is sent to the
        service. You can't undo this.
      </p>
    </ActionForm>
  )
}

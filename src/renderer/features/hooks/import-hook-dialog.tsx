/** Records a hook that was made elsewhere. What the core refuses is said at the field that it is about. */
import { Eye, EyeOff } from 'lucide-react'
import { useState, type FormEvent } from 'react'
import type { HookImport } from '../../../shared/model/hook.ts'
import { eventTypes } from '../../../shared/service/event-type.ts'
import { useAppParts, useAppStore } from '../../state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, controlLook } from '../../ui/field.tsx'

export function ImportHookDialog() {
  const { open, closeOverlay, clearImportProblems } = useAppParts((state) => ({
    open: state.overlay === 'import-hook',
    closeOverlay: state.closeOverlay,
    clearImportProblems: state.clearImportProblems,
  }))
  const close = () => {
    clearImportProblems()
    closeOverlay()
  }
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Import a hook"
      description="Record a hook that already exists, so that its deliveries can be verified. Nothing is sent to the service."
    >
      <ImportForm onDone={close} />
    </Dialog>
  )
}

function ImportForm({ onDone }: { readonly onDone: () => void }) {
  const store = useAppStore()
  const { environments, problems, importing } = useAppParts((state) => ({
    environments: state.environments,
    problems: state.importProblems,
    importing: state.importing,
  }))
  const [secretShown, setSecretShown] = useState(false)
  const [program, setProgram] = useState(false)
  const problemOf = (field: keyof HookImport) => problems.find((problem) => problem.field === field)?.message
  const general = problems.filter((problem) => problem.field === null)
  const current = environments.find((environment) => environment.current)?.name ?? environments[0]?.name

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    // A secret is kept to the letter: a space in it may be meant.
    const exact = (name: keyof HookImport) => {
      const value = form.get(name)
      return typeof value === 'string' ? value : ''
    }
    const text = (name: keyof HookImport) => exact(name).trim()
    const optional = (name: 'programId' | 'offerId' | 'environment') => (text(name) === '' ? {} : { [name]: text(name) })
    const hook = await store.getState().importHook({
      event: text('event'),
      url: text('url'),
      secret: exact('secret'),
      ...optional('environment'),
      ...optional('programId'),
      ...optional('offerId'),
    })
    if (hook !== null) onDone()
  }

  return (
    <form className="flex flex-col gap-3.5" noValidate onSubmit={(event) => void submit(event)}>
      {general.length > 0 && (
        <p role="alert" className="rounded-control border border-bad bg-bad-wash px-3 py-2 text-bad">
          {general.map((problem) => problem.message).join(' ')}
        </p>
      )}
      <Field label="Event" problem={problemOf('event')} hint="The event that the hook is registered for">
        {({ id, describedBy, invalid }) => (
          <>
            <input
              id={id}
              name="event"
              list="event-types"
              defaultValue="transaction.auth"
              spellCheck={false}
              autoComplete="off"
              aria-describedby={describedBy}
              aria-invalid={invalid}
              className={`${controlLook} font-mono text-small`}
            />
            <datalist id="event-types">
              {eventTypes.map((type) => (
                <option key={type} value={type} />
              ))}
            </datalist>
          </>
        )}
      </Field>
      <Field
        label="Registered URL"
        problem={problemOf('url')}
        hint="Exactly as registered: signatures are over this text, to the last slash"
      >
        {({ id, describedBy, invalid }) => (
          <input
            id={id}
            name="url"
            type="text"
            inputMode="url"
            placeholder="https://"
            spellCheck={false}
            autoComplete="off"
            aria-describedby={describedBy}
            aria-invalid={invalid}
            className={`${controlLook} font-mono text-small`}
          />
        )}
      </Field>
      <Field label="Secret" problem={problemOf('secret')} hint="The secretKey that the service gave when the hook was made">
        {({ id, describedBy, invalid }) => (
          <span className="relative">
            <input
              id={id}
              name="secret"
              type={secretShown ? 'text' : 'password'}
              spellCheck={false}
              autoComplete="off"
              aria-describedby={describedBy}
              aria-invalid={invalid}
              className={`${controlLook} pr-9 font-mono text-small`}
            />
            <IconButton
              label={secretShown ? 'Hide the secret' : 'Show the secret'}
              icon={secretShown ? <EyeOff size={14} aria-hidden /> : <Eye size={14} aria-hidden />}
              className="absolute top-0.5 right-0.5"
              onClick={() => {
                setSecretShown(!secretShown)
              }}
            />
          </span>
        )}
      </Field>
      <Field label="Environment" problem={problemOf('environment')}>
        {({ id, describedBy, invalid }) => (
          <select
            id={id}
            name="environment"
            defaultValue={current}
            aria-describedby={describedBy}
            aria-invalid={invalid}
            className={controlLook}
          >
            {environments.map((environment) => (
              <option key={environment.name} value={environment.name}>
                {environment.name} ({environment.mode})
              </option>
            ))}
          </select>
        )}
      </Field>
      {program ? (
        <div className="grid grid-cols-2 gap-3">
          <Field label="Program id" optional problem={problemOf('programId')}>
            {({ id, describedBy, invalid }) => (
              <input
                id={id}
                name="programId"
                spellCheck={false}
                autoComplete="off"
                aria-describedby={describedBy}
                aria-invalid={invalid}
                className={`${controlLook} font-mono text-small`}
              />
            )}
          </Field>
          <Field label="Offer id" optional problem={problemOf('offerId')}>
            {({ id, describedBy, invalid }) => (
              <input
                id={id}
                name="offerId"
                spellCheck={false}
                autoComplete="off"
                aria-describedby={describedBy}
                aria-invalid={invalid}
                className={`${controlLook} font-mono text-small`}
              />
            )}
          </Field>
        </div>
      ) : (
        <Button
          kind="quiet"
          className="self-start"
          onClick={() => {
            setProgram(true)
          }}
        >
          Add a program or offer id
        </Button>
      )}
      <div className="mt-1 flex justify-end gap-2">
        <Button className="h-8" onClick={onDone}>
          Cancel
        </Button>
        <Button kind="primary" type="submit" className="h-8" disabled={importing}>
          {importing ? 'Importing…' : 'Import the hook'}
        </Button>
      </div>
    </form>
  )
}

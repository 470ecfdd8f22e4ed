/** Records a hook that was made elsewhere. What is missing or refused is said at the field that it is about. */
import { useRef, useState, type FormEvent, type ReactNode } from 'react'
import type { InputOf } from '../../../shared/contract/contract.ts'
import { eventTypes } from '../../../shared/service/event-type.ts'
import { isOfSandbox } from '../../state/sandbox-environment.ts'
import { useApp, useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import type { Finding } from '../../ui/call-problem.ts'
import { LiveConfirmation } from '../../ui/consent.tsx'
import { Dialog, FormFoot } from '../../ui/dialog.tsx'
import { SecretField, SelectField, TextField } from '../../ui/field.tsx'
import { findingsAtField } from '../../ui/finding-text.tsx'
import { focusFirstInvalid } from '../../ui/focus-invalid.ts'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useOutcome } from '../../ui/use-outcome.ts'

interface ImportDraft {
  readonly event: string
  readonly url: string
  readonly secret: string
  readonly environment: string
  readonly programId: string
  readonly offerId: string
  readonly remoteId: string
}

/** A hook that was made elsewhere, while it is typed in. */
export function newImport(environment: string): ImportDraft {
  return { event: 'transaction.auth', url: '', secret: '', environment, programId: '', offerId: '', remoteId: '' }
}

/** What records it; `live` confirms it for a live environment. A secret is kept to the letter: a space in it may be meant. */
export function inputOfImport(draft: ImportDraft, live = false): InputOf<'hooks.import'> {
  const filledIn = (name: 'environment' | 'programId' | 'offerId' | 'remoteId') => {
    const value = draft[name].trim()
    return value === '' ? {} : { [name]: value }
  }
  return {
    event: draft.event.trim(),
    url: draft.url.trim(),
    secret: draft.secret,
    live,
    ...filledIn('environment'),
    ...filledIn('programId'),
    ...filledIn('offerId'),
    ...filledIn('remoteId'),
  }
}

const required = [
  { field: 'event', message: 'Name the event that the hook is registered for.' },
  { field: 'url', message: 'Give the URL exactly as it is registered.' },
  { field: 'secret', message: 'Give the hook’s secret: signatures are checked with it.' },
] as const

/** What is missing before it can be recorded. */
export function missingOfImport(draft: ImportDraft): readonly Finding[] {
  const input = inputOfImport(draft)
  return required.filter(({ field }) => input[field] === '').map((missing) => ({ ...missing, rule: '', section: '' }))
}

const fields = ['event', 'url', 'secret', 'environment', 'programId', 'offerId', 'remoteId'] as const

export function ImportHookDialog() {
  const { open, closeOverlay } = useAppParts((state) => ({
    open: state.navigation.overlay === 'import-hook',
    closeOverlay: state.navigation.closeOverlay,
  }))
  return (
    <Dialog
      open={open}
      onClose={closeOverlay}
      title="Import a hook"
      description="Record a hook that already exists, so that its deliveries can be verified. Nothing is sent to the service."
    >
      <ImportForm onDone={closeOverlay} />
    </Dialog>
  )
}

function ImportForm({ onDone }: { readonly onDone: () => void }) {
  const environments = useApp((state) => state.core.environments)
  const importHook = useApp((state) => state.hooks.importMade)
  const current = environments.find((environment) => environment.current) ?? environments[0]
  const [draft, setDraft] = useState<ImportDraft>(() => newImport(current?.name ?? ''))
  const [missing, setMissing] = useState<readonly Finding[]>([])
  const [more, setMore] = useState(false)
  const [confirming, setConfirming] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  const { busy, problem, run, clear } = useOutcome()
  const live = environments.find(({ name }) => name === draft.environment)?.mode === 'live'
  const problemAt = (field: keyof ImportDraft) => findingsAtField([...missing, ...(problem?.findings ?? [])], field)
  const change = (part: Partial<ImportDraft>) => {
    setDraft({ ...draft, ...part })
    setMissing(missing.filter(({ field }) => !(field in part)))
    setConfirming(false)
    clear()
  }
  const record = async () => {
    const hook = await run(() => importHook(inputOfImport(draft, live)))
    setConfirming(false)
    if (hook === null) focusFirstInvalid(form.current)
    else onDone()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const lacking = missingOfImport(draft)
    setMissing(lacking)
    if (lacking.length > 0) focusFirstInvalid(form.current)
    else if (live) setConfirming(true)
    else void record()
  }

  return (
    <form ref={form} className="flex flex-col gap-3.5" noValidate onSubmit={submit}>
      <TextField
        label="Event"
        hint="The event that the hook is registered for"
        problem={problemAt('event')}
        suggestions={eventTypes}
        value={draft.event}
        onChange={(event) => {
          change({ event })
        }}
      />
      <TextField
        label="Registered URL"
        inputMode="url"
        placeholder="https://"
        hint="Exactly as registered: signatures are over this text, to the last slash"
        problem={problemAt('url')}
        value={draft.url}
        onChange={(url) => {
          change({ url })
        }}
      />
      <SecretField
        label="Secret"
        hint="The secretKey that the service gave when the hook was made"
        problem={problemAt('secret')}
        value={draft.secret}
        onChange={(secret) => {
          change({ secret })
        }}
      />
      <SelectField
        label="Environment"
        problem={problemAt('environment')}
        value={draft.environment}
        onChange={(environment) => {
          change({ environment })
        }}
      >
        {environments.map(({ name, mode }) => (
          <option key={name} value={name}>
            {name} ({mode})
          </option>
        ))}
      </SelectField>
      {more ? (
        <MoreFields draft={draft} change={change} problemAt={problemAt} />
      ) : (
        <Button
          kind="quiet"
          className="self-start"
          onClick={() => {
            setMore(true)
          }}
        >
          Add its ids: program, offer, the service’s own
        </Button>
      )}
      {problem !== null && <ProblemView problem={problem} covered={fields} />}
      {confirming ? (
        <LiveConfirmation
          environment={draft.environment}
          action={busy ? 'Importing…' : `Import into ${draft.environment} (live)`}
          busy={busy}
          onConfirm={() => void record()}
          onBack={() => {
            setConfirming(false)
          }}
        >
          {isOfSandbox(draft.environment)
            ? `From now on the sandbox sends each live ${draft.event} to ${draft.url}.`
            : `Deliveries of ${draft.event} at ${draft.url} will count as live ones.`}
        </LiveConfirmation>
      ) : (
        <FormFoot onCancel={onDone} action="Import the hook" busyWords="Importing…" busy={busy} />
      )}
    </form>
  )
}

interface MoreFieldsProps {
  readonly draft: ImportDraft
  readonly change: (part: Partial<ImportDraft>) => void
  readonly problemAt: (field: keyof ImportDraft) => ReactNode
}

function MoreFields({ draft, change, problemAt }: MoreFieldsProps) {
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <TextField
          label="Program id"
          optional
          problem={problemAt('programId')}
          value={draft.programId}
          onChange={(programId) => {
            change({ programId })
          }}
        />
        <TextField
          label="Offer id"
          optional
          problem={problemAt('offerId')}
          value={draft.offerId}
          onChange={(offerId) => {
            change({ offerId })
          }}
        />
      </div>
      <TextField
        label="Service’s id"
        optional
        hint="With it, the hook can be changed and deleted from here"
        problem={problemAt('remoteId')}
        value={draft.remoteId}
        onChange={(remoteId) => {
          change({ remoteId })
        }}
      />
    </>
  )
}

/** Adds a hook created elsewhere. Problems appear at their fields. */
import { Plus } from 'lucide-react'
import { useEffect, useState } from 'react'
import { z } from 'zod'
import type { InputOf, OutputOf } from '../../../shared/contract/contract.ts'
import { eventTypes } from '../../../shared/service/event-type.ts'
import { environmentChoices, isOfSandbox } from '../../state/environments.ts'
import { useCall } from '../../ui/use-outcome.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { LiveConfirmation } from '../../ui/consent.tsx'
import { FormFoot } from '../../ui/dialog.tsx'
import { OverlayDialog } from '../../ui/overlay-dialog.tsx'
import { SecretField, SelectField, TextField } from '../../ui/field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { bySchema, useForm, type Form } from '../../ui/use-form.ts'
import type { Finding } from '../../ui/call-problem.ts'
import { WorthKnowing } from './warnings.tsx'

interface ImportDraft {
  readonly event: string
  readonly url: string
  readonly secret: string
  readonly environment: string
  readonly programId: string
  readonly offerId: string
  readonly remoteId: string
}

/** The draft of the import form. */
export function newImport(environment: string): ImportDraft {
  return {
    event: 'transaction.auth',
    url: '',
    secret: '',
    environment,
    programId: '',
    offerId: '',
    remoteId: '',
  }
}

/** The import input; `live` confirms a live environment. The secret is not trimmed, because a space may belong to it. */
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

const text = (message: string) => z.string().trim().min(1, message)

/** Problems that prevent the import. */
export const missingOfImport = bySchema(
  z.object({
    event: text('Enter the event that the hook is registered for.'),
    url: text('Enter the URL exactly as registered.'),
    secret: z.string().min(1, "Enter the hook's secret."),
  }),
)

const fields = [
  'event',
  'url',
  'secret',
  'environment',
  'programId',
  'offerId',
  'remoteId',
] as const

export function ImportHookDialog() {
  return (
    <OverlayDialog
      overlay="import-hook"
      title="Import hook"
      description="Adds an existing hook so its deliveries can be verified. Nothing is sent to the service."
    >
      {(close) => <ImportForm onDone={close} />}
    </OverlayDialog>
  )
}

function ImportForm({ onDone }: { readonly onDone: () => void }) {
  const environments = useApp((state) => state.core.environments)
  const { importDraft: prefilled, clearDrafts } = useParts('hooks', 'importDraft', 'clearDrafts')
  const call = useCall()
  useEffect(() => clearDrafts, [clearDrafts])
  const current = environments.find((environment) => environment.current) ?? environments[0]
  const [more, setMore] = useState(false)
  const [afterwards, setAfterwards] = useState<readonly Finding[]>([])
  const isLive = ({ environment }: ImportDraft) =>
    environments.find(({ name }) => name === environment)?.mode === 'live'
  const form = useForm<ImportDraft, OutputOf<'hooks.import'>>({
    begin() {
      const blank = newImport(current?.name ?? '')
      return prefilled === null
        ? blank
        : { ...blank, url: prefilled.url, event: prefilled.event ?? blank.event }
    },
    check: missingOfImport,
    confirms: isLive,
    submit: (draft) => call('hooks.import', inputOfImport(draft, isLive(draft))),
    onDone({ warnings }) {
      if (warnings.length === 0) onDone()
      else setAfterwards(warnings)
    },
  })
  const { draft, field, busy, problem } = form

  if (afterwards.length > 0)
    return (
      <WorthKnowing warnings={afterwards} onDone={onDone}>
        Hook for <span className="data">{draft.event}</span> imported.
      </WorthKnowing>
    )
  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      <TextField
        label="Event"
        hint="Event that the hook is registered for"
        suggestions={eventTypes}
        {...field('event')}
      />
      <TextField
        label="Registered URL"
        inputMode="url"
        placeholder="https://"
        hint="Signatures cover this exact text, including any trailing slash"
        {...field('url')}
      />
      <SecretField
        label="Secret"
        hint="The secretKey returned when the hook was created"
        {...field('secret')}
      />
      <SelectField
        label="Environment"
        choices={environmentChoices(environments)}
        {...field('environment')}
      />
      {more ? (
        <MoreFields field={field} />
      ) : (
        <Button
          icon={<Plus size={13} aria-hidden />}
          className="self-start"
          onClick={() => setMore(true)}
        >
          Add program, offer or service ID
        </Button>
      )}
      {problem !== null && <ProblemView problem={problem} covered={fields} />}
      {form.confirming ? (
        <LiveConfirmation
          environment={draft.environment}
          action={busy ? 'Importing…' : `Import into ${draft.environment} (live)`}
          busy={busy}
          onConfirm={form.send}
          onBack={form.back}
        >
          {isOfSandbox(draft.environment)
            ? `The sandbox will send every live ${draft.event} to ${draft.url}.`
            : `Deliveries of ${draft.event} at ${draft.url} will count as live.`}
        </LiveConfirmation>
      ) : (
        <FormFoot onCancel={onDone} action="Import hook" busyWords="Importing…" busy={busy} />
      )}
    </form>
  )
}

function MoreFields({ field }: Pick<Form<ImportDraft>, 'field'>) {
  return (
    <>
      <div className="grid grid-cols-2 gap-3">
        <TextField label="Program ID" optional {...field('programId')} />
        <TextField label="Offer ID" optional {...field('offerId')} />
      </div>
      <TextField
        label="Service ID"
        optional
        hint="Lets you edit and delete the hook from here"
        {...field('remoteId')}
      />
    </>
  )
}

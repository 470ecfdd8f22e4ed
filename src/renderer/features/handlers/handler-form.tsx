/** The form that adds or edits a saved handler, in a dialog and in place of an empty list. */
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { AuthorityField } from '../../ui/authority-field.tsx'
import { Button } from '../../ui/button.tsx'
import { FormFoot } from '../../ui/dialog.tsx'
import { OverlayDialog } from '../../ui/overlay-dialog.tsx'
import { handlerRef, suggestedName } from '../../ui/endpoint-offers.ts'
import { SecretField, SelectField, TextField } from '../../ui/field.tsx'
import type { FieldFinding } from '../../ui/finding-text.tsx'
import { PrefixField } from '../../ui/prefix-field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useCall } from '../../ui/use-outcome.ts'
import { useForm } from '../../ui/use-form.ts'
import { visibleText } from '../../ui/visible-text.ts'
import type { HandlerBegun } from './handlers-slice.ts'

function isSaved(edited: SavedHandler | HandlerBegun): edited is SavedHandler {
  return 'id' in edited
}

export function HandlerDialog() {
  const edited = useApp((state) => state.handlers.edited)
  return (
    <OverlayDialog
      overlay="handler"
      title={isSaved(edited) ? `Edit ${visibleText(handlerRef(edited))}` : 'Add handler'}
      description="Your endpoint, with what signs the requests to it."
    >
      {(close) => <HandlerForm edited={edited} onCancel={close} onDone={close} />}
    </OverlayDialog>
  )
}

/** What signs: a hook (by its ID), a secret of the handler, or the hook of each delivery. */
const OWN = 'own'
const EACH = ''

interface HandlerDraft {
  /** Null for the suggested one. */
  readonly name: string | null
  readonly url: string
  /** A hook's ID, `OWN` or `EACH`. */
  readonly signer: string
  readonly secret: string
  readonly prefix: string
  readonly registeredUrl: string
  readonly targetCa: string
}

function draftOf(edited: SavedHandler | HandlerBegun): HandlerDraft {
  const { name = null, url = '', registeredUrl } = edited
  const begun = { name, url, registeredUrl: registeredUrl ?? '' }
  if (!isSaved(edited))
    return { ...begun, signer: OWN, secret: edited.secret ?? '', prefix: '', targetCa: '' }
  const { hookId, hasSecret, prefix, targetCa } = edited
  return {
    ...begun,
    signer: hookId ?? (hasSecret ? OWN : EACH),
    secret: '',
    prefix: prefix ?? '',
    targetCa: targetCa ?? '',
  }
}

/** Missing fields. An own secret that is stored already may stay empty. */
function missingInHandler(draft: HandlerDraft, hasOwnSecret: boolean): readonly FieldFinding[] {
  const { name, url, signer, secret } = draft
  return [
    ...(url.trim() === ''
      ? [
          {
            field: 'url',
            message: "Enter your handler's URL, for example localhost:3000/webhooks.",
          },
        ]
      : []),
    ...(name?.trim() === '' && url.trim() !== ''
      ? [{ field: 'name', message: 'Enter a name.' }]
      : []),
    ...(signer === OWN && secret === '' && !hasOwnSecret
      ? [{ field: 'secret', message: 'Enter the secret your handler verifies with.' }]
      : []),
  ]
}

export function HandlerForm({
  edited,
  onCancel,
  onDone,
}: {
  readonly edited: SavedHandler | HandlerBegun
  /** Null if nothing is left to return to. */
  readonly onCancel: (() => void) | null
  readonly onDone: () => void
}) {
  const { handlers, hooks } = useParts('core', 'handlers', 'hooks')
  const call = useCall()
  const { screen, go } = useParts('navigation', 'screen', 'go')
  const saved = isSaved(edited) ? edited : null
  const hasOwnSecret = saved !== null && saved.hasSecret && saved.hookId === null
  const usable = hooks.filter(
    ({ id, status, secretHint }) =>
      id === saved?.hookId || (status !== 'deleted' && secretHint !== null),
  )
  const form = useForm<HandlerDraft, { readonly handler: SavedHandler }>({
    begin: () => draftOf(edited),
    check: (typed) => missingInHandler({ ...typed, name: nameOf(typed) }, hasOwnSecret),
    async submit(typed) {
      const { signer, secret } = typed
      const settings = {
        name: nameOf(typed).trim().replace(/^@/, ''),
        url: typed.url.trim(),
        registeredUrl: typed.registeredUrl.trim() || null,
        prefix: typed.prefix.trim() || null,
        targetCa: typed.targetCa.trim() === '' ? null : typed.targetCa,
        hookId: signer === OWN || signer === EACH ? null : signer,
      }
      const own = signer === OWN ? secret : null
      const outcome =
        saved === null
          ? await call('handlers.add', { ...settings, secret: own })
          : await call('handlers.update', {
              id: saved.id,
              ...settings,
              // Without a new secret, the stored one stays.
              ...(own === '' ? {} : { secret: own }),
            })
      // The form in place of an empty list has gone by now.
      if (outcome.ok && ['handlers', 'forward'].includes(screen))
        go('handlers', { name: outcome.value.handler.name })
      return outcome
    },
    onDone,
  })
  const { draft, change, busy, problem } = form
  function nameOf(typed: HandlerDraft): string {
    if (typed.name !== null) return typed.name
    return typed.url.trim() === ''
      ? ''
      : suggestedName(
          typed.url,
          handlers.map(({ name }) => name),
        )
  }
  const hook = usable.find(({ id }) => id === draft.signer)
  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      <TextField
        label="URL"
        inputMode="url"
        placeholder="localhost:3000/webhooks"
        {...form.field('url')}
      />
      <SelectField
        label="Secret"
        choices={[
          { value: OWN, label: "The handler's own" },
          ...usable.map(({ id, event, environment, url }) => ({
            value: id,
            label: `${event} hook`,
            note: `${environment} · ${url}`,
          })),
          { value: EACH, label: "Each delivery's hook" },
        ]}
        {...form.field('signer', 'hookId')}
      />
      {draft.signer === EACH && (
        <p className="-mt-2.5 text-small text-subtle">
          Enough for replays and forwarding. Checks and flows need a secret.
        </p>
      )}
      {draft.signer === OWN && (
        <SecretField
          label="Handler secret"
          hint={
            hasOwnSecret
              ? 'Leave empty to keep the stored secret.'
              : 'The secret your handler verifies with. Stored encrypted.'
          }
          {...form.field('secret')}
        />
      )}
      <TextField
        label="Name"
        hint="Forms and commands write it with an @."
        problem={form.problemAt('name')}
        value={nameOf(draft)}
        onChange={(name) => change({ name })}
      />
      {draft.signer === OWN && <PrefixField optional {...form.field('prefix')} />}
      <TextField
        label="Registered URL"
        optional
        inputMode="url"
        placeholder={hook?.url ?? (draft.signer === OWN ? draft.url : "each hook's registered URL")}
        hint="The URL your handler verifies with. It's part of the signature."
        {...form.field('registeredUrl')}
      />
      {/^https:/i.test(draft.url.trim()) && (
        <AuthorityField
          hint="PEM. Needed only if this computer doesn't trust the handler's certificate."
          without="Remove"
          {...form.field('targetCa')}
        />
      )}
      {problem !== null && (
        <ProblemView
          problem={problem}
          covered={['name', 'url', 'secret', 'hookId', 'prefix', 'registeredUrl', 'targetCa']}
        />
      )}
      {onCancel === null ? (
        <Button kind="primary" type="submit" className="self-start" disabled={busy}>
          {busy ? 'Saving…' : 'Add handler'}
        </Button>
      ) : (
        <FormFoot
          onCancel={onCancel}
          action={saved === null ? 'Add handler' : 'Save handler'}
          busyWords="Saving…"
          busy={busy}
        />
      )}
    </form>
  )
}

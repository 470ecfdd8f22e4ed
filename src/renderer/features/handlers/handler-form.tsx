/** The form that adds or edits a saved handler, in a dialog and in place of an empty list. */
import { handlerAddSchema, type SavedHandler } from '../../../shared/model/handler.ts'
import { environmentFinder } from '../../core-data/environments.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { handlerRef, suggestedName } from '../../ui/endpoint-offers.ts'
import { InputForm, useInputForm } from '../../connected/input-form.tsx'
import { OverlayDialog } from '../../connected/overlay-dialog.tsx'
import { useCall } from '../../ui/use-call.ts'
import { visibleText } from '../../ui/visible-text.ts'
import type { HandlerTemplate } from './handlers-slice.ts'

function isSaved(edited: SavedHandler | HandlerTemplate): edited is SavedHandler {
  return 'id' in edited
}

export function HandlerDialog() {
  const edited = useApp((state) => state.handlers.edited)
  return (
    <OverlayDialog
      overlay="handler"
      title={isSaved(edited) ? `Edit ${visibleText(handlerRef(edited))}` : 'Add handler'}
      description="Your endpoint, and the secret that signs its requests."
    >
      {(close) => <HandlerForm edited={edited} onCancel={close} onDone={close} />}
    </OverlayDialog>
  )
}

/** Ways to sign: with a hook (by its ID), a secret of the handler, or the hook of each delivery. */
const OWN = 'own'
const EACH = ''

function hasOwnSecret(saved: SavedHandler | null): boolean {
  return saved !== null && saved.hasSecret && saved.hookId === null
}

function useHandlerForm(edited: SavedHandler | HandlerTemplate, onDone: () => void) {
  const handlers = useApp((state) => state.core.handlers)
  const call = useCall()
  const { screen, go } = useParts('navigation', 'screen', 'go')
  const saved = isSaved(edited) ? edited : null
  const isSecretStored = hasOwnSecret(saved)
  return useInputForm({
    schema: handlerAddSchema,
    begin: () => ({
      ...edited,
      hookId: saved === null || isSecretStored ? OWN : (saved.hookId ?? EACH),
    }),
    proposed: ({ url }) =>
      typeof url === 'string' && url.trim() !== ''
        ? {
            name: suggestedName(
              url,
              handlers.map(({ name }) => name),
            ),
          }
        : {},
    shows: (field, { hookId, url }) =>
      field === 'secret' || field === 'prefix'
        ? hookId === OWN
        : field !== 'targetCa' || (typeof url === 'string' && /^\s*https:/i.test(url)),
    check: ({ hookId, secret }) =>
      hookId === OWN && secret === null && !isSecretStored
        ? [{ field: 'secret', message: 'Enter the secret your handler verifies with.' }]
        : [],
    async submit({ hookId, secret = null, ...others }) {
      const isOwn = hookId === OWN
      const input = {
        ...others,
        hookId: isOwn ? null : hookId,
        // Without a new secret, the stored one stays.
        ...(isOwn && secret === null ? {} : { secret: isOwn ? secret : null }),
      }
      const outcome = await (saved === null
        ? call('handlers.add', input)
        : call('handlers.update', { ...input, id: saved.id }))
      // The form in place of an empty list has gone by now.
      if (outcome.ok && ['handlers', 'forward'].includes(screen))
        go('handlers', { name: outcome.value.handler.name })
      return outcome
    },
    onDone,
  })
}

export function HandlerForm({
  edited,
  onCancel,
  onDone,
}: {
  readonly edited: SavedHandler | HandlerTemplate
  /** Closes the form; null if there is no previous view. */
  readonly onCancel: (() => void) | null
  readonly onDone: () => void
}) {
  const { hooks, environments } = useParts('core', 'hooks', 'environments')
  const form = useHandlerForm(edited, onDone)
  const saved = isSaved(edited) ? edited : null
  const usable = hooks.filter(
    ({ id, status, secretHint }) =>
      id === saved?.hookId || (status !== 'deleted' && secretHint !== null),
  )
  const { draft } = form
  const isOwn = draft['hookId'] === OWN
  return (
    <InputForm
      form={form}
      action={saved === null ? 'Add handler' : 'Save handler'}
      busyWords="Saving…"
      onCancel={onCancel}
      extra={{
        hookId: {
          hint:
            isOwn || form.input.hookId !== null
              ? ''
              : 'Enough for replays and forwarding. Checks and flows need a secret.',
          choices: [
            { value: OWN, label: "The handler's own" },
            ...usable.map(({ id, event, environment, url }) => ({
              value: id,
              label: `${event} hook`,
              note: `${environment} · ${url}`,
            })),
            { value: EACH, label: "Each delivery's hook" },
          ],
        },
        ...(hasOwnSecret(saved)
          ? { secret: { hint: 'Leave empty to keep the stored secret.' } }
          : {}),
        prefix: { placeholder: environmentFinder(environments)()?.prefix },
        registeredUrl: {
          placeholder:
            usable.find(({ id }) => id === draft['hookId'])?.url ??
            (isOwn ? form.input.url : "each hook's registered URL"),
        },
      }}
    />
  )
}

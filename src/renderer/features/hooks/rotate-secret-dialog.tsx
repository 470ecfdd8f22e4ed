/** Sets a hook's new secret. Deliveries signed with previous secrets still verify. */
import { z } from 'zod'
import type { Hook } from '../../../shared/model/hook.ts'
import { useApp } from '../../state/use-app.ts'
import { LiveConfirmation } from '../../ui/consent.tsx'
import { Dialog, FormFoot } from '../../ui/dialog.tsx'
import { SecretField } from '../../ui/field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { bySchema, useForm } from '../../ui/use-form.ts'
import { useDialogHook } from './use-dialog-hook.ts'

export function RotateSecretDialog() {
  const { hook, closeOverlay } = useDialogHook('rotate-secret')
  return (
    <Dialog
      open={hook !== null}
      onClose={closeOverlay}
      title={hook?.secretHint === null ? 'Add secret' : 'Rotate secret'}
      description="Enter the secret that the service signs with. Nothing is sent to the service."
    >
      {hook !== null && <RotateForm hook={hook} onDone={closeOverlay} />}
    </Dialog>
  )
}

const checkSecret = bySchema(z.object({ secret: z.string().min(1, 'Enter the new secret.') }))

function RotateForm({ hook, onDone }: { readonly hook: Hook; readonly onDone: () => void }) {
  const rotateSecret = useApp((state) => state.hooks.rotateSecret)
  const live = hook.mode === 'live'
  const form = useForm({
    begin: () => ({ secret: '' }),
    check: checkSecret,
    confirms: () => live,
    submit: ({ secret }) => rotateSecret(hook.id, secret, live),
    onDone,
  })
  const { draft, busy, problem } = form
  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      <SecretField
        label="New secret"
        hint={
          hook.secretHint === null
            ? 'The secretKey returned when the hook was created'
            : `Deliveries signed with the current secret (${hook.secretHint}) still verify`
        }
        problem={form.problemAt('secret')}
        value={draft.secret}
        onChange={(secret) => form.change({ secret })}
      />
      {problem !== null && <ProblemView problem={problem} />}
      {form.confirming ? (
        <LiveConfirmation
          environment={hook.environment}
          action={busy ? 'Saving…' : `Use this secret in ${hook.environment} (live)`}
          busy={busy}
          onConfirm={form.send}
          onBack={form.back}
        >
          Replays and forwarded deliveries of {hook.event} are signed with it. If it's wrong, new
          live deliveries show as invalid.
        </LiveConfirmation>
      ) : (
        <FormFoot
          onCancel={onDone}
          action={`Use this secret${live ? ' (live)' : ''}`}
          busyWords="Saving…"
          busy={busy}
        />
      )}
    </form>
  )
}

/** Gives a hook another secret. What was signed with those before still verifies. */
import { useState, type FormEvent } from 'react'
import type { Hook } from '../../../shared/model/hook.ts'
import { useApp, useAppParts } from '../../state/use-app.ts'
import { LiveConfirmation } from '../../ui/consent.tsx'
import { Dialog, FormFoot } from '../../ui/dialog.tsx'
import { SecretField } from '../../ui/field.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useOutcome } from '../../ui/use-outcome.ts'

export function RotateSecretDialog() {
  const { hook, closeOverlay } = useAppParts((state) => ({
    hook:
      state.navigation.overlay === 'rotate-secret'
        ? (state.core.hooks.find(({ id }) => id === state.hooks.selectedId) ?? null)
        : null,
    closeOverlay: state.navigation.closeOverlay,
  }))
  return (
    <Dialog
      open={hook !== null}
      onClose={closeOverlay}
      title={hook?.secretHint === null ? 'Give the secret' : 'Rotate the secret'}
      description="Nothing is sent to the service: this is where Countersign learns the secret that the service signs with."
    >
      {hook !== null && <RotateForm hook={hook} onDone={closeOverlay} />}
    </Dialog>
  )
}

function RotateForm({ hook, onDone }: { readonly hook: Hook; readonly onDone: () => void }) {
  const rotateSecret = useApp((state) => state.hooks.rotateSecret)
  const [secret, setSecret] = useState('')
  const [sent, setSent] = useState(false)
  const [confirming, setConfirming] = useState(false)
  const { busy, problem, run } = useOutcome()
  const live = hook.mode === 'live'
  const save = async () => {
    const saved = await run(() => rotateSecret(hook.id, secret, live))
    setConfirming(false)
    if (saved !== null) onDone()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    if (secret === '') return
    if (live) setConfirming(true)
    else void save()
  }
  return (
    <form className="flex flex-col gap-3.5" noValidate onSubmit={submit}>
      <SecretField
        label="New secret"
        hint={
          hook.secretHint === null
            ? 'The secretKey that the service gave when the hook was made'
            : `Deliveries signed with the present one (${hook.secretHint}) still verify`
        }
        problem={sent && secret === '' ? 'Paste the new secret.' : undefined}
        value={secret}
        onChange={(typed) => {
          setSecret(typed)
          setConfirming(false)
        }}
      />
      {problem !== null && <ProblemView problem={problem} />}
      {confirming ? (
        <LiveConfirmation
          environment={hook.environment}
          action={busy ? 'Saving…' : `Use this secret in ${hook.environment} (live)`}
          busy={busy}
          onConfirm={() => void save()}
          onBack={() => {
            setConfirming(false)
          }}
        >
          Replays and forwarded deliveries of {hook.event} are signed with it. If it's wrong, new live deliveries show as invalid.
        </LiveConfirmation>
      ) : (
        <FormFoot onCancel={onDone} action={`Use this secret${live ? ' (live)' : ''}`} busyWords="Saving…" busy={busy} />
      )}
    </form>
  )
}

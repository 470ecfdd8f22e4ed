/** Gives a hook another secret. What was signed with those before still verifies. */
import { useState, type FormEvent } from 'react'
import type { Hook } from '../../../shared/model/hook.ts'
import { useAppParts } from '../../state/use-app.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { FormFoot } from '../../ui/form-foot.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { SecretField } from '../../ui/secret-field.tsx'
import { useOutcome } from '../../ui/use-outcome.ts'

export function RotateSecretDialog() {
  const { hook, closeOverlay } = useAppParts((state) => ({
    hook: state.overlay === 'rotate-secret' ? (state.hooks.find(({ id }) => id === state.hookId) ?? null) : null,
    closeOverlay: state.closeOverlay,
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
  const rotateSecret = useAppParts((state) => ({ rotate: state.rotateSecret })).rotate
  const [secret, setSecret] = useState('')
  const [sent, setSent] = useState(false)
  const { busy, problem, run } = useOutcome()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setSent(true)
    if (secret === '') return
    if ((await run(() => rotateSecret(hook.id, secret))) !== null) onDone()
  }
  return (
    <form className="flex flex-col gap-3.5" noValidate onSubmit={(event) => void submit(event)}>
      <SecretField
        label="New secret"
        hint={
          hook.secretHint === null
            ? 'The secretKey that the service gave when the hook was made'
            : `Deliveries signed with the present one (${hook.secretHint}) still verify`
        }
        problem={sent && secret === '' ? 'Paste the new secret.' : undefined}
        value={secret}
        onChange={setSecret}
      />
      {problem !== null && <ProblemView problem={problem} />}
      <FormFoot onCancel={onDone} action="Make it the present secret" busyWords="Keeping it…" busy={busy} />
    </form>
  )
}

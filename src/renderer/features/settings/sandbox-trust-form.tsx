/** What can be chosen of the sandbox's own environments: an authority whose certificates it takes at the URLs of hooks. */
import { useState, type FormEvent } from 'react'
import type { Environment } from '../../../shared/model/environment.ts'
import { useApp } from '../../state/use-app.ts'
import { AuthorityField } from '../../ui/authority-field.tsx'
import { findingsAtField } from '../../ui/finding-text.tsx'
import { focusFirstInvalid } from '../../ui/focus-invalid.ts'
import { FormFoot } from '../../ui/dialog.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useOutcome } from '../../ui/use-outcome.ts'

export interface SandboxTrustFormProps {
  readonly environment: Environment
  readonly onDone: () => void
}

export function SandboxTrustForm({ environment: { name, caPem: kept }, onDone }: SandboxTrustFormProps) {
  const updateEnvironment = useApp((state) => state.environments.update)
  const [caPem, setCaPem] = useState(kept ?? '')
  const { busy, problem, run, clear } = useOutcome()
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const chosen = caPem.trim() === '' ? null : caPem.trim()
    if ((await run(() => updateEnvironment({ name, caPem: chosen }))) !== null) onDone()
    else focusFirstInvalid(form)
  }
  return (
    <form className="flex flex-col gap-3.5" noValidate onSubmit={(event) => void submit(event)}>
      <AuthorityField
        value={caPem}
        hint="PEM. The sandbox then sends to an endpoint whose certificate it signed, beside those of this machine and the system."
        without="Trust no other"
        problem={findingsAtField(problem?.findings ?? [], 'caPem')}
        onChange={(pem) => {
          setCaPem(pem)
          clear()
        }}
      />
      {problem !== null && <ProblemView problem={problem} covered={['caPem']} />}
      <FormFoot
        onCancel={onDone}
        action="Change the environment"
        busyWords="Keeping it…"
        busy={busy}
        disabled={caPem.trim() === (kept ?? '').trim()}
      />
    </form>
  )
}

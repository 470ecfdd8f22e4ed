/** Edits the CA certificate that the sandbox trusts for hook URLs. */
import type { Environment } from '../../../shared/model/environment.ts'
import { useApp } from '../../state/use-app.ts'
import { AuthorityField } from '../../ui/authority-field.tsx'
import { FormFoot } from '../../ui/dialog.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useForm } from '../../ui/use-form.ts'

export interface SandboxTrustFormProps {
  readonly environment: Environment
  readonly onDone: () => void
}

export function SandboxTrustForm({ environment: { name, caPem: kept }, onDone }: SandboxTrustFormProps) {
  const updateEnvironment = useApp((state) => state.environments.update)
  const form = useForm({
    begin: () => ({ caPem: kept ?? '' }),
    submit: ({ caPem }) => updateEnvironment({ name, caPem: caPem.trim() === '' ? null : caPem.trim() }),
    onDone,
  })
  const { draft, busy, problem } = form
  return (
    <form className="flex flex-col gap-3.5" {...form.element}>
      <AuthorityField
        value={draft.caPem}
        hint="PEM. The sandbox then trusts endpoints with a certificate from this CA, in addition to the system's."
        without="No additional CA"
        problem={form.problemAt('caPem')}
        onChange={(caPem) => {
          form.change({ caPem })
        }}
      />
      {problem !== null && <ProblemView problem={problem} covered={['caPem']} />}
      <FormFoot onCancel={onDone} action="Save environment" busyWords="Saving…" busy={busy} disabled={!form.dirty} />
    </form>
  )
}

import type { ReactNode, FormEvent } from 'react'
import type { CallResult } from './call-problem.ts'
import { FormFoot } from './dialog.tsx'
import { ProblemView } from './problem-view.tsx'
import { useOutcome } from './use-outcome.ts'

/** The form of a dialog that makes one call, and is done once it succeeds. A failure is shown above its footer. */
export function ActionForm({
  call,
  onDone,
  children,
  disabled = false,
  ...foot
}: {
  readonly call: () => Promise<CallResult<unknown>>
  readonly onDone: () => void
  readonly children: ReactNode
  readonly action: string
  readonly busyWords: string
  /** Whether it can't be sent yet. */
  readonly disabled?: boolean
  readonly danger?: boolean
}) {
  const { busy, problem, run } = useOutcome()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!disabled && (await run(call)) !== null) onDone()
  }
  return (
    <form className="flex flex-col gap-3.5" noValidate onSubmit={(event) => void submit(event)}>
      {children}
      {problem !== null && <ProblemView problem={problem} />}
      <FormFoot onCancel={onDone} busy={busy} disabled={disabled} {...foot} />
    </form>
  )
}

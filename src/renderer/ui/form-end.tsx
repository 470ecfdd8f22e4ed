import type { ReactNode } from 'react'
import { ProblemView } from './problem-view.tsx'
import type { Form } from './use-form.ts'
import { FormFoot } from './form-foot.tsx'

export function FormEnd<Draft extends object>({
  form: { busy, problem },
  live = false,
  covered = [],
  action,
  ...foot
}: {
  readonly form: Pick<Form<Draft>, 'busy' | 'problem'>
  /** Whether the call changes something in a live environment. */
  readonly live?: boolean
  /** Fields that show their findings themselves. */
  readonly covered?: readonly string[]
  readonly action: string
  readonly busyWords: string
  readonly onCancel: (() => void) | null
  readonly disabled?: boolean
  readonly aside?: ReactNode
}) {
  return (
    <>
      {problem !== null && <ProblemView problem={problem} covered={covered} />}
      <FormFoot action={live ? `${action} (live)` : action} busy={busy} {...foot} />
    </>
  )
}

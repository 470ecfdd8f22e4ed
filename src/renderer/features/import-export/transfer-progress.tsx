import type { ReactNode } from 'react'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { useFirstFocus } from '../../ui/use-first-focus.ts'

/** Shows the progress of an export or import, with buttons to cancel or hide it. */
export function TransferProgress({
  label,
  value,
  max,
  children,
  cancel,
  onCancel,
}: {
  readonly label: string
  readonly value: number
  readonly max: number
  readonly children: ReactNode
  readonly cancel: string
  readonly onCancel: () => void
}) {
  const closeOverlay = useApp((state) => state.navigation.closeOverlay)
  const first = useFirstFocus<HTMLButtonElement>()
  return (
    <>
      <ProgressBar label={label} value={value} max={max} />
      <p className="text-small text-muted tabular-nums">{children}</p>
      <div className="mt-1 flex justify-end gap-2">
        <Button onClick={onCancel}>{cancel}</Button>
        <Button kind="primary" onClick={closeOverlay} ref={first}>
          Hide
        </Button>
      </div>
    </>
  )
}

export function TransferProblem({ text }: { readonly text: string | null }) {
  return (
    text !== null && (
      <p role="alert" className="text-bad">
        {text}
      </p>
    )
  )
}

export const formatCount = (count: number) => count.toLocaleString('en')

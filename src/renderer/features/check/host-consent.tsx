/** Asked before requests leave this machine: to which host, and how many. */
import { Button } from '../../ui/button.tsx'
import { useFirstFocus } from '../../ui/use-first-focus.ts'
import type { CheckConsent } from './check-slice.ts'

export interface HostConsentProps {
  readonly consent: CheckConsent
  readonly busy: boolean
  readonly onConfirm: () => void
  readonly onBack: () => void
}

export function HostConsent({ consent: { host, requests }, busy, onConfirm, onBack }: HostConsentProps) {
  const first = useFirstFocus<HTMLButtonElement>()
  return (
    <div role="group" aria-label={`Agree to ${host}`} className="rounded-control border border-warn bg-warn-wash p-3">
      <p className="font-medium wrap-anywhere">{host} is not this machine.</p>
      <p className="mt-0.5 text-muted">
        Up to {requests} requests would go there: genuine deliveries, which it books, and forged ones. Whoever runs it should
        know.
      </p>
      <div className="mt-3 flex justify-end gap-2">
        <Button className="h-8" onClick={onBack}>
          Go back
        </Button>
        <Button kind="primary" className="h-8" disabled={busy} onClick={onConfirm} ref={first}>
          Send them to {host}
        </Button>
      </div>
    </div>
  )
}

/** The address that new hooks are registered under: this machine's, or the public one that stands in front of it. */
import { Globe, House } from 'lucide-react'
import { useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Middle } from '../../ui/middle.tsx'

export function PublicAddress() {
  const { receiver, openOverlay } = useAppParts((state) => ({
    receiver: state.status?.receiver ?? null,
    openOverlay: state.openOverlay,
  }))
  if (receiver === null) return null
  const address = receiver.publicUrl ?? receiver.url
  return (
    <div className="flex min-h-9 shrink-0 items-center gap-2 border-b border-line bg-surface pr-3 pl-4 text-small">
      {receiver.publicUrl === null ? (
        <House size={13} aria-hidden className="shrink-0 text-subtle" />
      ) : (
        <Globe size={13} aria-hidden className="shrink-0 text-accent" />
      )}
      <span className="shrink-0 text-subtle">{receiver.publicUrl === null ? 'Address' : 'Public address'}</span>
      {address === null ? (
        <span className="flex-1 text-muted">The receiver is not listening.</span>
      ) : (
        <>
          <Middle text={address} tail={8} className="data text-text" />
          <CopyButton text={address} label="Copy the address of new hooks" />
          <span className="min-w-0 flex-1 truncate text-subtle">
            {receiver.publicUrl === null ? 'reached from this machine alone' : `in front of ${receiver.url ?? 'the receiver'}`}
          </span>
        </>
      )}
      <Button
        kind="quiet"
        className="text-small"
        onClick={() => {
          openOverlay('public-address')
        }}
      >
        {receiver.publicUrl === null ? 'Set a public address…' : 'Change…'}
      </Button>
    </div>
  )
}

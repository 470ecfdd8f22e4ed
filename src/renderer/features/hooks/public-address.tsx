/** The base URL for new hooks: local or public, with the state of its tunnel. */
import { Globe, House, LoaderCircle } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { ReceiverStatus, TunnelStatus } from '../../../shared/model/status.ts'
import { useApp, useAppParts } from '../../state/use-app.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Middle } from '../../ui/middle.tsx'
import { TestMark } from './address-test.tsx'
import {
  Moved,
  pointsStill,
  Repoint,
  strandedMoves,
  type Move,
  type Repointed,
} from './repoint-hooks.tsx'

export function PublicAddress() {
  const { receiver, tunnel, openOverlay } = useAppParts((state) => ({
    receiver: state.core.status?.receiver ?? null,
    tunnel: state.core.tunnel,
    openOverlay: state.navigation.openOverlay,
  }))
  if (receiver === null) return null
  const address = receiver.publicUrl ?? receiver.url
  // A plain local URL has no state to report, so narrow windows hide it.
  const isPlain = receiver.publicUrl === null && tunnel?.state !== 'starting'
  const hasFailed = tunnel?.state === 'stopped' && tunnel.problem !== null
  return (
    <>
      <div className="@container flex min-h-9 shrink-0 items-center gap-2 border-b border-line bg-surface pr-3 pl-4 text-small">
        <AddressIcon receiver={receiver} />
        <span className="shrink-0 text-subtle max-[1000px]:sr-only">
          {receiver.publicUrl === null ? 'URL' : 'Public URL'}
        </span>
        {address === null ? (
          <span className="flex-1 text-muted">The receiver isn't listening.</span>
        ) : (
          <>
            <Middle text={address} tail={8} className="data text-text" />
            <CopyButton text={address} label="Copy the URL for new hooks" />
            <span
              className={`flex flex-1 items-center text-subtle ${hasFailed ? 'min-w-max' : isPlain ? 'min-w-0 @max-[520px]:invisible' : 'min-w-26'}`}
            >
              <Condition receiver={receiver} tunnel={tunnel} />
            </span>
          </>
        )}
        <Button kind="quiet" className="text-small" onClick={() => openOverlay('public-address')}>
          {receiver.publicUrl === null ? 'Set public URL…' : 'Change…'}
        </Button>
      </div>
      <Stranded receiver={receiver} tunnel={tunnel} />
    </>
  )
}

interface AddressState {
  readonly receiver: ReceiverStatus
  readonly tunnel: TunnelStatus | null
}

function AddressIcon({ receiver: { publicUrl } }: Pick<AddressState, 'receiver'>) {
  return publicUrl === null ? (
    <House size={13} aria-hidden className="shrink-0 text-subtle" />
  ) : (
    <Globe size={13} aria-hidden className="shrink-0 text-accent" />
  )
}

/** The state of the URL, in a few words. */
function Condition({ receiver, tunnel }: AddressState): ReactNode {
  if (tunnel?.state === 'starting')
    return (
      <span role="status" className="inline-flex items-center gap-1.5 text-muted">
        <LoaderCircle size={13} aria-hidden className="animate-spin motion-reduce:animate-none" />
        {tunnel.provider} is starting…
      </span>
    )
  if (tunnel?.state === 'stopped' && tunnel.problem !== null)
    return (
      <span role="status" className="truncate text-bad" title={tunnel.problem}>
        {tunnel.provider} failed
      </span>
    )
  if (receiver.publicUrl === null)
    return <span className="truncate">Reachable from this computer only</span>
  if (tunnel !== null && tunnel.test !== null) return <TestMark test={tunnel.test} />
  return <span className="truncate">Forwards to {receiver.url ?? 'the receiver'}</span>
}

/** Warns while hooks still point to an expired URL: they receive nothing. */
function Stranded({ receiver, tunnel }: AddressState) {
  const hooks = useApp((state) => state.core.hooks)
  const [move, setMove] = useState<Move | null>(null)
  const [moved, setMoved] = useState<Repointed | null>(null)
  const close = () => {
    setMove(null)
    setMoved(null)
  }
  const [first] = strandedMoves(tunnel, receiver, hooks)
  return (
    <>
      {first !== undefined && (
        <Banner
          tone="warn"
          title={`${pointsStill(hooks, first)} to an expired URL.`}
          action={
            <Button className="shrink-0" onClick={() => setMove(first)}>
              Re-point…
            </Button>
          }
        >
          <span className="data wrap-anywhere">{first.from}</span>
        </Banner>
      )}
      <Dialog open={move !== null} onClose={close} title="Re-point hooks">
        {moved !== null ? (
          <Moved moved={moved} onDone={close} />
        ) : (
          move !== null && <Repoint move={move} onMoved={setMoved} onDone={close} />
        )}
      </Dialog>
    </>
  )
}

/** The bar above the hooks with the URL for new hooks, local or public, and its state. */
import { Globe, House, LoaderCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { addressTestOutcomes } from '../../../shared/model/service-outcomes.ts'
import type { ReceiverStatus } from '../../../shared/model/status.ts'
import type { TunnelStatus } from '../../../shared/model/tunnel.ts'
import { hooksUnder } from '../../../shared/service/hook-rules.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Banner } from '../../ui/message.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { MiddleTruncated } from '../../ui/exact-text.tsx'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import { hooksPointing } from './repoint-hooks.tsx'
import { useHookUrl } from './use-hook-url.ts'

export function PublicUrlBar() {
  const { receiver, tunnel, url } = useHookUrl()
  const hooks = useApp((state) => state.core.hooks)
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  if (receiver === null) return null
  const isLocal = receiver.publicUrl === null
  // A plain local URL has no state to report, so narrow windows hide it.
  const isPlain = isLocal && tunnel?.state !== 'starting' && tunnel?.problem == null
  // Hooks under expired URLs receive nothing.
  const expired = tunnel?.earlier.find((one) => one !== url && hooksUnder(hooks, one).length > 0)
  const Icon = isLocal ? House : Globe
  return (
    <>
      <div className="@container flex min-h-9 shrink-0 items-center gap-2 border-b border-line bg-surface pr-3 pl-4 text-small">
        <Icon size={13} className={`shrink-0 ${isLocal ? 'text-subtle' : 'text-accent'}`} />
        <span className="shrink-0 text-subtle max-[1000px]:sr-only">
          {isLocal ? 'URL' : 'Public URL'}
        </span>
        {url === null ? (
          <span className="flex-1 text-muted">The receiver isn't listening.</span>
        ) : (
          <>
            <MiddleTruncated text={url} tail={8} className="data text-text" />
            <CopyButton text={url} label="Copy the URL for new hooks" />
            <span
              className={`flex flex-1 items-center text-subtle ${isPlain ? 'min-w-0 @max-[520px]:invisible' : 'min-w-26'}`}
            >
              <UrlState receiver={receiver} tunnel={tunnel} />
            </span>
          </>
        )}
        <Button kind="quiet" className="text-small" onClick={() => openOverlay('public-address')}>
          {isLocal ? 'Set public URL…' : 'Change…'}
        </Button>
      </div>
      {expired !== undefined && url !== null && (
        <Banner
          tone="warn"
          title={`${hooksPointing(hooksUnder(hooks, expired))} to an expired URL.`}
          action={
            <Button className="shrink-0" onClick={() => openOverlay('public-address', expired)}>
              Re-point…
            </Button>
          }
        >
          <span className="data wrap-anywhere">{expired}</span>
        </Banner>
      )}
    </>
  )
}

/** Shows the state of the URL in a few words. */
function UrlState({
  receiver,
  tunnel,
}: {
  readonly receiver: ReceiverStatus
  readonly tunnel: TunnelStatus | null
}): ReactNode {
  if (tunnel?.state === 'starting')
    return (
      <span role="status" className="inline-flex items-center gap-1.5 text-muted">
        <LoaderCircle size={13} className="animate-spin motion-reduce:animate-none" />
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
  if (tunnel?.test != null)
    return <OutcomeMark outcome={addressTestOutcomes[tunnel.test.outcome]} />
  return <span className="truncate">Forwards to {receiver.url ?? 'the receiver'}</span>
}

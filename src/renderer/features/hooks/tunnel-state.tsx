/** State of the tunnel to this computer, and the test of the public URL. */
import type { TunnelStatus } from '../../../shared/model/tunnel.ts'
import { addressTestOutcomes } from '../../../shared/model/service-outcomes.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useCall, useCallState } from '../../ui/use-call.ts'

export function TunnelState({
  tunnel: { state, provider, url, problem },
}: {
  readonly tunnel: TunnelStatus
}) {
  return (
    <div role="status" className="flex flex-col gap-1">
      {state === 'up' && <p className="font-medium">{provider} tunnel running</p>}
      {state === 'starting' && <p className="font-medium">{provider} is starting…</p>}
      {url !== null && (
        <p className="flex items-start gap-1">
          <span className="data min-w-0 flex-1 py-1 wrap-anywhere">{url}</span>
          <CopyButton text={url} label="Copy link" />
        </p>
      )}
      {state === 'stopped' && problem !== null && (
        <p className="text-bad wrap-anywhere">
          <ExactText text={problem} />
        </p>
      )}
    </div>
  )
}

export function PublicUrlTest() {
  const test = useApp((state) => state.core.tunnel?.test ?? null)
  const call = useCall()
  const { busy, problem, run } = useCallState()
  return (
    <section aria-label="Test" className="flex flex-col gap-2 border-t border-line pt-3">
      <div className="flex min-h-7 items-center gap-3">
        <p className="flex min-w-0 flex-1 items-center gap-3 text-muted" role="status">
          {busy ? (
            'Testing…'
          ) : test === null ? (
            'Not tested yet.'
          ) : (
            <>
              <OutcomeMark outcome={addressTestOutcomes[test.outcome]} />
              <span className="data text-subtle">{test.ms} ms</span>
            </>
          )}
        </p>
        <Button disabled={busy} onClick={() => void run(() => call('tunnels.test', {}))}>
          {test === null ? 'Test' : 'Test again'}
        </Button>
      </div>
      {test !== null && !busy && (
        <p className="text-small text-muted wrap-anywhere">
          <ExactText text={test.message} />
        </p>
      )}
      {problem !== null && <ProblemView problem={problem} />}
    </section>
  )
}

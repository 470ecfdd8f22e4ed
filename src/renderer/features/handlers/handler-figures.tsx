import { CircleX } from 'lucide-react'
import type { ReactNode } from 'react'
import { clockTime, milliseconds } from '../../ui/moment.ts'
import { flowResults } from './handler-facts.ts'
import type { HandlerPageProps } from './use-handler-actions.ts'

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <p className="flex min-h-11 min-w-0 flex-1 flex-wrap items-center gap-x-2.5 border-line px-5 py-1 text-small text-muted not-last:border-r @max-[760px]:basis-full @max-[760px]:not-last:border-r-0">
      <span>{name}</span>
      {children}
    </p>
  )
}

/** Shows `34 of 37`, a bar of both, and the time. Green only if something passed. */
function Passed({
  passed,
  failed,
  at,
}: {
  readonly passed: number
  readonly failed: number
  readonly at: string | undefined
}) {
  return (
    <>
      <span>
        <Big value={passed} className={failed > 0 ? 'text-bad' : passed > 0 ? 'text-ok' : ''} /> of{' '}
        {passed + failed}
      </span>
      <span aria-hidden className="flex h-2 w-24 gap-px forced-color-adjust-none">
        {failed > 0 && <span className="min-w-2 bg-mark-red" style={{ flexGrow: failed }} />}
        <span className="bg-mark-green" style={{ flexGrow: passed }} />
      </span>
      {at !== undefined && <span className="data">{clockTime(at).slice(0, 5)}</span>}
    </>
  )
}

function Big({ value, className = '' }: { readonly value: number; readonly className?: string }) {
  return (
    <span className={`font-mono text-title font-medium ${className}`}>
      {value.toLocaleString('en')}
    </span>
  )
}

/** Shows one line with the check, the flows and the last hour. */
export function HandlerFigures({
  page: { checks, flows, requests, failed, p50 },
}: Pick<HandlerPageProps, 'page'>) {
  const check = checks.at(-1)
  const results = flowResults(flows)
  return (
    <div role="group" aria-label="Summary" className="flex flex-wrap border-b border-line">
      <Figure name="Check">{check === undefined ? 'not run yet' : <Passed {...check} />}</Figure>
      <Figure name="Flows">
        {flows.length === 0 ? (
          'not run yet'
        ) : (
          <Passed
            passed={results.passed.length}
            failed={results.failed.length}
            at={results.startedAt}
          />
        )}
      </Figure>
      <Figure name="Last hour">
        <span>
          <Big value={requests} className="text-text" /> {requests === 1 ? 'request' : 'requests'}
        </span>
        {failed > 0 && (
          <span className="flex items-center gap-1 font-medium text-bad">
            <CircleX size={14} />
            {failed.toLocaleString('en')} failed
          </span>
        )}
        {p50 !== null && (
          <span>
            median <span className="data">{milliseconds(p50)} ms</span>
          </span>
        )}
      </Figure>
    </div>
  )
}

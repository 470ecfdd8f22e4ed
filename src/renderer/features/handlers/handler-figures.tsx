/** Strip of a handler's page: its check, its flows and its last hour, each with an action. */
import type { ReactNode } from 'react'
import { deliveryCount } from '../../../shared/text/counted.ts'
import { clockTime, dayUnlessToday, milliseconds } from '../../ui/moment.ts'
import { flowResults } from './handler-facts.ts'
import { HeadingLink } from './handler-parts.tsx'
import type { HandlerPageProps } from './use-handler-actions.ts'

function Figure({
  name,
  action,
  children,
  notes,
}: {
  readonly name: string
  readonly action: ReactNode
  readonly children: ReactNode
  readonly notes: readonly (string | false)[]
}) {
  return (
    <div className="min-w-0 flex-1 border-line px-5 py-2.5 not-last:border-r @max-[640px]:basis-full @max-[640px]:not-last:border-r-0 @max-[640px]:not-last:border-b">
      <p className="flex min-h-6 items-center justify-between gap-2 text-small text-muted">
        <span>{name}</span>
        {action}
      </p>
      <p className="flex min-h-6 flex-wrap items-center gap-x-2">{children}</p>
      <p className="min-h-4 text-small text-muted">{notes.filter(Boolean).join(', ')}</p>
    </div>
  )
}

/** Shows `15 failed of 38` with a bar; green only if something passed and nothing failed. */
function Share({
  failed,
  total,
  noun = '',
}: {
  readonly failed: number
  readonly total: number
  /** Noun of the counted things, if the figure's name isn't it. */
  readonly noun?: string
}) {
  const passed = total - failed
  const isSummed = noun !== '' && (failed === 0 || failed === total)
  const big = isSummed ? total : failed > 0 ? failed : passed
  const words = isSummed
    ? `${noun}, ${failed === 0 ? 'none failed' : 'all failed'}`
    : failed > 0
      ? `failed of ${total.toLocaleString('en')} ${noun}`
      : 'passed'
  const tone = failed > 0 ? 'text-bad' : noun === '' ? 'text-ok' : ''
  return (
    <>
      <span>
        <span className={`font-mono text-title font-medium ${tone}`}>
          {big.toLocaleString('en')}
        </span>{' '}
        {words}
      </span>
      <span aria-hidden className="flex h-1.5 w-18 gap-px forced-color-adjust-none">
        {failed > 0 && <span className="min-w-1 bg-mark-red" style={{ flexGrow: failed }} />}
        {passed > 0 && <span className="min-w-1 bg-mark-green" style={{ flexGrow: passed }} />}
      </span>
    </>
  )
}

const timeWords = (iso: string) => `${dayUnlessToday(iso) ?? 'Today'} ${clockTime(iso).slice(0, 5)}`

interface FiguresProps extends HandlerPageProps {
  /** Deliveries that still fail. */
  readonly failing: number
  readonly onShowFailing: () => void
}

/** Shows the check, the flows and the last hour. */
export function HandlerFigures({ page, failing, actions, onShowFailing }: FiguresProps) {
  const { requests, failed, p50 } = page
  const check = page.checks.at(-1)
  const flows = flowResults(page.flows)
  const failedFlows = flows.failed.map(({ flow }) => flow)
  const { busy } = actions
  return (
    <div role="group" aria-label="Summary" className="flex flex-wrap border-b border-line">
      <Figure
        name="Check"
        action={
          <HeadingLink disabled={busy} onClick={actions.check}>
            {check === undefined ? 'Run check' : 'Run again'}
          </HeadingLink>
        }
        notes={
          check === undefined
            ? []
            : [timeWords(check.at), check.skipped > 0 && `${check.skipped} skipped`]
        }
      >
        {check === undefined ? (
          'Not run yet'
        ) : (
          <Share failed={check.failed} total={check.passed + check.failed} />
        )}
      </Figure>
      <Figure
        name="Flows"
        action={
          <HeadingLink
            disabled={busy}
            onClick={() => actions.runFlows(failedFlows.length > 0 ? failedFlows : null)}
          >
            {failedFlows.length > 0 ? `Re-run ${failedFlows.length} failed` : 'Run all flows'}
          </HeadingLink>
        }
        notes={[flows.startedAt !== undefined && timeWords(flows.startedAt)]}
      >
        {page.flows.length === 0 ? (
          'Not run yet'
        ) : (
          <Share failed={failedFlows.length} total={page.flows.length} />
        )}
      </Figure>
      <Figure
        name="Last hour"
        action={
          failing > 0 && <HeadingLink onClick={onShowFailing}>Show in Deliveries</HeadingLink>
        }
        notes={[
          failing > 0 && requests > failed && `${deliveryCount(failing)} still failing`,
          p50 !== null && `median ${milliseconds(p50)} ms`,
        ]}
      >
        {requests === 0 ? (
          'No sends'
        ) : (
          <Share failed={failed} total={requests} noun={requests === 1 ? 'send' : 'sends'} />
        )}
      </Figure>
    </div>
  )
}

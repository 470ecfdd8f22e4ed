/** Strip of a handler's page: its check, its flows and its last hour, each with an action. */
import { Play } from 'lucide-react'
import { capitalized, deliveryCount } from '../../../shared/text/english.ts'
import type { CheckRun } from '../../../shared/model/check.ts'
import { clockTime, dayUnlessToday, milliseconds } from '../../ui/moment.ts'
import { Button } from '../../ui/button.tsx'
import { Message } from '../../ui/message.tsx'
import { flowResults, hasResults, skippedWords } from './handler-facts.ts'
import { HeadingLink } from './handler-parts.tsx'
import type { HandlerPageProps } from './use-handler-actions.ts'

interface Figure {
  readonly name: string
  readonly failed: number
  readonly total: number
  /** Noun of the counted things, if the name isn't it. */
  readonly noun?: string
  /** Words without any. */
  readonly none: string
  readonly notes: readonly (string | false | undefined)[]
  readonly action: readonly [label: string, act: () => void] | null
}

/** Shows `15 failed of 38` with a bar; green only if something passed and nothing failed. */
function Share({ failed, total, noun = '' }: Figure) {
  const passed = total - failed
  const isSummed = noun !== '' && (failed === 0 || failed === total)
  const big = isSummed ? total : failed > 0 ? failed : passed
  const words = isSummed
    ? `${noun}, ${failed === 0 ? 'none' : 'all'} failed`
    : failed > 0
      ? `failed of ${total.toLocaleString('en')}`
      : 'passed'
  const tone = failed > 0 ? 'text-bad' : noun === '' ? 'text-ok' : ''
  return (
    <>
      <span className="shrink-0">
        <span className={`font-mono text-title font-medium ${tone}`}>
          {big.toLocaleString('en')}
        </span>{' '}
        {words}
        {failed > 0 && !isSummed && <span className="@max-[760px]:hidden"> {noun}</span>}
      </span>
      <span
        aria-hidden
        className="flex h-1.5 max-w-18 min-w-12 flex-1 gap-px forced-color-adjust-none"
      >
        {failed > 0 && <span className="min-w-1 bg-mark-red" style={{ flexGrow: failed }} />}
        {passed > 0 && <span className="min-w-1 bg-mark-green" style={{ flexGrow: passed }} />}
      </span>
    </>
  )
}

const timeWords = (iso: string | undefined) =>
  iso !== undefined && `${dayUnlessToday(iso) ?? 'Today'} ${clockTime(iso).slice(0, 5)}`

interface FiguresProps extends HandlerPageProps {
  /** Last check. */
  readonly run: CheckRun | null
  /** Deliveries that still fail. */
  readonly failing: number
  /** Whether a check is the page's primary action. */
  readonly isCheckPrimary: boolean
  readonly onShowFailing: () => void
}

/** Shows the check, the flows and the last hour. */
export function HandlerFigures(props: FiguresProps) {
  const { busy } = props.actions
  if (!hasResults(props.page)) return <NoResults {...props} />
  return (
    <div role="group" aria-label="Summary" className="flex flex-wrap border-b border-line">
      {figuresOf(props).map((figure) => (
        <div
          key={figure.name}
          className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)_auto] content-start items-center gap-x-3 border-line px-5 py-2.5 not-last:border-r @max-[640px]:basis-full @max-[640px]:grid-cols-[64px_minmax(0,1fr)_auto] @max-[640px]:py-1 @max-[640px]:not-last:border-r-0 @max-[640px]:not-last:border-b"
        >
          <span className="text-small text-muted">{figure.name}</span>
          <span className="min-h-6 @max-[640px]:order-last">
            {figure.action !== null && (
              <HeadingLink disabled={busy} onClick={figure.action[1]}>
                {figure.action[0]}
              </HeadingLink>
            )}
          </span>
          <p className="col-span-2 flex min-h-6 flex-wrap items-center gap-x-2 gap-y-1 @max-[640px]:col-span-1">
            {figure.total === 0 ? figure.none : <Share {...figure} />}
          </p>
          <p className="col-span-2 min-h-4 text-small text-muted @max-[640px]:hidden">
            {capitalized(figure.notes.filter(Boolean).join(', '))}
          </p>
        </div>
      ))}
    </div>
  )
}

/** Stands in for the figures of a handler without results: what to run first. */
function NoResults({ actions: { busy, check, runFlows }, isCheckPrimary }: FiguresProps) {
  return (
    <div className="border-b border-line px-5 py-4">
      <Message
        title="No results yet"
        action={
          <>
            <Button
              kind={isCheckPrimary ? 'primary' : 'plain'}
              icon={Play}
              disabled={busy}
              onClick={check}
            >
              Run check
            </Button>
            <Button icon={Play} disabled={busy} onClick={() => runFlows(null)}>
              Run all flows
            </Button>
          </>
        }
      >
        A check sends valid, forged, late and duplicate deliveries, and shows which ones your
        handler got wrong and how to fix it. Flows send purchases and refunds.
      </Message>
    </div>
  )
}

function figuresOf({
  page,
  run,
  failing,
  actions,
  isCheckPrimary,
  onShowFailing,
}: FiguresProps): readonly Figure[] {
  const { requests, failed, p50 } = page
  const check = page.checks.at(-1)
  const flows = flowResults(page.flows)
  const failedFlows = flows.failed.map(({ flow }) => flow)
  const { length } = failedFlows
  return [
    {
      name: 'Check',
      failed: check?.failed ?? 0,
      total: (check?.passed ?? 0) + (check?.failed ?? 0),
      none: 'Not run',
      notes: [timeWords(check?.at), run !== null && run.skipped > 0 && skippedWords(run)],
      action: isCheckPrimary
        ? null
        : [check === undefined ? 'Run check' : 'Run again', actions.check],
    },
    {
      name: 'Flows',
      failed: length,
      total: page.flows.length,
      none: 'Not run',
      notes: [timeWords(flows.startedAt)],
      action:
        length > 0
          ? [`Re-run ${length} failed`, () => actions.runFlows(failedFlows)]
          : ['Run all flows', () => actions.runFlows(null)],
    },
    {
      name: 'Last hour',
      failed,
      total: requests,
      noun: requests === 1 ? 'send' : 'sends',
      none: 'No sends',
      notes: [
        failing > 0 && requests > failed && `${deliveryCount(failing)} still failing`,
        p50 !== null && `median ${milliseconds(p50)} ms`,
      ],
      action: failing > 0 ? ['Show in Deliveries', onShowFailing] : null,
    },
  ]
}

/** Selects the run of a flow to show, and the one to compare it with. */
import { X } from 'lucide-react'
import type {
  FlowComparisonRow,
  FlowPlan,
  FlowRun,
  FlowRunComparison,
  FlowRunSummary,
} from '../../../shared/model/flow-run.ts'
import { flowChangeWords, flowChanges, stepOutcomes } from '../../../shared/model/outcomes.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { calendarDay, clockTime } from '../../ui/moment.ts'
import { QuotedText } from '../../ui/finding-text.tsx'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import { useNarrow } from '../../ui/split-panes.tsx'
import { wordOfRun } from './flow-look.tsx'
import { isRunOf } from './run-origin.ts'

export function wordsOfRun(run: FlowRunSummary): string {
  return `${wordOfRun(run)} · ${calendarDay(run.startedAt)}, ${clockTime(run.startedAt)}${run.handler === null ? '' : run.handlerName === null ? ' · with a handler' : ` · @${run.handlerName}`}`
}

/** `Failed · 16:00`: what fits in a narrow window. */
function shortWordsOfRun(run: FlowRunSummary): string {
  return `${wordOfRun(run)} · ${clockTime(run.startedAt).slice(0, 5)}`
}

const SHORT_BELOW = 1000

const look =
  'h-7 min-w-0 truncate rounded-control border border-line bg-ground px-2 text-small text-muted hover:border-edge'

export function FlowRuns({ plan, run }: { readonly plan: FlowPlan; readonly run: FlowRun | null }) {
  const { runs, comparison, showRun, compareRun } = useParts(
    'flows',
    'runs',
    'comparison',
    'showRun',
    'compareRun',
  )
  const isShort = useNarrow(SHORT_BELOW)
  const mine = (runs ?? []).filter((each) => isRunOf(plan, each))
  if (mine.length === 0) return null
  const others = mine.filter(({ id }) => id !== run?.id)
  const compared =
    comparison === null
      ? ''
      : comparison.before.id === run?.id
        ? comparison.after.id
        : comparison.before.id
  const set = Object.entries(run?.set ?? {})
  return (
    <div className="flex min-w-0 flex-[1_1_0px] items-center gap-2 max-[1000px]:flex-[1_1_360px]">
      <select
        aria-label="Run"
        value={run?.id ?? ''}
        onChange={(event) =>
          void showRun(event.currentTarget.value === '' ? null : event.currentTarget.value)
        }
        className={look}
      >
        <option value="">Plan</option>
        {mine.map((each) => (
          <option key={each.id} value={each.id}>
            {isShort && each.id === run?.id ? shortWordsOfRun(each) : wordsOfRun(each)}
          </option>
        ))}
      </select>
      {run !== null && others.length > 0 && (
        <select
          aria-label="Compare with"
          value={compared}
          onChange={(event) =>
            void compareRun(event.currentTarget.value === '' ? null : event.currentTarget.value)
          }
          className={`${look} w-36`}
        >
          <option value="">Compare with…</option>
          {others.map((each) => (
            <option key={each.id} value={each.id}>
              {wordsOfRun(each)}
            </option>
          ))}
        </select>
      )}
      {set.length > 0 && (
        <span
          aria-label="Inputs of this run"
          className="data min-w-0 truncate text-small text-muted"
        >
          {set.map(([path, value]) => `${path} ${value.replaceAll('"', '')}`).join(' · ')}
        </span>
      )}
    </div>
  )
}

function Outcome({ step }: { readonly step: FlowComparisonRow['before'] }) {
  if (step === null) return <span className="text-subtle">–</span>
  return <OutcomeMark outcome={stepOutcomes[step.outcome ?? 'planned']} />
}

/** Two runs of one flow, step by step: fixed, regressed or unchanged. */
export function ComparedRuns({
  comparison: { before, after, rows },
}: {
  readonly comparison: FlowRunComparison
}) {
  const compareRun = useApp((state) => state.flows.compareRun)
  return (
    <section
      aria-label="Run comparison"
      data-pane="comparison"
      className="flex min-h-0 flex-1 flex-col bg-ground"
    >
      <header className="flex shrink-0 items-start gap-4 border-b border-line py-2 pr-3 pl-4">
        <div className="min-w-0 flex-1">
          <h2 className="font-medium" role="status">
            {flowChangeWords(rows.map(({ change }) => change))}
          </h2>
          <p className="text-small text-muted">
            Before: {wordsOfRun(before)}. After: {wordsOfRun(after)}.
          </p>
        </div>
        <Button icon={<X size={13} aria-hidden />} onClick={() => void compareRun(null)}>
          Close
        </Button>
      </header>
      <div
        className="min-h-0 flex-1 overflow-auto"
        tabIndex={0}
        role="region"
        aria-label="Step by step"
      >
        <table className="w-full border-collapse">
          <thead>
            <tr className="h-7 text-left text-tiny text-subtle">
              <th className="pl-4 font-medium">Step</th>
              <th className="w-28 font-medium">Before</th>
              <th className="w-28 font-medium">After</th>
              <th className="w-36 pr-4 font-medium">Change</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name} className="border-t border-line/50 align-top">
                <td className="py-1.5 pr-4 pl-4 wrap-anywhere">
                  <QuotedText text={row.title} />
                  {row.message !== '' && (
                    <span className="block text-small text-muted">
                      <QuotedText text={row.message} />
                    </span>
                  )}
                </td>
                <td className="py-1.5">
                  <Outcome step={row.before} />
                </td>
                <td className="py-1.5">
                  <Outcome step={row.after} />
                </td>
                <td className="py-1.5 pr-4">
                  <OutcomeMark outcome={flowChanges[row.change]} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

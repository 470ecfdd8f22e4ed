/** Two runs of one flow, step by step: what was fixed, what regressed, what is unchanged. */
import { X } from 'lucide-react'
import type { FlowComparisonRow, FlowRunComparison } from '../../../shared/model/flow-run.ts'
import { lookOfChange, stepOutcomes } from '../../../shared/model/outcomes.ts'
import { useApp } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import { wordsOfRun } from './flow-runs.tsx'

function Outcome({ step }: { readonly step: FlowComparisonRow['before'] }) {
  if (step === null) return <span className="text-subtle">–</span>
  return <OutcomeMark outcome={stepOutcomes[step.outcome ?? 'planned']} />
}

export function FlowComparison({ comparison: { before, after, rows } }: { readonly comparison: FlowRunComparison }) {
  const compareRun = useApp((state) => state.flows.compareRun)
  const changed = rows.filter(({ change }) => change !== 'same').length
  return (
    <section aria-label="Two runs" data-pane="comparison" className="flex min-h-0 flex-1 flex-col bg-ground">
      <header className="flex shrink-0 items-start gap-4 border-b border-line py-2 pr-3 pl-4">
        <div className="min-w-0 flex-1">
          <h2 className="font-medium" role="status">
            {changed === 0 ? 'No changes between these runs.' : `${changed} of ${rows.length} steps changed.`}
          </h2>
          <p className="text-small text-muted">
            Before: {wordsOfRun(before)}. After: {wordsOfRun(after)}.
          </p>
        </div>
        <Button icon={<X size={13} aria-hidden />} onClick={() => void compareRun(null)}>
          Close
        </Button>
      </header>
      <div className="min-h-0 flex-1 overflow-auto" tabIndex={0} role="region" aria-label="Step by step">
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
                  {row.title}
                  {row.message !== '' && <span className="block text-small text-muted">{row.message}</span>}
                </td>
                <td className="py-1.5">
                  <Outcome step={row.before} />
                </td>
                <td className="py-1.5">
                  <Outcome step={row.after} />
                </td>
                <td className="py-1.5 pr-4">
                  <OutcomeMark outcome={lookOfChange(row)} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}

/** Shows the result of testing the public URL, with a button that repeats the test. */
import { LoaderCircle } from 'lucide-react'
import { addressTests } from '../../../shared/model/outcomes.ts'
import type { AddressTest } from '../../../shared/model/status.ts'
import { useApp } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useCall, useOutcome } from '../../ui/use-outcome.ts'

export function TestMark({ test: { outcome } }: { readonly test: AddressTest }) {
  return <OutcomeMark outcome={addressTests[outcome]} />
}

/** The full result, for the dialog. */
export function AddressTestView() {
  const test = useApp((state) => state.core.tunnel?.test ?? null)
  const call = useCall()
  const { busy, problem, run } = useOutcome()
  return (
    <section aria-label="Test" className="flex flex-col gap-2 border-t border-line pt-3">
      <div className="flex min-h-7 items-center gap-3">
        <p className="min-w-0 flex-1" role="status">
          {busy ? (
            <span className="inline-flex items-center gap-1.5 text-muted">
              <LoaderCircle
                size={13}
                aria-hidden
                className="animate-spin motion-reduce:animate-none"
              />
              Testing…
            </span>
          ) : test === null ? (
            <span className="text-muted">Not tested yet.</span>
          ) : (
            <span className="flex flex-wrap items-center gap-x-3">
              <TestMark test={test} />
              <span className="data text-subtle">{test.ms} ms</span>
            </span>
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

/** The button that runs a case again. */
import { RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import type { CheckRun } from '../../../shared/model/check.ts'
import { useData } from '../../core-data/use-read.ts'
import { Button } from '../../ui/button.tsx'
import { settleCall } from '../../ui/call-problem.ts'
import { ProblemView } from '../../ui/problem-view.tsx'
import { useCallState } from '../../ui/use-call.ts'

/** The case that is running again. */
export interface RetryState {
  readonly rerunCaseName: string | null
  readonly onTrying: (name: string | null) => void
}

export function TryAgain({
  run,
  name,
  aside,
  rerunCaseName,
  onTrying,
}: RetryState & {
  readonly run: CheckRun
  readonly name: string
  readonly aside: ReactNode
}) {
  const { client, patch } = useData()
  const tryAgain = async () => {
    onTrying(name)
    try {
      const tried = await client.call('check.again', { runId: run.id, name })
      patch('check.get', { runId: run.id }, () => tried)
    } finally {
      onTrying(null)
    }
  }
  const { problem, run: act } = useCallState()
  return (
    <>
      <span className="flex shrink-0 items-center gap-1">
        {aside}
        <Button
          icon={RotateCw}
          disabled={rerunCaseName !== null || run.state === 'running'}
          title="Sends this case again with a fresh signature"
          onClick={() => void act(() => settleCall(tryAgain()))}
        >
          {rerunCaseName !== null ? 'Trying…' : 'Try again'}
        </Button>
      </span>
      {problem !== null && (
        <div className="w-full">
          <ProblemView problem={problem} />
        </div>
      )}
    </>
  )
}

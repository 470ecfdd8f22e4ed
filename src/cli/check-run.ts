/** Runs a handler check for the command line. */
import type { ReportedCheck } from '../core/check/check-report.ts'
import type { InputOf } from '../shared/contract/contract.ts'
import type { CheckResult, CheckRun } from '../shared/model/check.ts'
import { followRun } from './lifetime.ts'
import type { Session } from './session.ts'

interface EndedCheck extends ReportedCheck {
  readonly complete: boolean
}

/** Resolves with the finished check. The first Ctrl+C cancels it; rejects with `DISCONNECTED`. */
export async function runCheck(
  session: Session,
  input: InputOf<'check.start'>,
  onStart: (check: CheckRun) => void,
  onResult: (result: CheckResult) => void,
): Promise<EndedCheck> {
  const { run: started } = await session.client.call('check.start', input)
  onStart(started)
  const run = await followCheck(session, started.id, onResult)
  return { ...run, complete: run.state === 'done' }
}

export function followCheck(
  session: Session,
  runId: string,
  onResult: (result: CheckResult) => void,
): Promise<CheckRun> {
  const { client } = session
  let reportedCount = 0
  return followRun(session, {
    event: 'check.changed',
    async read() {
      const { run } = await client.call('check.get', { runId })
      for (const result of run.results.slice(reportedCount)) onResult(result)
      reportedCount = run.results.length
      return run.state === 'running' ? undefined : run
    },
    cancel: () => client.call('check.cancel', { runId }),
    gone: () => 'Countersign stopped during the check. Run it again.',
  })
}

/** Tells how a run stands: at once, then at most every tenth of a second, and always its last word. */
import type { FlowRun } from '../../shared/model/flow-run.ts'

const TELL_MS = 100

export interface Telling {
  tell(run: FlowRun): void
  /** Nothing is told after it. */
  last(run: FlowRun): void
}

export function createTelling(onChanged: (run: FlowRun) => void): Telling {
  let timer: NodeJS.Timeout | null = null
  let latest: FlowRun | null = null

  function tell(run: FlowRun): void {
    latest = run
    if (timer !== null) return
    onChanged(run)
    timer = setTimeout(() => {
      timer = null
      if (latest !== null && latest !== run) tell(latest)
    }, TELL_MS)
  }

  return {
    tell,
    last(run) {
      if (timer !== null) clearTimeout(timer)
      onChanged(run)
    },
  }
}

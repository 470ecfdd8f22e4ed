/** Starting and steering a run of the open flow. */
import type { OutputOf } from '../../../shared/contract/contract.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import type { FlowPlan, FlowSpeed } from '../../../shared/model/flow-run.ts'
import { writeDraft } from '../../ui-state/tab-drafts.ts'
import { flowAccount, runInput, type FlowDraft } from './flow-draft.ts'
import type { FlowsTools } from './flows-state.ts'
import { addressedFlow, isRunning } from './open-flow.ts'

interface RunStart {
  /** The step to pause before; those before it run at full speed. */
  readonly from: number
  /** Runs one step, then pauses. */
  readonly step: boolean
}

/** Shows a started run if its flow is still open. The run continues whatever is open. */
function showStartedRun({ app }: FlowsTools, plan: FlowPlan, runId: string, from: number): void {
  const { at, select } = app().navigation
  const openPlan = addressedFlow(app()).plan
  if (openPlan?.name === plan.name && openPlan.origin === plan.origin)
    select('flows', {
      ...at.flows,
      run: runId,
      step: from > 0 ? plan.steps[from]?.name : undefined,
    })
}

/** Changes the shown run, with a notice on failure. */
async function changeRun(
  { act, app, data }: FlowsTools,
  problem: string,
  call: (runId: string) => Promise<OutputOf<'flows.run'>>,
): Promise<void> {
  const { run } = addressedFlow(app())
  if (run === null) return
  const runId = run.id
  const output = await act(problem, () => call(runId))
  if (output !== undefined) data.patch('flows.run', { runId }, () => output)
}

export function flowRunActions(tools: FlowsTools) {
  const { client, data, get, set, app } = tools
  const actions = {
    changeDraft(part: Partial<FlowDraft>) {
      set({ draft: { ...get().draft, ...part } })
      writeDraft('flows', get().draft)
    },
    /** Selects a step by its number, or an unexpected delivery by its ID. Null selects none. */
    selectPlace(id: string | null) {
      const { at, select } = app().navigation
      const step = addressedFlow(app()).places.find((place) => place.id === id)?.name
      select('flows', { ...at.flows, step })
    },
    /** Runs the open flow. Rejects on errors. */
    async start({ step, from }: RunStart) {
      const { flowRef, plan } = addressedFlow(app())
      if (flowRef === null || plan === null)
        throw new AppError('INVALID_INPUT', 'Open a flow first.')
      const { environments, handlers } = app().core
      const environment = flowAccount(get().draft, plan, environments)
      const { literals, ...input } = runInput(get().draft, plan, handlers)
      const { run } = await client.call('flows.start', {
        ...flowRef,
        ...(environment === '' ? { literals } : { environment }),
        ...input,
        from,
        paused: step || from > 0,
      })
      const runId = run.id
      data.queries.setQueryData(['flows.run', { runId }], { run })
      showStartedRun(tools, plan, runId, from)
      if (!step) return
      const stepped = await client.call('flows.step', { runId })
      data.patch('flows.run', { runId }, () => stepped)
    },
    async steer(command: 'step' | 'pause' | 'resume' | 'cancel') {
      // Deselects, so that the view follows the run's current step.
      if (command === 'step' || command === 'resume') actions.selectPlace(null)
      await changeRun(tools, "Couldn't change the run", (runId) =>
        client.call(`flows.${command}`, { runId }),
      )
    },
    /** Changes the speed of the next run, and of a shown run in progress. */
    async setSpeed(speed: FlowSpeed) {
      actions.changeDraft({ speed })
      if (isRunning(addressedFlow(app()).run))
        await changeRun(tools, "Couldn't change the speed", (runId) =>
          client.call('flows.setSpeed', { runId, speed }),
        )
    },
  }
  return actions
}

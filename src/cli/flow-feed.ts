/** Follows the run of a flow to its end: its steps in their order, each once it is done. */
import { AppError } from '../shared/contract/errors.ts'
import type { FlowRun, FlowRunStep } from '../shared/model/flow-run.ts'
import { cancellable } from './lifetime.ts'
import type { Session } from './session.ts'

/** How often it is looked at where no event tells of it, in milliseconds. */
const LOOK_MS = 500

export interface FlowListener {
  step(step: FlowRunStep): void
  /** What a person has to do now, at a real account. */
  ask(text: string): void
}

/**
 * Resolves with the run as it ended. The first interruption from the keyboard cancels it, and what it made is taken away again.
 * Rejects with `DISCONNECTED` where the instance has gone.
 */
export async function followFlow({ client, closed }: Session, started: FlowRun, listener: FlowListener): Promise<FlowRun> {
  const runId = started.id
  const ended = Promise.withResolvers<FlowRun>()
  let told = 0
  let asked: string | null = null
  const look = (run: FlowRun) => {
    // A step that is done is told once all before it are.
    for (let step = run.steps[told]; step?.state === 'done'; step = run.steps[told]) {
      listener.step(step)
      told++
    }
    if (run.ask !== null && run.ask !== asked) listener.ask(run.ask)
    asked = run.ask
    if (run.endedAt !== null) ended.resolve(run)
  }
  const stop = client.on('flows.changed', ({ run }) => {
    if (run.id === runId) look(run)
  })
  const timer = setInterval(() => {
    client.call('flows.run', { runId }).then(({ run }) => look(run), ended.reject)
  }, LOOK_MS)
  void closed.then(() => {
    ended.reject(new AppError('DISCONNECTED', 'The running instance has stopped in the middle of it, and the run with it.'))
  })
  const cancel = () => {
    client.call('flows.cancel', { runId }).catch(() => undefined)
  }
  look(started)
  try {
    return await cancellable(cancel, () => ended.promise)
  } finally {
    stop()
    clearInterval(timer)
  }
}

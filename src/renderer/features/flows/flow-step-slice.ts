/** The evidence of a step: its delivery with the body, the handler's response, and replays made from the step. */
import type { Delivery, DeliveryRow } from '../../../shared/model/delivery.ts'
import type { ReplayJob, SendAnswer, Tamper } from '../../../shared/model/send.ts'
import type { SignatureReport } from '../../../shared/model/signature.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { sentenceOf } from '../../data/act.ts'
import { fromBase64, type LoadedBytes } from '../../ui/bytes.ts'
import { outcomeOf, type CallResult } from '../../ui/call-problem.ts'

/** A delivery as a step shows it. A long body is shown as far as its first piece. */
export interface StepDelivery {
  readonly delivery: Delivery
  readonly body: LoadedBytes
  /** Null if it couldn't be explained. */
  readonly signature: SignatureReport | null
  /** All deliveries of the notification, oldest first. */
  readonly attempts: readonly DeliveryRow[]
}

/** A replay from a step, to one endpoint. */
export interface StepReplay {
  readonly to: string
  /** Null while it is being sent. */
  readonly answer: SendAnswer | null
  readonly problem: string | null
}

export interface FlowStepSlice {
  /** The last replay from a step, by the delivery. */
  readonly replays: ReadonlyMap<string, StepReplay>
  readDelivery(id: string): Promise<CallResult<StepDelivery>>
  /** Sends a delivery to an endpoint, and shows the response at its steps. */
  replayDelivery(id: string, to: string, tamper: Tamper | null): Promise<void>
}

interface ReplaysAround {
  readonly replay: {
    readonly jobs: readonly ReplayJob[] | null
    start(input: {
      ids: string[]
      to: string
      tamper: Tamper | null
    }): Promise<CallResult<ReplayJob | null>>
  }
}

export function createFlowStepSlice({
  client,
  set,
  app,
  subscribe,
}: FeatureTools<FlowStepSlice, ReplaysAround>): FlowStepSlice {
  const put = (id: string, replay: StepReplay | null) =>
    set(({ replays }) => {
      const others = [...replays].filter(([of]) => of !== id)
      return { replays: new Map(replay === null ? others : [...others, [id, replay]]) }
    })
  /** Resolves once a replay has ended. */
  const ended = (jobId: string) =>
    new Promise<void>((resolve) => {
      const isOver = () => app().replay.jobs?.find(({ id }) => id === jobId)?.state !== 'running'
      if (isOver()) {
        resolve()
        return
      }
      const stop = subscribe(() => {
        if (!isOver()) return
        stop()
        resolve()
      })
    })
  return {
    replays: new Map(),
    readDelivery: (id) =>
      outcomeOf(
        (async () => {
          const [delivery, { rows }, signature, piece] = await Promise.all([
            client.call('deliveries.get', { id }),
            client.call('deliveries.attempts', { id }),
            // The rest of the step is useful without it.
            client.call('deliveries.signature', { id }).catch(() => null),
            client.call('deliveries.body', { id, offset: 0 }),
          ])
          const body = { bytes: fromBase64(piece.base64), size: piece.size, loading: false }
          return { delivery, body, signature, attempts: rows }
        })(),
      ),
    async replayDelivery(id, to, tamper) {
      put(id, { to, answer: null, problem: null })
      const started = await app().replay.start({ ids: [id], to, tamper })
      if (!started.ok || started.value === null) {
        put(id, started.ok ? null : { to, answer: null, problem: started.problem.message })
        return
      }
      await ended(started.value.id)
      try {
        const { sends } = await client.call('replay.sends', { jobId: started.value.id, limit: 1 })
        const [send] = sends
        if (send === undefined) put(id, null)
        else
          put(id, { to, answer: await client.call('replay.send', { id: send.id }), problem: null })
      } catch (error) {
        put(id, { to, answer: null, problem: sentenceOf(error) })
      }
    },
  }
}

/** Reads arriving deliveries one by one, and forwards them to the handler if there is one. */
import { createMutex } from '../base/async.ts'
import type { ReceivedDelivery } from '../base/event-hub.ts'
import { readArrival } from './arrivals.ts'
import { type RunHook, responsesInTurn } from './run-hooks.ts'
import { type ReceiverAnswer, receiverResponse } from './receiver-response.ts'
import type { RunContext } from './run-context.ts'

/** Inbox of a run; `onRead` is called when a delivery of this hook has been read. */
export class RunInbox {
  readonly #run: RunContext
  readonly #onRead: (hook: RunHook) => Promise<void>
  #receivedCount = 0
  readonly #exclusive = createMutex()

  constructor(run: RunContext, onRead: (hook: RunHook) => Promise<void>) {
    this.#run = run
    this.#onRead = onRead
  }

  /** Resolves once all received deliveries are read. */
  settled() {
    return this.#exclusive(() => Promise.resolve())
  }

  take(row: ReceivedDelivery, hook: RunHook) {
    const { arrivals, handler, fault } = this.#run
    const { name, event } = hook
    const businessAt = this.#run.time.now()
    const receivedIndex = this.#receivedCount++
    const unread = { row, hook: name, event, receivedIndex, businessAt, fault }
    this.#next(async () => {
      const arrival = await readArrival(this.#run.store, unread, arrivals)
      if (handler !== null) {
        // A valid delivery is forwarded as valid, even while a fault is on.
        const isSound = row.verdict === 'valid' && row.freshness === 'fresh'
        arrival.handlerResponse = handler.send(arrival, isSound ? null : fault, this.#run.signal)
        arrival.handlerResponse.catch(() => undefined)
      }
      // Steps must not find a delivery that isn't being forwarded yet.
      arrivals.push(arrival)
      await this.#onRead(hook)
    })
  }

  /** Notes that the receiver has responded to a delivery, or the sender is gone. */
  takeResponse(deliveryId: string, hook: RunHook, answer: ReceiverAnswer) {
    this.#next(() => {
      const ofHook = this.#run.arrivals.filter((arrival) => arrival.hook === hook.name)
      const index = ofHook.findIndex(({ row }) => row.id === deliveryId)
      const arrival = ofHook[index]
      if (arrival === undefined) return
      const isHeld = responsesInTurn(hook.declared)[index] === 'timeout'
      const { ack } = this.#run.environment
      arrival.receiverResponse = receiverResponse(answer, { isHeld, ack })
      this.#run.onChanged()
    })
  }

  #next(work: () => Promise<void> | void): void {
    const safe = async () => {
      try {
        await work()
      } catch (error) {
        this.#run.problem = `Couldn't read a delivery (reference ${this.#run.log.bug(error, 'a flow')}).`
      }
    }
    void this.#run.changes.expect(this.#exclusive(safe))
  }
}

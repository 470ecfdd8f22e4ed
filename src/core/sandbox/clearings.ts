/** Clears purchases 48 to 72 hours of sandbox time after payment (section 6.2). */
import type { Mode } from '../../shared/model/delivery.ts'
import type { PendingClearing } from '../../shared/model/sandbox.ts'
import { whenAborted } from '../base/async.ts'
import type { Payment } from './records.ts'
import type { SandboxService } from './service.ts'
import { iso } from './world.ts'

export class Clearings {
  readonly #service: SandboxService
  readonly #clear: (payment: Payment, mode: Mode, at: number) => Promise<unknown>
  readonly #stop = new AbortController()
  #wake = new AbortController()
  #running = Promise.resolve()

  constructor(
    service: SandboxService,
    clear: (payment: Payment, mode: Mode, at: number) => Promise<unknown>,
  ) {
    this.#service = service
    this.#clear = clear
  }

  start() {
    this.#running = this.#run().catch(
      (error: unknown) => void this.#service.log.bug(error, 'sandbox: clearing'),
    )
  }

  /** Looks for the next clearing again, after purchases have changed. */
  changed() {
    const before = this.#wake
    this.#wake = new AbortController()
    before.abort()
  }

  readonly list = (): PendingClearing[] =>
    this.#pendingClearings().map(({ payment, mode, at }) => ({
      transactionId: payment.id,
      mode,
      at: iso(at),
    }))

  async close() {
    this.#stop.abort()
    await this.#running
  }

  /** Returns the purchases that wait, soonest first. */
  #pendingClearings() {
    return this.#service.records
      .entries('payment')
      .flatMap(({ data, mode }) =>
        data.clearsAt === null ? [] : [{ payment: data, mode, at: data.clearsAt }],
      )
      .sort((a, b) => a.at - b.at)
  }

  async #run(): Promise<void> {
    const { clock } = this.#service
    while (!this.#stop.signal.aborted) {
      const woken = AbortSignal.any([this.#stop.signal, this.#wake.signal])
      const [next] = this.#pendingClearings()
      if (next === undefined) await whenAborted(woken)
      else if (next.at > clock.now()) await clock.sleepUntil(next.at, woken)
      else {
        const { payment, mode, at } = next
        await this.#service.records.put('payment', mode, { ...payment, clearsAt: null })
        await this.#clear(payment, mode, at).catch((error: unknown) =>
          this.#service.log.bug(error, `sandbox: clearing of ${payment.id}`),
        )
      }
    }
  }
}

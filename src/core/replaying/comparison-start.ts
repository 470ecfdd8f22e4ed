/** Consents and checks of a comparison, besides those of any replay. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Consent } from '../../shared/model/consent.ts'
import type { Baseline } from '../../shared/model/run-comparison.ts'
import type { ReplaySettings } from '../../shared/model/send.ts'
import { chunks } from '../base/async.ts'
import { REPLAYING, type Admitted, type Signers } from '../outgoing/admit.ts'
import { signersOf, type SendDeps } from '../outgoing/signing-hooks.ts'
import { endpointAt } from '../store/replay-sides.ts'
import type { StoredReplay } from '../store/replays.ts'
import { checkBaselineHeaders } from './comparison-rules.ts'

/** Deliveries looked up per read. */
const PAGE = 5_000

type ComparisonDeps = Pick<SendDeps, 'admission' | 'clock' | 'handlerSigner' | 'store'>

interface ToCompare extends Pick<StoredReplay, 'settings' | 'plan'> {
  readonly seqs: readonly number[]
  readonly baseline: Baseline | null
}

export class ComparisonStart {
  readonly #deps: ComparisonDeps

  constructor(deps: ComparisonDeps) {
    this.#deps = deps
  }

  /** Admits the other endpoint; null without one. */
  async admit(
    { comparison }: Pick<ReplaySettings, 'comparison'>,
    signers: Signers,
    consent: Consent,
  ): Promise<Admitted | null> {
    if (comparison?.other == null) return null
    const { to, targetCa, registeredUrl } = comparison.other
    return this.#deps.admission.admit(
      { targets: [to], targetCa, registeredUrl, signers, what: REPLAYING },
      consent,
    )
  }

  /** Resolves with what signs the requests to the other endpoint. */
  async signersOf({
    settings: { comparison },
    plan,
  }: Pick<StoredReplay, 'settings' | 'plan'>): Promise<Signers> {
    if (comparison?.other == null) return {}
    return signersOf(this.#deps.handlerSigner, comparison.other, () => Object.keys(plan.targets))
  }

  /** Rejects if there is nothing to compare any of the deliveries with. */
  async check({ settings, plan, seqs, baseline }: ToCompare): Promise<void> {
    const { comparison } = settings
    if (comparison === null || seqs.length === 0) return
    if (comparison.with === 'previous') await this.#checkPrevious({ settings, plan, seqs })
    if (comparison.with !== 'baseline' || baseline === null) return
    checkBaselineHeaders(baseline, comparison.headers)
    const known = new Set(baseline.deliveries.map(({ id }) => id))
    for (const page of chunks(seqs, PAGE)) {
      const ids = await this.#deps.store.read('deliveryIds', page)
      if (ids.some((id) => known.has(id))) return
    }
    throw new AppError(
      'NOT_FOUND',
      `${comparison.name} has no response to any of these deliveries. Save it from the same deliveries with --save.`,
    )
  }

  async #checkPrevious({ settings, plan, seqs }: Omit<ToCompare, 'baseline'>): Promise<void> {
    const { store, clock } = this.#deps
    const { target, handlerId } = endpointAt({ settings, plan }, 'own', null)
    const { variant } = plan
    for (const page of chunks(seqs, PAGE)) {
      const earlier = { seqs: page, target: target ?? '', handlerId, variant, before: clock.now() }
      if (await store.read('hasPreviousSend', earlier)) return
    }
    throw new AppError(
      'NOT_FOUND',
      `None of these deliveries was sent to ${target} before. Replay them once without --against, then compare.`,
    )
  }
}

/** Consent to forward with live secrets, and the hooks that sign for each target. */
import { AppError } from '../../shared/contract/errors.ts'
import { type Consent, withoutConsent } from '../../shared/model/consent.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import type { Signers } from '../outgoing/admit.ts'
import {
  createSigningHookFinder,
  type SendDeps,
  type SigningHook,
} from '../outgoing/signing-hooks.ts'
import type { StoredTarget } from '../store/forward-targets.ts'

type HookOf = ReturnType<typeof createSigningHookFinder>

export interface ConsentDeps extends SendDeps {
  keptConsent(): Consent
}

export class ForwardConsents {
  readonly #deps: ConsentDeps
  /** Consents of temporary targets by ID, which end with their command. */
  readonly #ownConsents = new Map<string, Consent>()
  /** Live environments by hook ID, because each delivery looks them up. */
  #liveOfHook = new Map<string, readonly string[]>()
  #hookOfTarget = new Map<string, HookOf>()

  constructor(deps: ConsentDeps) {
    this.#deps = deps
  }

  of(targetId: string): Consent {
    return this.#ownConsents.get(targetId) ?? this.#deps.keptConsent()
  }

  setOwn(targetId: string, consent: Consent): void {
    this.#ownConsents.set(targetId, consent)
  }

  forgetOwn(targetId: string): void {
    this.#ownConsents.delete(targetId)
  }

  /** Forgets everything cached about hooks, environments or consent. */
  reset(): void {
    this.#liveOfHook = new Map()
    this.#hookOfTarget = new Map()
  }

  /** Whether the user allowed forwarding of a hook's deliveries, which a live hook requires. */
  isAgreed({ id }: StoredTarget, hookId: string | null): boolean {
    if (hookId === null) return true
    const live =
      this.#liveOfHook.get(hookId) ?? this.#deps.admission.liveEnvironments({ hookIds: [hookId] })
    this.#liveOfHook.set(hookId, live)
    return withoutConsent(live, this.of(id)).length === 0
  }

  hookOf(
    delivery: Pick<Delivery, 'hookId'>,
    { id, settings: { registeredUrl, handlerId } }: StoredTarget,
  ): Promise<SigningHook | null> {
    const key = JSON.stringify([id, registeredUrl, handlerId])
    const hookOf =
      this.#hookOfTarget.get(key) ??
      createSigningHookFinder(
        this.#deps,
        { hookId: null, registeredUrl, handlerId },
        { confirmSigner: (signers) => this.#confirmSigner(id, signers) },
      )
    this.#hookOfTarget.set(key, hookOf)
    return hookOf(delivery)
  }

  /** Throws `CONFIRMATION_REQUIRED` for a saved handler whose secret has become live. */
  #confirmSigner(targetId: string, signers: Signers): void {
    const live = this.#deps.admission.liveEnvironments(signers)
    const missing = withoutConsent(live, this.of(targetId))
    if (missing.length === 0) return
    throw new AppError(
      'CONFIRMATION_REQUIRED',
      `The secret is live (${missing.join(', ')}), and forwarding with it isn't confirmed. Save the target again to confirm.`,
    )
  }
}

/**
 * Decides which consent a user's send needs: for its host, and for the live environment whose
 * secret signs it, because an imported file may claim any mode.
 */
import { AppError } from '../../shared/contract/errors.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { confirmLive } from '../hooks/live-guard.ts'
import { isSameKey, secretKey } from '../signature/sign.ts'
import type { Sender } from './send.ts'
import { type Guard, type GuardedSenderOptions } from './wire/guarded-sender.ts'
import { checkTarget, type TargetPolicy } from './wire/target-policy.ts'
import { hostOf, isLoopbackAddress } from './wire/loopback.ts'
import type { Consent } from '../../shared/model/consent.ts'
import { knownHook } from './known-hooks.ts'
import { checkSignedUrl, checkTargetCa, readTarget } from './targets.ts'

export const REPLAYING = 'replaying with a live secret'
export const FORWARDING = "forwarding a live hook's deliveries"

export interface Signers {
  /** Hooks by ID. Null and hooks that are unknown here sign nothing. */
  readonly hookIds?: readonly (string | null)[]
  /** Secrets entered by the user, which may be a live hook's. */
  readonly secrets?: readonly string[]
  readonly environments?: readonly string[]
}

export interface AdmissionRequest {
  readonly targets: readonly string[]
  readonly targetCa: string | null
  /** URL to sign instead of the hook's own; null or omitted for the hook's. */
  readonly registeredUrl?: string | null
  readonly signers: Signers
  /** Action to confirm, as a gerund: `replaying with a live secret`. */
  readonly what: string
}

export type Admitted = Awaited<ReturnType<Admission['admit']>>

interface AdmissionDeps {
  readonly guard: Guard
  readonly known: {
    readonly hooks: Pick<Hooks, 'get' | 'list' | 'secretsOf'>
    readonly environments: Pick<Environments, 'get'>
  } | null
}

export class Admission {
  readonly #guard: Guard
  readonly #known: AdmissionDeps['known']

  constructor({ guard, known }: AdmissionDeps) {
    this.#guard = guard
    this.#known = known
  }

  /**
   * Admits targets and signers. Rejects with `INVALID_INPUT`, `NOT_FOUND`, `CONFIRMATION_REQUIRED`
   * or `TARGET_NOT_ALLOWED`.
   */
  readonly admit = async (request: AdmissionRequest, consent: Consent) => {
    const { targets, targetCa, registeredUrl = null, signers, what } = request
    checkSignedUrl(registeredUrl)
    const policy = this.#guard.policyFor(consent.allowHosts)
    checkTargetCa(targetCa)
    const urls = [...new Set(targets)].map(readTarget)
    this.#confirm(signers, consent, what)
    for (const url of urls) await checkTarget(url, policy)
    const isOther = (host: string) =>
      policy.allowedHosts.has(host) && host !== 'localhost' && !isLoopbackAddress(host)
    return {
      targets: urls,
      otherHosts: urls.map(hostOf).filter(isOther),
      createSender: this.#sendersOf(policy, targetCa),
      probe: async () => {
        const [first] = urls
        if (first === undefined) throw new Error('No target was admitted.')
        return this.#guard.probe(first, { policy, targetCa })
      },
      /**
       * Admits a signer that is only known later, such as a delivery's hook. Throws
       * `CONFIRMATION_REQUIRED`.
       */
      confirmSigner: (signer: Signers) => {
        this.#confirm(signer, consent, what)
      },
    }
  }

  /** Returns a sender's factory for a saved target, whose allowed hosts may change meanwhile. */
  senderForSaved(allowHosts: () => readonly string[], targetCa: string | null) {
    const guard = this.#guard
    return this.#sendersOf(
      {
        ...guard.policyFor([]),
        allowedHosts: { has: (host) => guard.policyFor(allowHosts()).allowedHosts.has(host) },
      },
      targetCa,
    )
  }

  /** Throws `TARGET_NOT_ALLOWED` if a sender with these hosts would refuse the URL. */
  check(url: string, allowHosts: readonly string[]) {
    return checkTarget(new URL(url), this.#guard.policyFor(allowHosts))
  }

  /** Returns the live environments whose secrets sign. */
  readonly liveEnvironments = ({
    hookIds = [],
    secrets = [],
    environments = [],
  }: Signers): string[] => {
    const known = this.#known
    if (known === null) return []
    const hooks = [...new Set(hookIds)].flatMap((id) => knownHook(known.hooks, id) ?? [])
    // A live hook's secret signs as that hook, however it was given or spelled.
    const keys = [
      ...secrets.filter((secret) => secret !== '').map((secret) => secretKey(secret)),
      ...hooks.flatMap(({ id }) =>
        known.hooks
          .secretsOf(id)
          .slice(0, 1)
          .map(({ key }) => key),
      ),
    ]
    const hooksWithKey = known.hooks
      .list()
      .filter(
        ({ id, mode }) =>
          mode === 'live' &&
          known.hooks.secretsOf(id).some(({ key }) => keys.some((one) => isSameKey(one, key))),
      )
    const all = [
      ...environments,
      ...hooks.map(({ environment }) => environment),
      ...hooksWithKey.map(({ environment }) => environment),
    ]
    return [...new Set(all)].filter((name) => known.environments.get(name).mode === 'live')
  }

  #confirm(signers: Signers, consent: Consent, what: string): void {
    if (consent.live !== true) confirmLive(this.liveEnvironments(signers), consent, what)
  }

  #sendersOf(policy: TargetPolicy, targetCa: string | null) {
    return (options: Omit<GuardedSenderOptions, 'policy' | 'targetCa'>): Sender =>
      this.#guard.createSender({ ...options, policy, targetCa })
  }
}

/** Throws `CONFIRMATION_REQUIRED` unless live-only payloads are confirmed, whatever signs them. */
export function confirmLivePayloads(events: readonly string[], isAgreed: boolean): void {
  if (isAgreed || events.length === 0 || events.some((event) => event !== 'program.status')) return
  throw new AppError(
    'CONFIRMATION_REQUIRED',
    'program.status is only sent in live mode (spec 6.2), so its payloads are marked live. To confirm, add --program-status or --live.',
  )
}

const MAX_SENDS = 1_000_000

/**
 * Throws `CONFIRMATION_REQUIRED` above the confirmed count `most`, and `INVALID_INPUT` above the
 * limit.
 */
export function confirmCount(count: number, most: number | null): void {
  if (count > MAX_SENDS)
    throw new AppError(
      'INVALID_INPUT',
      `This would send ${count.toLocaleString('en')} requests. A replay can send up to a million.`,
    )
  if (most === null || count <= most) return
  throw new AppError(
    'CONFIRMATION_REQUIRED',
    `This would send ${count.toLocaleString('en')} requests. Confirm the count.`,
    {
      details: { count },
    },
  )
}

/**
 * The only place that decides which consent a send that a user starts needs: for the host that it goes to, and for the live
 * environment whose secret signs it. What signs decides, never the mode that a delivery carries: an imported file may claim any.
 */
import { AppError } from '../../shared/contract/errors.ts'
import { type Guard } from './wire/guarded-sender.ts'
import { checkTarget, type TargetPolicy } from './wire/target-policy.ts'
import { readTarget, checkTargetCa } from './target.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { liveRefusal } from '../hooks/live-guard.ts'
import { secretKey } from '../signature/sign.ts'
import type { StoredHook } from '../store/hooks-repo.ts'

/** What a consent question names for each kind of send (`SendRequest.what`). */
export const REPLAYING = 'replaying with a live secret'
export const FORWARDING = 'forwarding deliveries of a live hook'

/** The consent that a user gave. */
export interface Consent {
  readonly allowHosts: readonly string[]
  /** All live environments, or those allowed by name. */
  readonly live: boolean | readonly string[]
}

/** What signs. */
export interface Signers {
  /** By id; null and hooks that are unknown here sign nothing. */
  readonly hookIds?: readonly (string | null)[]
  /** A secret entered by hand, which may still be a live hook's. */
  readonly secrets?: readonly string[]
  /** By name. */
  readonly environments?: readonly string[]
}

export interface SendRequest {
  readonly targets: readonly string[]
  readonly targetCa: string | null
  readonly signers: Signers
  /** What is to be confirmed, as a gerund: `replaying with a live secret`. */
  readonly what: string
}

/** An admitted send and its limits. */
export interface Admitted {
  /** Which hosts it may reach, checked again at each connection. */
  readonly policy: TargetPolicy
  /** Checked again when a hook signs, because the delivery's hook may be known only by then. Throws `CONFIRMATION_REQUIRED`. */
  confirmSigner(hookId: string): void
}

export interface Admission {
  /** Rejects, before anything is sent, with `INVALID_INPUT`, `NOT_FOUND`, `CONFIRMATION_REQUIRED` or `TARGET_NOT_ALLOWED`. */
  admit(request: SendRequest, consent: Consent): Promise<Admitted>
  /** The live environments that need consent before these hooks sign, without duplicates. */
  liveEnvironments(signers: Signers): string[]
}

export interface AdmissionDeps {
  readonly guard: Pick<Guard, 'policyFor'>
  /** Null without a data folder. */
  readonly known: {
    readonly hooks: Pick<Hooks, 'get' | 'list' | 'secretsOf'>
    readonly environments: Pick<Environments, 'get'>
  } | null
}

export function createAdmission({ guard, known }: AdmissionDeps): Admission {
  function knownHook(id: string | null): StoredHook[] {
    if (id === null || known === null) return []
    try {
      return [known.hooks.get(id)]
    } catch (error) {
      if (error instanceof AppError && error.code === 'NOT_FOUND') return []
      throw error
    }
  }

  function liveEnvironments({ hookIds = [], secrets = [], environments = [] }: Signers): string[] {
    if (known === null) return []
    const hooks = [...new Set(hookIds)].flatMap(knownHook)
    // A live hook's secret signs as that hook, however it was passed.
    const keys = [
      ...secrets.filter((secret) => secret !== '').map((secret) => secretKey(secret)),
      ...hooks.flatMap(({ id }) =>
        known.hooks
          .secretsOf(id)
          .slice(0, 1)
          .map(({ key }) => key),
      ),
    ]
    const sharing = known.hooks
      .list()
      .filter(
        ({ id, mode }) => mode === 'live' && known.hooks.secretsOf(id).some(({ key }) => keys.some((one) => one.equals(key))),
      )
    const all = [
      ...environments,
      ...hooks.map(({ environment }) => environment),
      ...sharing.map(({ environment }) => environment),
    ]
    return [...new Set(all)].filter((name) => known.environments.get(name).mode === 'live')
  }

  function confirm(signers: Signers, { live }: Consent, what: string): void {
    if (live === true) return
    const agreed = live === false ? [] : live
    const missing = liveEnvironments(signers).filter((name) => !agreed.includes(name))
    if (missing.length > 0) throw liveRefusal(missing, what)
  }

  return {
    async admit({ targets, targetCa, signers, what }, consent) {
      const policy = guard.policyFor(consent.allowHosts)
      checkTargetCa(targetCa)
      const urls = [...new Set(targets)].map(readTarget)
      confirm(signers, consent, what)
      for (const url of urls) await checkTarget(url, policy)
      return {
        policy,
        confirmSigner(hookId) {
          confirm({ hookIds: [hookId] }, consent, what)
        },
      }
    },
    liveEnvironments,
  }
}

/** A live-only event's payload is marked live, regardless of what signs it. Throws `CONFIRMATION_REQUIRED` unless confirmed. */
export function confirmLivePayloads(events: readonly string[], isAgreed: boolean): void {
  if (isAgreed || events.length === 0 || events.some((event) => event !== 'program.status')) return
  throw new AppError(
    'CONFIRMATION_REQUIRED',
    'program.status is only sent in live mode (section 6.2), so its payloads are marked live. To confirm, add --program-status or --live.',
  )
}

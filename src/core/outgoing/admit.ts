/**
 * The only place that decides which consent a send that a user starts needs: for the host that it goes to, and for the live
 * environment whose secret signs it. What signs decides, never the mode that a delivery carries: an imported file may claim any.
 * A sender is made only for what was admitted: replay, forward, check, shrink and flows have no other.
 */
import { X509Certificate } from 'node:crypto'
import { AppError } from '../../shared/contract/errors.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { liveRefusal } from '../hooks/live-guard.ts'
import { secretKey } from '../signature/sign.ts'
import type { StoredHook } from '../store/hooks-repo.ts'
import type { Sender } from './send.ts'
import type { Guard, GuardedSenderOptions } from './wire/guarded-sender.ts'
import { hostOf, isLoopbackAddress, checkTarget, type TargetPolicy } from './wire/target-policy.ts'

/** What a consent question names for each kind of send (`AdmissionRequest.what`). */
export const REPLAYING = 'replaying with a live secret'
export const FORWARDING = "forwarding a live hook's deliveries"

/** The consent that a user gave. */
export interface Consent {
  readonly allowHosts: readonly string[]
  /** All live environments, or those allowed by name. */
  readonly live: boolean | readonly string[]
}

/** What signs. */
interface Signers {
  /** By id; null and hooks that are unknown here sign nothing. */
  readonly hookIds?: readonly (string | null)[]
  /** A secret entered by hand, which may still be a live hook's. */
  readonly secrets?: readonly string[]
  /** By name. */
  readonly environments?: readonly string[]
}

export interface AdmissionRequest {
  readonly targets: readonly string[]
  readonly targetCa: string | null
  /** The URL that is signed in place of the hook's own; null or left out: the hook's. */
  readonly registeredUrl?: string | null
  readonly signers: Signers
  /** What is to be confirmed, as a gerund: `replaying with a live secret`. */
  readonly what: string
}

/** What speaks against a send, and which part of the request it is about. */
export interface Objection {
  readonly about: 'registeredUrl' | 'allowHosts' | 'targetCa' | 'target' | 'live'
  readonly error: AppError
}

/** Sends within what was admitted: each connection is held to the hosts that were allowed. */
type CreateAdmittedSender = (options: Omit<GuardedSenderOptions, 'policy' | 'targetCa'>) => Sender

/** An admitted send and its limits. */
export interface Admitted {
  /** As URLs, without duplicates. */
  readonly targets: readonly URL[]
  /** Hosts of the targets that are other computers. */
  readonly otherHosts: readonly string[]
  readonly createSender: CreateAdmittedSender
  /** Checked again when a hook signs, because the delivery's hook may be known only by then. Throws `CONFIRMATION_REQUIRED`. */
  confirmSigner(hookId: string): void
}

export interface Admission {
  /** Rejects, before anything is sent, with `INVALID_INPUT`, `NOT_FOUND`, `CONFIRMATION_REQUIRED` or `TARGET_NOT_ALLOWED`. */
  admit(request: AdmissionRequest, consent: Consent): Promise<Admitted>
  /** All that `admit` would refuse, in its order, for a form to show. */
  objections(request: AdmissionRequest, consent: Consent): AsyncIterable<Objection>
  /** Opens a target that was admitted before and kept with its consent. Each connection is checked against it again. */
  openKept(kept: { readonly allowHosts: readonly string[]; readonly targetCa: string | null }): CreateAdmittedSender
  /** The live environments that need consent before these hooks sign, without duplicates. */
  liveEnvironments(signers: Signers): string[]
}

interface AdmissionDeps {
  readonly guard: Guard
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

  const sendersOf =
    (policy: TargetPolicy, targetCa: string | null): CreateAdmittedSender =>
    (options) =>
      guard.createSender({ ...options, policy, targetCa })

  async function* objections(request: AdmissionRequest, consent: Consent): AsyncGenerator<Objection> {
    const { targets, targetCa, registeredUrl = null, signers, what } = request
    const refused = async (about: Objection['about'], work: () => unknown): Promise<Objection[]> => {
      try {
        await work()
        return []
      } catch (error) {
        if (error instanceof AppError) return [{ about, error }]
        throw error
      }
    }
    yield* await refused('registeredUrl', () => {
      checkSignedUrl(registeredUrl)
    })
    let policy: TargetPolicy | null = null
    yield* await refused('allowHosts', () => {
      policy = guard.policyFor(consent.allowHosts)
    })
    yield* await refused('targetCa', () => {
      checkTargetCa(targetCa)
    })
    const urls: URL[] = []
    for (const target of new Set(targets)) yield* await refused('target', () => urls.push(readTarget(target)))
    yield* await refused('live', () => {
      confirm(signers, consent, what)
    })
    for (const url of urls) yield* await refused('target', () => (policy === null ? null : checkTarget(url, policy)))
  }

  return {
    async admit(request, consent) {
      for await (const { error } of objections(request, consent)) throw error
      const { targets, targetCa, what } = request
      const policy = guard.policyFor(consent.allowHosts)
      const urls = [...new Set(targets)].map(readTarget)
      const isOther = (host: string) => policy.allowedHosts.has(host) && host !== 'localhost' && !isLoopbackAddress(host)
      return {
        targets: urls,
        otherHosts: urls.map(hostOf).filter(isOther),
        createSender: sendersOf(policy, targetCa),
        confirmSigner(hookId) {
          confirm({ hookIds: [hookId] }, consent, what)
        },
      }
    },
    objections,
    openKept: ({ allowHosts, targetCa }) => sendersOf(guard.policyFor(allowHosts), targetCa),
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

/** So many sends can stand in one job. */
const MOST_SENDS = 1_000_000

/**
 * `most` is what was agreed to; null: as many as there are. Throws `CONFIRMATION_REQUIRED` where it is more, and `INVALID_INPUT`
 * where no job can have so many.
 */
export function confirmCount(count: number, most: number | null): void {
  if (count > MOST_SENDS)
    throw new AppError(
      'INVALID_INPUT',
      `This would send ${count.toLocaleString('en')} requests. A replay can send up to a million.`,
    )
  if (most === null || count <= most) return
  throw new AppError('CONFIRMATION_REQUIRED', `This would send ${count.toLocaleString('en')} requests. Confirm the count.`, {
    details: { count },
  })
}

// Reads a target as a user gives it: its URL, the signed URL, its own CA certificate. Nothing is looked up.

/**
 * Checks the URL that is signed in place of the hook's own: the one that the receiver believes it has (section 5.2). Throws
 * `INVALID_INPUT` if it is not a URL; null: the hook's own.
 */
export function checkSignedUrl(registeredUrl: string | null): void {
  if (registeredUrl === null || URL.canParse(registeredUrl)) return
  throw new AppError(
    'INVALID_INPUT',
    `"${registeredUrl}" isn't a valid URL. Enter the URL that your handler is registered with.`,
    {
      details: { field: 'registeredUrl' },
    },
  )
}

/** Reads a target. Throws `INVALID_INPUT` where it is no URL that a request can be sent to. */
export function readTarget(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new AppError('INVALID_INPUT', `"${text}" isn't a complete URL. Use one like http://127.0.0.1:3000/webhooks.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new AppError(
      'INVALID_INPUT',
      `Remove the user name from the target URL (${url.host}). Text before an @ is easily mistaken for the host.`,
    )
  }
  return url
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

/** Throws `INVALID_INPUT` where `pem` is no certificate; null is the absence of one. */
function checkTargetCa(pem: string | null): void {
  if (pem !== null && !isCertificate(pem))
    throw new AppError(
      'INVALID_INPUT',
      'The target\'s CA certificate isn\'t a PEM certificate. It should begin with "-----BEGIN CERTIFICATE-----".',
      { details: { field: 'targetCa' } },
    )
}

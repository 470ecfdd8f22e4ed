/**
 * Decides which consent a user's send needs: for its host, and for the live environment whose secret signs it. The signing secret
 * decides, not the delivery's mode, because an imported file may claim any mode. Senders are only created here: replay, forward,
 * check, shrink, flows and the sandbox have no other.
 */
import { AppError } from '../../shared/contract/errors.ts'
import { lacksScheme, withScheme } from '../../shared/http.ts'
import { isCertificate } from '../hooks/environment-rules.ts'
import type { Clock, Ids, Log } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { confirmLive } from '../hooks/live-guard.ts'
import { isSameKey, secretKey } from '../signature/sign.ts'
import type { StoredHook } from '../store/hooks.ts'
import type { Sender } from './send.ts'
import {
  type Guard,
  type GuardedSenderOptions,
  hostOf,
  isLoopbackAddress,
  checkTarget,
  type TargetPolicy,
} from './wire/guarded-sender.ts'
import type { Consent } from '../../shared/model/consent.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import type { ReplaySettings } from '../../shared/model/send.ts'
import { signingPrefix } from '../../shared/service/header-rules.ts'
import { type OutgoingOptions, type Signing, originalTime } from './outgoing-request.ts'
import type { SendableDelivery } from '../store/deliveries-to-send.ts'
import type { Store } from '../store/store.ts'
import type { OwnSends } from './own-sends.ts'

/** The wording of a consent question for each kind of send (`AdmissionRequest.what`). */
export const REPLAYING = 'replaying with a live secret'
export const FORWARDING = "forwarding a live hook's deliveries"

export interface Signers {
  /** Hooks by ID. Null and hooks that are unknown here sign nothing. */
  readonly hookIds?: readonly (string | null)[]
  /** A secret the user entered, which may still be a live hook's. */
  readonly secrets?: readonly string[]
  /** Environments by name. */
  readonly environments?: readonly string[]
}

export interface AdmissionRequest {
  readonly targets: readonly string[]
  readonly targetCa: string | null
  /** The URL to sign instead of the hook's own; null or omitted for the hook's. */
  readonly registeredUrl?: string | null
  readonly signers: Signers
  /** The action to confirm, as a gerund: `replaying with a live secret`. */
  readonly what: string
}

export type Admission = ReturnType<typeof createAdmission>
export type Admitted = Awaited<ReturnType<Admission['admit']>>

interface AdmissionDeps {
  readonly guard: Guard
  /** Null without a data folder. */
  readonly known: {
    readonly hooks: Pick<Hooks, 'get' | 'list' | 'secretsOf'>
    readonly environments: Pick<Environments, 'get'>
  } | null
}

export function createAdmission({ guard, known }: AdmissionDeps) {
  function liveEnvironments({ hookIds = [], secrets = [], environments = [] }: Signers): string[] {
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
    const sharing = known.hooks
      .list()
      .filter(
        ({ id, mode }) =>
          mode === 'live' &&
          known.hooks.secretsOf(id).some(({ key }) => keys.some((one) => isSameKey(one, key))),
      )
    const all = [
      ...environments,
      ...hooks.map(({ environment }) => environment),
      ...sharing.map(({ environment }) => environment),
    ]
    return [...new Set(all)].filter((name) => known.environments.get(name).mode === 'live')
  }

  function confirm(signers: Signers, consent: Consent, what: string): void {
    if (consent.live !== true) confirmLive(liveEnvironments(signers), consent, what)
  }

  /** Senders within the admission: every connection is limited to the allowed hosts. */
  const sendersOf =
    (policy: TargetPolicy, targetCa: string | null) =>
    (options: Omit<GuardedSenderOptions, 'policy' | 'targetCa'>): Sender =>
      guard.createSender({ ...options, policy, targetCa })

  return {
    /** Rejects before anything is sent, with `INVALID_INPUT`, `NOT_FOUND`, `CONFIRMATION_REQUIRED` or `TARGET_NOT_ALLOWED`. */
    async admit(request: AdmissionRequest, consent: Consent) {
      const { targets, targetCa, registeredUrl = null, signers, what } = request
      checkSignedUrl(registeredUrl)
      const policy = guard.policyFor(consent.allowHosts)
      checkTargetCa(targetCa)
      const urls = [...new Set(targets)].map(readTarget)
      confirm(signers, consent, what)
      for (const url of urls) await checkTarget(url, policy)
      const isOther = (host: string) =>
        policy.allowedHosts.has(host) && host !== 'localhost' && !isLoopbackAddress(host)
      return {
        /** As URLs, without duplicates. */
        targets: urls,
        /** Remote hosts among the targets. */
        otherHosts: urls.map(hostOf).filter(isOther),
        createSender: sendersOf(policy, targetCa),
        /** Connects to the first target and sends nothing. */
        async probe() {
          const [first] = urls
          if (first === undefined) throw new Error('No target was admitted.')
          return guard.probe(first, { policy, targetCa })
        },
        /** Checked again when a secret signs, because a delivery's hook may be unknown until then. Throws `CONFIRMATION_REQUIRED`. */
        confirmSigner(signer: Signers) {
          confirm(signer, consent, what)
        },
      }
    },
    /**
     * Makes senders for the sandbox, and for a saved forwarding target. Each connection is checked
     * with the hosts that are allowed then.
     */
    senderForSaved: (allowHosts: () => readonly string[], targetCa: string | null) =>
      sendersOf(
        {
          ...guard.policyFor([]),
          allowedHosts: { has: (host) => guard.policyFor(allowHosts()).allowedHosts.has(host) },
        },
        targetCa,
      ),
    /** Throws `TARGET_NOT_ALLOWED` if a sender with these hosts would refuse the URL. */
    check: (url: string, allowHosts: readonly string[]) =>
      checkTarget(new URL(url), guard.policyFor(allowHosts)),
    /** The live environments that need consent before these hooks sign, without duplicates. */
    liveEnvironments,
  }
}

/** A live-only event's payload is marked live, whatever signs it. Throws `CONFIRMATION_REQUIRED` unless confirmed. */
export function confirmLivePayloads(events: readonly string[], isAgreed: boolean): void {
  if (isAgreed || events.length === 0 || events.some((event) => event !== 'program.status')) return
  throw new AppError(
    'CONFIRMATION_REQUIRED',
    'program.status is only sent in live mode (spec 6.2), so its payloads are marked live. To confirm, add --program-status or --live.',
  )
}

/** Maximum requests in one job. */
const MOST_SENDS = 1_000_000

/**
 * `most` is the confirmed count; null for any. Throws `CONFIRMATION_REQUIRED` above it, and `INVALID_INPUT` above a job's limit.
 */
export function confirmCount(count: number, most: number | null): void {
  if (count > MOST_SENDS)
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

// Reads a target as entered: its URL, the signed URL, its CA certificate. Resolves no names.

export function invalidField(field: string, message: string): AppError {
  return new AppError('INVALID_INPUT', message, { details: { field } })
}

/**
 * Checks the URL to sign instead of the hook's own: the handler's registered URL (section 5.2). Throws `INVALID_INPUT` for an
 * invalid URL. Null means the hook's own.
 */
export function checkSignedUrl(registeredUrl: string | null): void {
  if (registeredUrl === null || URL.canParse(registeredUrl)) return
  throw invalidField(
    'registeredUrl',
    `"${registeredUrl}" isn't a valid URL. Enter the URL that your handler is registered with.`,
  )
}

/** Parses a target as typed; loopback targets may omit `http://`. Throws `INVALID_INPUT` if no request can be sent to it. */
export function readTarget(text: string): URL {
  const complete = withScheme(text)
  const url = URL.canParse(complete) ? new URL(complete) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new AppError(
      'INVALID_INPUT',
      lacksScheme(text)
        ? `"${text}" has no scheme. Start it with https:// or http://.`
        : `"${text}" isn't a complete URL. Use one like http://127.0.0.1:3000/webhooks.`,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw new AppError(
      'INVALID_INPUT',
      `Remove the user name from the target URL (${url.host}). Text before an @ is easily mistaken for the host.`,
    )
  }
  return url
}

/** Returns the host of a target, as consent names it. */
export const targetHost = (text: string): string => hostOf(readTarget(text))

/** Throws `INVALID_INPUT` if `pem` isn't a certificate. Null means none. */
export function checkTargetCa(pem: string | null): void {
  if (pem !== null && !isCertificate(pem))
    throw invalidField(
      'targetCa',
      'The target\'s CA certificate isn\'t a PEM certificate. It should begin with "-----BEGIN CERTIFICATE-----".',
    )
}

// Which secret and URL sign a delivery: by default its hook's current secret and registered URL.

export interface SigningHook extends Signing {
  readonly ack: '200' | '2xx'
}

/** What a saved handler verifies with: a hook's secret and, if it isn't the hook's, the URL that is signed; or its own, with its prefix. */
export type HandlerSigner =
  | { readonly hookId: string; readonly url: string | null }
  | { readonly secret: string; readonly url: string; readonly prefix: string | null }

/** Null if each delivery's own hook signs. Rejects with `NOT_FOUND`, `INVALID_INPUT` or `SECRET_UNREADABLE`. */
export type FindHandlerSigner = (handlerId: string) => Promise<HandlerSigner | null>

export interface SigningHooksDeps {
  readonly hooks: Pick<Hooks, 'get' | 'reveal'>
  readonly environments: Pick<Environments, 'get' | 'all'>
  readonly handlerSigner: FindHandlerSigner
}

export interface SendingDeps extends SigningHooksDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'search' | 'settled'>
  readonly hooks: Pick<Hooks, 'list' | 'get' | 'reveal'>
  readonly admission: Admission
  readonly ownSends: OwnSends
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly hub: Pick<EventHub, 'emit'>
}

/** Who signs, for the consent to a live secret: the chosen hook, the saved handler's secret, or the deliveries' own hooks. */
export async function signersOf(
  handlerSigner: FindHandlerSigner,
  { hookId, handlerId }: Pick<ReplaySettings, 'hookId' | 'handlerId'>,
  own: () => readonly (string | null)[] | Promise<readonly (string | null)[]>,
): Promise<Signers> {
  if (hookId !== null) return { hookIds: [hookId] }
  const signer = handlerId === null ? null : await handlerSigner(handlerId)
  if (signer === null) return { hookIds: await own() }
  return 'secret' in signer ? { secrets: [signer.secret] } : { hookIds: [signer.hookId] }
}

/**
 * The chosen hook, else the delivery's own. Null if neither is known here, for example after an import. Throws `NOT_FOUND` if the
 * chosen hook is unknown.
 */
export function hookToSign(
  hooks: Pick<Hooks, 'get'>,
  chosen: string | null,
  own: string | null,
): StoredHook | null {
  return chosen === null ? knownHook(hooks, own) : hooks.get(chosen)
}

/** A hook by ID; null if it is unknown here. */
export function knownHook(hooks: Pick<Hooks, 'get'>, id: string | null): StoredHook | null {
  if (id === null) return null
  try {
    return hooks.get(id)
  } catch (error) {
    if (error instanceof AppError && error.code === 'NOT_FOUND') return null
    throw error
  }
}

/**
 * Returns a function that gives what a delivery is signed with: the chosen hook, the saved handler's secret, or the delivery's own
 * hook; null if it has no hook (`hookToSign`). Each secret is decrypted once, if admitted. `admitted` is null only for previews. Rejects with `NOT_FOUND`, `CONFIRMATION_REQUIRED` or
 * `SECRET_UNREADABLE`.
 */
export function createHookOf(
  { hooks, environments, handlerSigner }: SigningHooksDeps,
  {
    hookId,
    registeredUrl,
    handlerId,
  }: Pick<ReplaySettings, 'hookId' | 'registeredUrl' | 'handlerId'>,
  admitted: Pick<Admitted, 'confirmSigner'> | null,
): (delivery: Pick<Delivery, 'hookId'>) => Promise<SigningHook | null> {
  const known = new Map<string, Promise<SigningHook | null>>()
  const open = async (own: string | null): Promise<SigningHook | null> => {
    const signer = handlerId === null || hookId !== null ? null : await handlerSigner(handlerId)
    if (signer !== null && 'secret' in signer) {
      admitted?.confirmSigner({ secrets: [signer.secret] })
      const its = hookToSign(hooks, null, own)
      return {
        key: secretKey(signer.secret),
        url: registeredUrl ?? signer.url,
        prefix: signingPrefix(environments.get, { handler: signer }),
        ack: its === null ? '200' : environments.get(its.environment).ack,
      }
    }
    const hook = hookToSign(hooks, hookId ?? signer?.hookId ?? null, own)
    if (hook === null) return null
    admitted?.confirmSigner({ hookIds: [hook.id] })
    return {
      key: secretKey(await hooks.reveal(hook.id)),
      url: registeredUrl ?? hook.url,
      prefix: signingPrefix(environments.get, { hook }),
      ack: environments.get(hook.environment).ack,
    }
  }
  return async (delivery) => {
    const id = hookId ?? delivery.hookId ?? (handlerId === null ? null : '')
    if (id === null) return null
    let opening = known.get(id)
    if (opening === undefined) {
      opening = open(delivery.hookId)
      known.set(id, opening)
    }
    return opening
  }
}

// Why a delivery can't be replayed as requested.

interface SendNeeds extends Omit<OutgoingOptions, 'wallTime'> {
  readonly hook: SigningHook | null
  readonly hasOwnBody: boolean
}

/** A sentence, or null if it can be replayed. */
export function obstacle(delivery: SendableDelivery | null, wanted: SendNeeds): string | null {
  const { hook, tamper, edits, hasOwnBody } = wanted
  if (delivery === null) return 'The delivery was deleted.'
  if (delivery.method === null || delivery.malformed !== null)
    return "The delivery is malformed, so it can't be replayed."
  if (delivery.truncated && !hasOwnBody)
    return "The body was truncated, so the delivery can't be replayed. You can raise the body limit in the settings."
  if ((edits.method ?? delivery.method) === 'CONNECT') return "CONNECT requests can't be replayed."
  if (edits.signature !== 'recompute') return null
  if (hook === null && tamper !== 'no-signature')
    return 'No hook matches this delivery, so it can\'t be re-signed. Choose a hook ("countersign replay ID --hook HOOK"), or keep its signature ("countersign replay ID --signature keep").'
  if (edits.timestamp === 'original' && originalTime(delivery.headers, hook, wanted) === null)
    return 'The delivery has no valid timestamp to keep. Sign it with the current time.'
  return null
}

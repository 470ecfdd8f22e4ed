/** Secret and URL that sign a delivery: by default its hook's current secret and registered URL. */
import type { Delivery } from '../../shared/model/delivery.ts'
import type { ReplaySettings } from '../../shared/model/send.ts'
import { signingPrefix } from '../../shared/service/header-names.ts'
import type { Clock, Ids, Log } from '../base/deps.ts'
import type { EventHub } from '../base/event-hub.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { secretKey } from '../signature/sign.ts'
import type { SendableDelivery } from '../store/deliveries-to-send.ts'
import type { Store } from '../store/store.ts'
import { hookToSign } from './known-hooks.ts'
import type { Admission, Signers, Admitted } from './admit.ts'
import { type Signing, type OutgoingOptions, originalTime } from './outgoing-request.ts'
import type { OwnSends } from './own-sends.ts'

/** Opened hook, or in its place a saved handler's own secret and URL. */
export interface SigningHook extends Signing {
  readonly ack: '200' | '2xx'
}

/** Signer of a saved handler: a hook, with another URL to sign if it has one, or its own secret. */
export type HandlerSigner =
  | { readonly hookId: string; readonly url: string | null }
  | { readonly secret: string; readonly url: string; readonly prefix: string | null }

/**
 * Function that finds a saved handler's signer; null if a delivery's own hook signs. Rejects with
 * `NOT_FOUND`, `INVALID_INPUT` or `SECRET_UNREADABLE`.
 */
export type FindHandlerSigner = (handlerId: string) => Promise<HandlerSigner | null>

export interface SigningHooksDeps {
  readonly hooks: Pick<Hooks, 'get' | 'reveal'>
  readonly environments: Pick<Environments, 'get' | 'all'>
  readonly handlerSigner: FindHandlerSigner
}

export interface SendDeps extends SigningHooksDeps {
  readonly store: Pick<Store, 'read' | 'write' | 'search' | 'settled'>
  readonly hooks: Pick<Hooks, 'list' | 'get' | 'reveal'>
  readonly admission: Admission
  readonly ownSends: OwnSends
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly hub: Pick<EventHub, 'emit'>
}

/** Settings that decide who signs. A given signer signs before the handler's and the hook's. */
type SignerSettings = Pick<ReplaySettings, 'hookId' | 'handlerId'> & {
  readonly givenSigner?: HandlerSigner | null
}

/** Resolves with the signers of a send, by default the deliveries' own hooks. */
export async function signersOf(
  handlerSigner: FindHandlerSigner,
  { hookId, handlerId, givenSigner = null }: SignerSettings,
  ownHookIds: () => readonly (string | null)[] | Promise<readonly (string | null)[]>,
): Promise<Signers> {
  if (hookId !== null) return { hookIds: [hookId] }
  const signer = givenSigner ?? (handlerId === null ? null : await handlerSigner(handlerId))
  if (signer === null) return { hookIds: await ownHookIds() }
  return 'secret' in signer ? { secrets: [signer.secret] } : { hookIds: [signer.hookId] }
}

/**
 * Returns a function that finds a delivery's signer and decrypts each secret once. It rejects with
 * `NOT_FOUND`, `CONFIRMATION_REQUIRED` or `SECRET_UNREADABLE`.
 * @param admitted - null for previews, which send nothing
 */
export function createSigningHookFinder(
  { hooks, environments, handlerSigner }: SigningHooksDeps,
  {
    hookId,
    registeredUrl,
    handlerId,
    givenSigner = null,
  }: SignerSettings & Pick<ReplaySettings, 'registeredUrl'>,
  admitted: Pick<Admitted, 'confirmSigner'> | null,
): (delivery: Pick<Delivery, 'hookId'>) => Promise<SigningHook | null> {
  const openedSigners = new Map<string, Promise<SigningHook | null>>()
  const open = async (ownHookId: string | null): Promise<SigningHook | null> => {
    const savedSigner =
      handlerId === null || hookId !== null ? null : await handlerSigner(handlerId)
    const signer = givenSigner ?? savedSigner
    if (signer !== null && 'secret' in signer) {
      admitted?.confirmSigner({ secrets: [signer.secret] })
      const ownHook = hookToSign(hooks, null, ownHookId)
      return {
        key: secretKey(signer.secret),
        url: registeredUrl ?? signer.url,
        prefix: signingPrefix((name) => environments.get(name), { handler: signer }),
        ack: ownHook === null ? '200' : environments.get(ownHook.environment).ack,
      }
    }
    const hook = hookToSign(hooks, hookId ?? signer?.hookId ?? null, ownHookId)
    if (hook === null) return null
    admitted?.confirmSigner({ hookIds: [hook.id] })
    return {
      key: secretKey(await hooks.reveal(hook.id)),
      url: registeredUrl ?? hook.url,
      prefix: signingPrefix((name) => environments.get(name), { hook }),
      ack: environments.get(hook.environment).ack,
    }
  }
  return async (delivery) => {
    // A saved handler and a given signer also sign deliveries without a hook.
    const hasSigner = handlerId !== null || givenSigner !== null
    const cacheKey = hookId ?? delivery.hookId ?? (hasSigner ? '' : null)
    if (cacheKey === null) return null
    let opening = openedSigners.get(cacheKey)
    if (opening === undefined) {
      opening = open(delivery.hookId)
      openedSigners.set(cacheKey, opening)
    }
    return opening
  }
}

interface SendNeeds extends Omit<OutgoingOptions, 'wallTime'> {
  readonly hook: SigningHook | null
  readonly hasOwnBody: boolean
}

/** Explains why a delivery can't be sent; null if it can. */
export function sendObstacle(delivery: SendableDelivery | null, needs: SendNeeds): string | null {
  const { hook, tamper, edits, hasOwnBody } = needs
  if (delivery === null) return 'The delivery was deleted.'
  if (delivery.method === null || delivery.malformed !== null)
    return "The delivery is malformed, so it can't be replayed."
  if (delivery.truncated && !hasOwnBody)
    return "The body was truncated, so the delivery can't be replayed. You can raise the body limit in the settings."
  if ((edits.method ?? delivery.method) === 'CONNECT') return "CONNECT requests can't be replayed."
  if (edits.signature !== 'recompute') return null
  if (hook === null && tamper !== 'no-signature')
    return 'No hook matches this delivery, so it can\'t be re-signed. Choose a hook ("countersign replay ID --hook HOOK"), or keep its signature ("countersign replay ID --signature keep").'
  if (edits.timestamp === 'original' && originalTime(delivery.headers, hook, needs) === null)
    return 'The delivery has no valid timestamp to keep. Sign it with the current time.'
  return null
}

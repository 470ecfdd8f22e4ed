/** Which secret and URL sign a delivery: by default its hook's current secret and registered URL. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Delivery } from '../../shared/model/delivery.ts'
import type { ReplayEdits, ReplaySettings, Tamper } from '../../shared/model/send.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import type { Admitted, Signers } from './admit.ts'
import type { StoredHook } from '../store/hooks-repo.ts'
import { signingPrefix } from '../../shared/service/header-rules.ts'
import { secretKey } from '../signature/sign.ts'
import { type Signing, originalTime } from './outgoing-request.ts'
import type { SendableDelivery } from '../store/waiting-sends.ts'

export interface SigningHook extends Signing {
  readonly ack: '200' | '2xx'
}

/** What a saved handler verifies with: a hook's secret, or its own, the URL that it signs, and its prefix if it has one. */
export type HandlerSigner =
  | { readonly hookId: string }
  | { readonly secret: string; readonly url: string; readonly prefix: string | null }

/** Null if each delivery's own hook signs. Rejects with `NOT_FOUND`, `INVALID_INPUT` or `SECRET_UNREADABLE`. */
export type FindHandlerSigner = (handlerId: string) => Promise<HandlerSigner | null>

export interface SigningHooksDeps {
  readonly hooks: Pick<Hooks, 'get' | 'reveal'>
  readonly environments: Pick<Environments, 'get' | 'all'>
  readonly handlerSigner: FindHandlerSigner
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
  if (chosen !== null) return hooks.get(chosen)
  if (own === null) return null
  try {
    return hooks.get(own)
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

interface SendNeeds {
  readonly hook: SigningHook | null
  readonly tamper: Tamper | null
  readonly edits: ReplayEdits
  readonly prefixes: readonly string[]
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

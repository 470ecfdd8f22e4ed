/** What deliveries are signed with: by default each one's hook, its present secret, and its registered URL. */
import type { Delivery } from '../../shared/model/delivery.ts'
import type { ReplaySettings } from '../../shared/model/send.ts'
import type { Environments } from '../hooks/environments.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { secretKey } from '../signature/sign.ts'
import type { Signing } from './outgoing-request.ts'

export interface SigningHook extends Signing {
  readonly ack: '200' | '2xx'
}

export interface SigningHooksDeps {
  readonly hooks: Pick<Hooks, 'get' | 'reveal'>
  readonly environments: Pick<Environments, 'get' | 'all'>
}

/** Gives what a delivery is signed with, null where it is of no hook; each secret is opened once. Rejects with `SECRET_UNREADABLE`. */
export function createHookOf(
  { hooks, environments }: SigningHooksDeps,
  { hookId, registeredUrl }: Pick<ReplaySettings, 'hookId' | 'registeredUrl'>,
): (delivery: Pick<Delivery, 'hookId'>) => Promise<SigningHook | null> {
  const known = new Map<string, Promise<SigningHook>>()
  const open = async (id: string): Promise<SigningHook> => {
    const hook = hooks.get(id)
    const { prefix, ack } = environments.get(hook.environment)
    return { key: secretKey(await hooks.reveal(id)), url: registeredUrl ?? hook.url, prefix, ack }
  }
  return async (delivery) => {
    const id = hookId ?? delivery.hookId
    if (id === null) return null
    let opening = known.get(id)
    if (opening === undefined) {
      opening = open(id)
      known.set(id, opening)
    }
    return opening
  }
}

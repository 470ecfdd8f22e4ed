/** Masks what commands quote of deliveries and responses, as their callers ask. */
import { QUOTING } from '../../shared/contract/masked.ts'
import type { MaskingKind } from '../../shared/contract/nouns/exchange.ts'
import type { Handlers } from '../../shared/rpc/router.ts'
import { maskingFor, maskingOf, type Masking } from '../transfer/masking.ts'
import type { Services } from './services.ts'

/** Masks known secrets, and the hidden header values of some deliveries, which a text may repeat. */
export async function maskingAbout(
  services: Services,
  masked: MaskingKind,
  ids: readonly string[],
): Promise<Masking> {
  const known = await maskingOf(services, masked)
  if (masked === 'none') return known
  const deliveries = await Promise.all(ids.map((id) => services.store.read('get', id)))
  return deliveries.reduce((masking, delivery) => maskingFor(delivery, masking), known)
}

interface QuotingInput {
  readonly masked: MaskingKind
  /** The delivery that it is about. */
  readonly id?: string
  readonly deliveryId?: string
}

export function withMasking(services: Services, handlers: Handlers): Handlers {
  const masking = QUOTING.map((name) => {
    const handle = handlers[name] as (input: QuotingInput, context: object) => Promise<unknown>
    const handler = async (input: QuotingInput, context: object) => {
      const output = await handle(input, context)
      const { masked, id = input.deliveryId } = input
      return (await maskingAbout(services, masked, id === undefined ? [] : [id])).texts(output)
    }
    return [name, handler] as const
  })
  return { ...handlers, ...Object.fromEntries(masking) }
}

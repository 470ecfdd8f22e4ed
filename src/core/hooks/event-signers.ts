/** The signers of an endpoint that receives several hooks: each hook's event has its own secret. */
import { AppError } from '../../shared/contract/errors.ts'
import type { HookHeaders } from './hook-record.ts'
import type { Hooks } from './hooks.ts'

export interface EventSigner {
  /** Signed event; null for all. */
  readonly event: string | null
  readonly secret: string
  /** Registered URL; null for the endpoint's own. */
  readonly url: string | null
  readonly headers: HookHeaders
}

/** Returns the signer of an event, else the first. */
export function signerOf<Signer extends Pick<EventSigner, 'event'>>(
  signers: readonly Signer[],
  event: string,
): Signer {
  const signer = signers.find((candidate) => candidate.event === event) ?? signers[0]
  if (signer === undefined) throw new Error('An endpoint needs at least one signer.')
  return signer
}

/** Throws `INVALID_INPUT` if there are several signers, and an event has no signer. */
export function checkSigners(
  signers: readonly Pick<EventSigner, 'event'>[],
  events: readonly string[],
): void {
  const missing = events.find((event) => signers.every((signer) => signer.event !== event))
  if (signers.length > 1 && missing !== undefined)
    throw new AppError(
      'INVALID_INPUT',
      `No selected hook is for ${missing}. Add a hook for it, or leave ${missing} out.`,
    )
}

/**
 * Resolves with a signer per hook. Rejects with `NOT_FOUND`, `SECRET_UNREADABLE`, or
 * `INVALID_INPUT` for hooks of one event or of different environments.
 */
export async function signersOfHooks(
  hooks: Pick<Hooks, 'get' | 'headersOf' | 'reveal'>,
  ids: readonly string[],
  secret?: string,
): Promise<readonly EventSigner[]> {
  const all = [...new Set(ids)].map((id) => hooks.get(id))
  if (all.length > 1 && secret !== undefined)
    throw new AppError(
      'INVALID_INPUT',
      'Several hooks have their own secrets. Leave the secret out, or name one hook.',
    )
  for (const [index, { event, environment }] of all.entries()) {
    if (environment !== all[0]?.environment)
      throw new AppError(
        'INVALID_INPUT',
        'The hooks belong to different environments. Choose hooks of one environment.',
      )
    if (all.findIndex((hook) => hook.event === event) < index)
      throw new AppError('INVALID_INPUT', `Two of the hooks have the event ${event}. Choose one.`)
  }
  return Promise.all(
    all.map(async ({ id, event, url }) => ({
      event,
      secret: secret ?? (await hooks.reveal(id)),
      url,
      headers: hooks.headersOf(id),
    })),
  )
}

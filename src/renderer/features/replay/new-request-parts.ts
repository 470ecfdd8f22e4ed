/** Parts of a new request: its hook, and the request to begin with. */
import { BLANK_DELIVERY } from '../../../shared/model/delivery.ts'
import type { Environment } from '../../../shared/model/environment.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import type { Captured } from './draft.ts'

/** Returns an active hook of the event, of the current environment if it has one; null for none. */
export function hookOfEvent(
  event: string,
  hooks: readonly Hook[],
  environments: readonly Environment[],
): string | null {
  const active = hooks.filter((hook) => hook.event === event && hook.status === 'active')
  const current = environments.find((environment) => environment.current)
  const ofCurrent = active.find(({ environment }) => environment === current?.name)
  return (ofCurrent ?? active[0])?.id ?? null
}

/** Request to begin with, in place of a captured one. */
export const NEW_REQUEST: Captured = {
  delivery: BLANK_DELIVERY,
  original: { method: 'POST', headers: [['Content-Type', 'application/json']], text: null },
}

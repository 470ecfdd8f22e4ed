import type { LifecycleFinding } from '../../shared/model/lifecycle.ts'
import type { Source } from './transaction-facts.ts'

interface FindingSeed extends Omit<LifecycleFinding, 'deliveryIds'> {
  readonly about: readonly Pick<Source, 'delivery'>[]
}

export function findingOf({ code, level, message, fix, about }: FindingSeed): LifecycleFinding {
  return { code, level, message, fix, deliveryIds: about.map(({ delivery }) => delivery.id) }
}

/** Returns a finding about deliveries that no other finding relies on. */
export function unprovedFindings(
  about: readonly Pick<Source, 'delivery'>[],
  what: string,
): LifecycleFinding[] {
  if (about.length === 0) return []
  const isSingle = about.length === 1
  return [
    findingOf({
      level: 'warn',
      code: 'unproved',
      about,
      message: `${isSingle ? 'One delivery names' : `${about.length} deliveries name`} this ${what} without a valid signature. ${isSingle ? 'It is' : 'They are'} shown, but not used.`,
      fix: `Open ${isSingle ? 'it' : 'each'} to see why its signature is invalid. Your handler must not act on it.`,
    }),
  ]
}

/** Simulates an event with everything it triggers (sections 6.1 and 6.2). */
import { AppError } from '../../shared/contract/errors.ts'
import type { Fault } from '../../shared/model/notification.ts'
import {
  isQualifiedEvent,
  plainEventOf,
  type PlainEventType,
  type ShownEventType,
} from '../../shared/service/event-type.ts'
import type { EventContext, SimulatedEvent } from './event-context.ts'
import {
  simulateBrandConsent,
  simulateCardLinked,
  simulateCardFailed,
  simulateProgramStatus,
  simulateLocationStatus,
} from './object-events.ts'
import {
  simulateAuth,
  simulateClearing,
  simulateRefund,
  simulateClearingFirst,
} from './payment-events.ts'

/** Simulations by event; `mustQualify` throws unless a transaction qualifies. */
const simulations: Readonly<
  Record<PlainEventType, (context: EventContext, mustQualify: boolean) => SimulatedEvent>
> = {
  'brand.consent': simulateBrandConsent,
  'card.linked': simulateCardLinked,
  'card.failed': simulateCardFailed,
  'program.status': simulateProgramStatus,
  'location.status': simulateLocationStatus,
  'transaction.auth': simulateAuth,
  'transaction.clearing': simulateClearing,
  'transaction.refund': simulateRefund,
}

export function simulateEvent(
  event: ShownEventType,
  context: EventContext,
  fault: Fault | null,
): SimulatedEvent {
  const plain = plainEventOf(event)
  const mustQualify = isQualifiedEvent(event)
  if (fault !== 'out-of-order') return simulations[plain](context, mustQualify)
  // The last event arrives first.
  if (plain === 'transaction.auth' || plain === 'transaction.clearing')
    return simulateClearingFirst(context, mustQualify)
  const simulated = simulations[plain](context, mustQualify)
  if (simulated.emissions.length < 2)
    throw new AppError(
      'INVALID_INPUT',
      `${event} is a single event, so it has no order. Use a transaction or location.status.`,
    )
  return { ...simulated, emissions: simulated.emissions.toReversed() }
}

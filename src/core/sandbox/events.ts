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

const simulations: Readonly<Record<PlainEventType, (context: EventContext) => SimulatedEvent>> = {
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
  input: Omit<EventContext, 'mustQualify'>,
  fault: Fault | null,
): SimulatedEvent {
  const plain = plainEventOf(event)
  const context = { ...input, mustQualify: isQualifiedEvent(event) }
  if (fault !== 'out-of-order') return simulations[plain](context)
  // The last event arrives first.
  if (plain === 'transaction.auth' || plain === 'transaction.clearing')
    return simulateClearingFirst(context)
  const simulated = simulations[plain](context)
  if (simulated.emissions.length < 2)
    throw new AppError(
      'INVALID_INPUT',
      `${event} is a single event, so it has no order. Use a transaction or location.status.`,
    )
  return { ...simulated, emissions: simulated.emissions.toReversed() }
}

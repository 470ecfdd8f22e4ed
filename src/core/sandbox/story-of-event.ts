/** Maps an event's name to everything it triggers (section 6.2): the objects it is about and the other events the service sends. */
import { AppError } from '../../shared/contract/errors.ts'
import type { Fault } from '../../shared/model/sandbox.ts'
import type { ShownEventType } from '../../shared/service/event-type.ts'
import { authStory, clearingFirstStory, clearingStory, refundStory } from './transaction-story.ts'
import {
  brandConsentStory,
  cardFailedStory,
  cardLinkedStory,
  locationStatusStory,
  programStatusStory,
} from './object-story.ts'
import type { Scene, Story } from './scene.ts'

export function tellStory(event: ShownEventType, scene: Scene, fault: Fault | null): Story {
  if (fault === 'out-of-order') return outOfOrder(event, scene)
  switch (event) {
    case 'brand.consent':
      return brandConsentStory(scene)
    case 'card.linked':
      return cardLinkedStory(scene)
    case 'card.failed':
      return cardFailedStory(scene)
    case 'program.status':
      return programStatusStory(scene)
    case 'location.status':
      return locationStatusStory(scene)
    case 'transaction.auth':
    case 'transaction.auth.qualified':
      return authStory(scene, event.endsWith('.qualified'))
    case 'transaction.clearing':
    case 'transaction.clearing.qualified':
      return clearingStory(scene, event.endsWith('.qualified'))
    case 'transaction.refund':
    case 'transaction.refund.qualified':
      return refundStory(scene, event.endsWith('.qualified'))
  }
}

/** The events of one story in the wrong order: the last one arrives first. */
function outOfOrder(event: ShownEventType, scene: Scene): Story {
  if (event.startsWith('transaction.auth') || event.startsWith('transaction.clearing')) {
    return clearingFirstStory(scene, event.endsWith('.qualified'))
  }
  const story = tellStory(event, scene, null)
  if (story.emissions.length < 2) {
    throw new AppError(
      'INVALID_INPUT',
      `${event} is a single event, so it has no order. Use a transaction or location.status.`,
    )
  }
  return { ...story, emissions: story.emissions.toReversed() }
}

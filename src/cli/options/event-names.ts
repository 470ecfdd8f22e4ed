/** Reads names of events. */
import { InvalidArgumentError } from 'commander'
import { likelyNames } from '../../shared/query/problem.ts'
import { eventTypes, isEventName, isEventType } from '../../shared/service/event-type.ts'
import { readOnce } from './input.ts'

/** Whether a name adds letters to a part of the event, such as `card.unlinked`. */
function isOpposite(text: string, event: string): boolean {
  const parts = event.split('.')
  return text.split('.').some((part, place) => {
    const meant = parts[place]
    return meant !== undefined && part !== meant && part.endsWith(meant)
  })
}

/** Throws for a name that no event has, or one that is almost an event of the spec. */
export function checkEventName(text: string): void {
  const [suggestion] = likelyNames(text, eventTypes)
  if (!isEventName(text) || (suggestion !== undefined && !isOpposite(text, suggestion)))
    checkEventType(text)
}

function checkEventType(text: string): void {
  if (isEventType(text)) return
  const part = text.toLowerCase()
  const [suggestion] = [
    ...likelyNames(text, eventTypes),
    ...eventTypes.filter((event) => event.split('.').includes(part)),
  ]
  const advice =
    suggestion === undefined
      ? `Use one of: ${eventTypes.join(', ')} (spec 6.1).`
      : `Did you mean ${suggestion}?`
  throw new InvalidArgumentError(`Unknown event "${text}". ${advice}`)
}

/** Reads an event of a hook, which the spec may not list. */
export function readEventName(text: string, previous: string | undefined): string {
  checkEventName(text)
  return readOnce(text, previous)
}

export function readEventType(text: string, previous: string | undefined): string {
  checkEventType(text)
  return readOnce(text, previous)
}

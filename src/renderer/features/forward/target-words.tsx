/** Words for targets: status, response mode and pending deliveries. */
import type { ForwardAnswer, ForwardLight, ForwardTarget } from '../../../shared/model/forward.ts'
import { targetLights } from '../../../shared/model/outcomes.ts'
import { ago } from '../../ui/moment.ts'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'

/** Explains each target status. The word and color are in the table of outcomes. */
const meanings: Readonly<Record<ForwardLight, string>> = {
  new: 'Nothing sent since Countersign started',
  up: 'Acknowledged the last delivery',
  failing: "Responds, but doesn't acknowledge",
  down: 'No connection: deliveries are pending',
  paused: 'Deliveries stay pending until you resume the target',
  off: 'Deliveries are not forwarded to this target',
}

export const answers: Readonly<
  Record<ForwardAnswer, { readonly label: string; readonly hint: string }>
> = {
  rule: {
    label: "Respond immediately (hook's setting)",
    hint: "The service gets the hook's response. The target receives the delivery afterwards.",
  },
  handler: {
    label: "Handler's response",
    hint: "The service waits for your handler: 504 after 19 s, 502 if it's unreachable. The service then retries automatically.",
  },
  'at-once': {
    label: 'Respond 200 immediately (for debugging)',
    hint: 'Your handler can take any time. Its response is ignored.',
  },
}

/** `3 pending, oldest received 2 min ago`; empty if nothing is pending. */
export function queueWords({ queue }: Pick<ForwardTarget, 'queue'>, now: number): string {
  const { waiting, underWay, oldestAt } = queue
  const oldest = oldestAt === null ? '' : `, oldest received ${ago(oldestAt, now)}`
  const parts = [
    ...(waiting > 0
      ? [`${waiting} pending${waiting === 1 ? oldest.replace('oldest ', '') : oldest}`]
      : []),
    ...(underWay > 0 ? [`${underWay} in progress`] : []),
  ]
  return parts.join(' · ')
}

/** The target's filter, for a list. */
export function routeWords(query: string): string {
  return query.trim() === '' ? 'all deliveries' : query.trim()
}

/** The status of a target: icon, word and color. */
export function LightMark({
  light,
  large = false,
}: {
  readonly light: ForwardLight
  readonly large?: boolean
}) {
  return <OutcomeMark outcome={targetLights[light]} large={large} title={meanings[light]} />
}

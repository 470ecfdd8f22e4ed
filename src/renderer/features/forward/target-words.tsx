/** How a target is spoken of: its light, who answers, and what waits for it. */
import type { ForwardAnswer, ForwardLight, ForwardTarget } from '../../../shared/model/forward.ts'
import { targetLights } from '../../../shared/model/outcomes.ts'
import { ago } from '../../ui/moment.ts'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'

/** What a target's status means; its word and color are in the table of outcomes. */
const meanings: Readonly<Record<ForwardLight, string>> = {
  new: 'Nothing sent since Countersign started',
  up: 'Acknowledged the last delivery',
  failing: "Responds, but doesn't acknowledge",
  down: 'No connection: deliveries are pending',
  paused: 'Deliveries stay pending until you resume the target',
  off: 'Deliveries are not forwarded to this target',
}

export const answers: Readonly<Record<ForwardAnswer, { readonly label: string; readonly hint: string }>> = {
  rule: {
    label: 'The rule of the hook, at once',
    hint: 'The service is answered as ever; the target is asked afterwards.',
  },
  handler: {
    label: 'The handler’s answer',
    hint: 'The service waits for it: 504 goes after 19 s, 502 where nobody is there. It then sends again by itself.',
  },
  'at-once': {
    label: '200 at once, and the handler takes its time',
    hint: 'For a debugger: what you answer there reaches nobody, and has no limit.',
  },
  'by-hand': {
    label: 'By hand',
    hint: 'Each delivery is held for 19 s; you pick status and body, else the rule of the hook answers. A URL is not needed.',
  },
}

/** `3 wait, the oldest for 2 min`; empty where nothing does. */
export function queueWords({ queue }: Pick<ForwardTarget, 'queue'>, now: number): string {
  const { waiting, underWay, oldestAt } = queue
  const oldest = oldestAt === null ? '' : `, the oldest came ${ago(oldestAt, now)}`
  const parts = [
    ...(waiting > 0
      ? [`${waiting} ${waiting === 1 ? 'waits' : 'wait'}${waiting === 1 ? oldest.replace('the oldest ', 'it ') : oldest}`]
      : []),
    ...(underWay > 0 ? [`${underWay} under way`] : []),
  ]
  return parts.join(' · ')
}

/** What its route takes, for a list. */
export function routeWords(query: string): string {
  return query.trim() === '' ? 'every delivery' : query.trim()
}

/** The status of a target: glyph, word, color. */
export function LightMark({ light, large = false }: { readonly light: ForwardLight; readonly large?: boolean }) {
  return <OutcomeMark outcome={targetLights[light]} large={large} title={meanings[light]} />
}

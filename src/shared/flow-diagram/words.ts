/** Names of participants and readable times, shared by all drawings of a flow. */
import type { FlowActor } from '../model/flow.ts'
import type { FlowRun } from '../model/flow-run.ts'

export const actorLabels: Readonly<Record<FlowActor, string>> = {
  cardholder: 'Cardholder',
  brand: 'Brand',
  network: 'Card network',
  service: 'Service',
  attacker: 'Attacker',
  receiver: 'Countersign',
  handler: 'Your handler',
}

/** Order of the lifelines, from causes to handlers. */
export const actorOrder = Object.keys(actorLabels) as readonly FlowActor[]

/**
 * Formats a duration: `2 d 4 h`, `1 min 20 s`, `350 ms`.
 * @param span number of units
 */
export function timeWords(ms: number, span = 2): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const units: readonly [string, number][] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1_000],
  ]
  const first = units.findIndex(([, size]) => ms >= size)
  const parts: string[] = []
  let left = ms
  for (const [unit, size] of units.slice(first, first + span)) {
    const count = Math.floor(left / size)
    left -= count * size
    if (count > 0) parts.push(`${count} ${unit}`)
  }
  return parts.join(' ')
}

/** Formats a time in UTC, to the second: `21 Nov 12:00:00`. */
export function momentWords(iso: string): string {
  const day = new Date(iso).toLocaleDateString('en-US', {
    day: 'numeric',
    month: 'short',
    timeZone: 'UTC',
  })
  const [month = '', date = ''] = day.split(' ')
  return `${date} ${month} ${iso.slice(11, 19)}`
}

/** Formats the sandbox time and real time that a run took so far. */
export function runTimes(
  run: Pick<FlowRun, 'steps' | 'startedAt' | 'endedAt' | 'businessStartedAt' | 'clock'>,
) {
  const last = run.steps
    .flatMap(({ businessAt }) => businessAt ?? [])
    .toSorted()
    .at(-1)
  const until =
    run.endedAt === null ? (run.clock?.businessAt ?? last) : (last ?? run.clock?.businessAt)
  const from = (start: string, end: string) => Math.max(0, Date.parse(end) - Date.parse(start))
  return {
    business: timeWords(from(run.businessStartedAt, until ?? run.businessStartedAt), 4),
    real: timeWords(from(run.startedAt, run.endedAt ?? run.clock?.at ?? run.startedAt)),
  }
}

/** Removes marks of variables and code. */
export function plainWords(text: string): string {
  return text.replaceAll(/\$\{((?:(?!\$\{)[^}])*)\}/g, '$1').replaceAll('`', '')
}

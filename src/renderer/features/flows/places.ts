/** The places of a flow that can be selected, in drawing order: its steps and the unexpected deliveries. */
import { actorLabels } from '../../../shared/flow-diagram/words.ts'
import type { FlowPlan, FlowPlanStep, FlowRun, FlowRunStep } from '../../../shared/model/flow.ts'
import { isFailedStep, stepOutcomes, type Outcome } from '../../../shared/model/outcomes.ts'

export interface FlowPlace extends Pick<
  FlowRunStep,
  'deliveryId' | 'response' | 'arrived' | 'businessAt' | 'message' | 'fix' | 'checks'
> {
  /** A step's number, or the ID of an unexpected delivery. */
  readonly id: string
  readonly title: string
  readonly outcome: Outcome
  readonly isBad: boolean
  /** `Step 3 of 7 · Service → Countersign`. */
  readonly about: string
  /** Null for an unexpected delivery. */
  readonly step: FlowPlanStep | null
}

const planned = {
  ...{ deliveryId: null, response: null, arrived: null, businessAt: null },
  ...{ message: '', fix: null, checks: [] },
}

export function placesOf({ steps, ...drawn }: FlowPlan | FlowRun): readonly FlowPlace[] {
  const all = steps.map((step: FlowPlanStep | FlowRunStep): FlowPlace => {
    const run = 'state' in step ? step : null
    const { index, from, to } = step
    const ends = from === to ? actorLabels[from] : `${actorLabels[from]} → ${actorLabels[to]}`
    return {
      ...(run ?? planned),
      id: String(index),
      title: step.title,
      outcome: stepOutcomes[run?.outcome ?? (run?.state === 'running' ? 'running' : 'planned')],
      isBad: run !== null && isFailedStep(run),
      about: `Step ${index + 1} of ${steps.length} · ${ends}`,
      step,
    }
  })
  const strays = 'strays' in drawn ? drawn.strays : []
  return [
    ...all,
    ...strays.map((stray): FlowPlace => ({
      ...planned,
      ...stray,
      id: stray.deliveryId,
      title: stray.event ?? 'Delivery',
      outcome: stepOutcomes[stray.kind],
      isBad: true,
      about: 'No step expects this delivery',
      step: null,
    })),
  ]
}

/** The selected place. Defaults to the first failure, then to the current step, then to the last delivery of a finished run. */
export function shownPlace(
  places: readonly FlowPlace[],
  chosen: string | null,
  current: number,
): FlowPlace | undefined {
  return (
    places.find(({ id }) => id === chosen) ??
    places.find(({ isBad }) => isBad) ??
    places[Math.max(0, current)] ??
    places.findLast(({ deliveryId }) => deliveryId !== null) ??
    places.at(-1)
  )
}

const PLACE = 'data-flow-place'

/** The element of a place; null if it isn't drawn. */
export function placeElement(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[${PLACE}="${CSS.escape(id)}"]`)
}

/** Whether a place has the keyboard focus. */
export function isPlaceFocused(): boolean {
  return document.activeElement?.hasAttribute(PLACE) === true
}

/** Focuses a place, which selects it. False if none is drawn. */
export function focusPlace(id: string): boolean {
  const found = placeElement(id)
  found?.focus()
  found?.scrollIntoView({ block: 'nearest' })
  return found !== null
}

/** Moves from the selected place by a number of places; `Infinity` moves to the last. */
export function movePlace(by: number): boolean {
  const all = [...document.querySelectorAll<HTMLElement>(`[${PLACE}]`)]
  const at = all.findIndex((element) => element.getAttribute('tabindex') === '0')
  const next = all[Math.max(0, Math.min(all.length - 1, at + by))]
  return next !== undefined && focusPlace(next.getAttribute(PLACE) ?? '')
}

/** Handles the keys that move between the rows of the diagram. */
export function moveWith(key: string): boolean {
  const by = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[key]
  return by !== undefined && movePlace(by)
}

/** The places of a run that can be selected, in drawing order, and moving between them. */
import type {
  FlowPlan,
  FlowPlanStep,
  FlowResponse,
  FlowRun,
  FlowRunStep,
  FlowStray,
} from '../../../shared/model/flow.ts'

export type FlowPlace =
  | { readonly id: string; readonly kind: 'step'; readonly step: FlowPlanStep | FlowRunStep }
  | { readonly id: string; readonly kind: 'stray'; readonly stray: FlowStray }

export function placesOf(drawn: FlowPlan | FlowRun): readonly FlowPlace[] {
  const steps = drawn.steps.map((step): FlowPlace => ({
    id: String(step.index),
    kind: 'step',
    step,
  }))
  const strays = 'strays' in drawn ? drawn.strays : []
  return [
    ...steps,
    ...strays.map((stray): FlowPlace => ({ id: stray.deliveryId, kind: 'stray', stray })),
  ]
}

export function isBad(place: FlowPlace): boolean {
  if (place.kind === 'stray') return true
  return (
    'outcome' in place.step && (place.step.outcome === 'fail' || place.step.outcome === 'missing')
  )
}

/** The selected place. Defaults to the first failure, then to the current step, then to the last delivery of a finished run. */
export function shownPlace(
  places: readonly FlowPlace[],
  chosen: string | null,
  current: number,
): FlowPlace | undefined {
  const known =
    places.find(({ id }) => id === chosen) ?? places.find(isBad) ?? places[Math.max(0, current)]
  return known ?? places.findLast((place) => deliveryOf(place) !== null) ?? places.at(-1)
}

/** The delivery of a place, or null. */
export function deliveryOf(place: FlowPlace): string | null {
  if (place.kind === 'stray') return place.stray.deliveryId
  return 'deliveryId' in place.step ? place.step.deliveryId : null
}

/** The response to a place's request; null if there was no request, or an older version ran it. */
export function responseOf(place: FlowPlace | undefined): FlowResponse | null {
  if (place === undefined) return null
  if (place.kind === 'stray') return place.stray.response
  return 'response' in place.step ? place.step.response : null
}

/** The previous delivery in the flow's order, or null. */
export function deliveryBefore(places: readonly FlowPlace[], place: FlowPlace): string | null {
  const own = deliveryOf(place)
  const at = places.findIndex(({ id }) => id === place.id)
  const earlier = places.slice(0, at).flatMap((each) => deliveryOf(each) ?? [])
  return earlier.findLast((id) => id !== own) ?? null
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

/** Keyboard actions in a flow: move between steps and participants, and act on the selected step. */
import { actorOrder } from '../../../shared/flow-diagram/words.ts'
import type { FlowActor, FlowRun } from '../../../shared/model/flow.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import type { AppStore } from '../../state/store.ts'
import { handlerAt, handlerRef, namedHandler } from '../../ui/endpoint-offers.ts'
import { flowEndpoint, type FlowDraft } from './flow-start.ts'
import {
  deliveryOf,
  focusPlace,
  isBad,
  movePlace,
  placesOf,
  responseOf,
  shownPlace,
  type FlowPlace,
} from './places.ts'

/** The places of the drawn flow. */
function placesShown(store: AppStore): readonly FlowPlace[] {
  const {
    flows: { opened: openedFlow, run: flowRun },
  } = store.getState()
  const drawn = flowRun ?? openedFlow?.plan
  return drawn === undefined ? [] : placesOf(drawn)
}

function selectedPlace(store: AppStore): FlowPlace | undefined {
  const { flows } = store.getState()
  return shownPlace(placesShown(store), flows.place, flows.run?.current ?? 0)
}

/** Opens the selected place's delivery; false if it has no delivery. Back returns to the place. */
export function openShownDelivery(store: AppStore): boolean {
  const state = store.getState()
  const place = selectedPlace(store)
  const id = place === undefined ? null : deliveryOf(place)
  if (place === undefined || id === null) return false
  state.flows.selectPlace(place.id)
  state.navigation.go('deliveries', { id })
  return true
}

/** Selects the first failure; false if there is none. */
export function goToFirstFailed(store: AppStore): boolean {
  const found = placesShown(store).find(isBad)
  if (found === undefined) return false
  store.getState().flows.selectPlace(found.id)
  return focusPlace(found.id)
}

/** Closes the flow and focuses its row in the list. False if the list is already shown. */
export function leaveFlow(store: AppStore): boolean {
  const name = store.getState().flows.opened?.plan.name
  if (!store.getState().flows.leave()) return false
  requestAnimationFrame(() =>
    document.querySelectorAll<HTMLElement>('[data-flow-row]').forEach((row) => {
      if (row.dataset['flowRow'] === name) row.focus()
    }),
  )
  return true
}

/** The participants of a place, from sender to receiver. */
function actorsOf(place: FlowPlace): readonly [FlowActor, FlowActor] {
  return place.kind === 'stray' ? ['service', 'receiver'] : [place.step.from, place.step.to]
}

/**
 * The place of the next participant to the left (-1) or right (1): the same place, or the nearest one, preferring later ones.
 */
export function besideActor(
  places: readonly FlowPlace[],
  shown: FlowPlace,
  from: FlowActor,
  way: -1 | 1,
): { readonly actor: FlowActor; readonly place: FlowPlace } | null {
  const taking = actorOrder.filter((actor) =>
    places.some((place) => actorsOf(place).includes(actor)),
  )
  const actor = taking[taking.indexOf(from) + way]
  if (actor === undefined) return null
  const at = places.indexOf(shown)
  const near = places
    .map((place, index) => ({ place, distance: Math.abs(index - at) - (index > at ? 0.5 : 0) }))
    .filter(({ place }) => actorsOf(place).includes(actor))
    .toSorted((one, other) => one.distance - other.distance)
  const place = near[0]?.place
  return place === undefined ? null : { actor, place }
}

/** Selects the next participant on that side and a place where it takes part. False if there is none. */
export function moveActor(store: AppStore, way: -1 | 1): boolean {
  const state = store.getState()
  const places = placesShown(store)
  const shown = shownPlace(places, state.flows.place, state.flows.run?.current ?? 0)
  if (shown === undefined) return false
  const found = besideActor(places, shown, state.flows.actor ?? actorsOf(shown)[1], way)
  if (found === null) return false
  focusPlace(found.place.id)
  store.getState().flows.lookAtActor(found.actor, found.place.id)
  return true
}

/** Handles arrow keys and similar keys in the diagram or list. */
export function moveWith(store: AppStore, key: string): boolean {
  if (key === 'ArrowLeft') return moveActor(store, -1)
  if (key === 'ArrowRight') return moveActor(store, 1)
  const by = { ArrowDown: 1, ArrowUp: -1, Home: -Infinity, End: Infinity }[key]
  return by !== undefined && movePlace(by)
}

export const FLOW_REPLAY_ID = 'flow-replay'

/**
 * The endpoint for a replay from a step: the run's saved handler, the current one, the run's typed URL, or the form's. Saved
 * handlers come first because they bring their secret. Null without a handler.
 */
export function replayTargetOf({
  flows: { run, draft },
  core: { handlers },
}: {
  readonly flows: {
    readonly run: Pick<FlowRun, 'handler' | 'handlerName'> | null
    readonly draft: Pick<FlowDraft, 'url'>
  }
  readonly core: { readonly handlers: readonly SavedHandler[] }
}): string | null {
  const ran =
    run === null
      ? null
      : (namedHandler(`@${run.handlerName ?? ''}`, handlers) ??
        handlerAt(run.handler ?? '', handlers))
  const saved = ran ?? handlers.find(({ current }) => current)
  if (saved !== undefined) return handlerRef(saved)
  return run?.handler ?? (flowEndpoint(draft, handlers) || null)
}

/** Replays the selected step's delivery to the handler, forged in the same way. False without a delivery. */
export function replayShownStep(store: AppStore): boolean {
  const state = store.getState()
  const place = selectedPlace(store)
  const id = place === undefined ? null : deliveryOf(place)
  const to = replayTargetOf(state)
  if (place === undefined || id === null || to === null) return false
  state.flows.selectPlace(place.id)
  const sendId = responseOf(place)?.sendId
  const answer = sendId == null ? undefined : state.data.known('replay.send', { id: sendId })
  const tamper = answer?.tamper ?? null
  void state.flows.replayDelivery(id, to, tamper)
  return true
}

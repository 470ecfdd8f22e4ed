/** Palette entries (run a flow, show a recent run) and keyboard shortcuts for flows. */
import type { FlowRun, FlowRunSummary } from '../../../shared/model/flow.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { labelOf, lookOfRun } from '../../../shared/model/outcomes.ts'
import { press, type PaletteItem, type RunKey } from '../../state/commands.ts'
import type { KeyAction } from '../../state/key-map.ts'
import type { AppState, AppStore } from '../../state/store.ts'
import { handlerRef, namedHandler } from '../../ui/endpoint-offers.ts'
import { calendarDay, clockTime } from '../../ui/moment.ts'
import { focusPlace, movePlace, placesOf, shownPlace, type FlowPlace } from './places.ts'
import { chosenHandler, type FlowDraft } from './runs-slice.ts'

export const FLOW_REPLAY_ID = 'flow-replay'
export const FLOW_RUN_ID = 'flow-run'
export const FLOW_STEP_ID = 'flow-step'
export const RUN_ALL_ID = 'flow-run-all'

const RECENT_RUNS = 5

export function flowPalette({ navigation, flows }: AppState): readonly PaletteItem[] {
  const all = (flows.all ?? []).map(({ name, title }): PaletteItem => ({
    value: `flow-${name}`,
    label: `Run flow: ${title}`,
    note: name,
    run: () => {
      navigation.go('flows')
      void flows.openAndRun(name)
    },
  }))
  const recent = (flows.runs ?? []).filter(({ origin }) => origin === null).slice(0, RECENT_RUNS)
  const runs = recent.map((run): PaletteItem => ({
    value: `flow-run-${run.id}`,
    label: `Show run: ${run.title}`,
    note: wordsOfRun(run),
    run: () => {
      navigation.go('flows', { flow: run.flow, run: run.id })
    },
  }))
  return [...runs, ...all]
}

/** `Failed · 21 Nov 2026, 16:00:00.123 · @local`. */
export function wordsOfRun(run: FlowRunSummary): string {
  const { startedAt, handler, handlerName } = run
  const to = handlerName === null ? handler : `@${handlerName}`
  return [labelOf(lookOfRun(run)), `${calendarDay(startedAt)}, ${clockTime(startedAt)}`, to]
    .filter((one) => one !== null)
    .join(' · ')
}

function places({ flows: { opened, run } }: AppState): readonly FlowPlace[] {
  const drawn = run ?? opened?.plan
  return drawn === undefined ? [] : placesOf(drawn)
}

/** The selected place and its delivery; null if it has no delivery. */
function selectedDelivery(state: AppState) {
  const { place: chosen, run } = state.flows
  const place = shownPlace(places(state), chosen, run?.current ?? 0)
  return place?.deliveryId == null ? null : { place, id: place.deliveryId }
}

/** Opens the selected place's delivery; false if it has no delivery. Back returns to the place. */
export function openShownDelivery(store: AppStore): boolean {
  const state = store.getState()
  const shown = selectedDelivery(state)
  if (shown === null) return false
  state.flows.selectPlace(shown.place.id)
  state.navigation.go('deliveries', { id: shown.id })
  return true
}

/** The endpoint of a replay from a step: the run's saved handler, the chosen one, or the run's URL. Null without a handler. */
export function replayTargetOf({
  flows: { run, draft },
  core: { handlers },
}: {
  readonly flows: {
    readonly run: Pick<FlowRun, 'handler' | 'handlerName'> | null
    readonly draft: Pick<FlowDraft, 'handler'>
  }
  readonly core: { readonly handlers: readonly SavedHandler[] }
}): string | null {
  const saved =
    namedHandler(`@${run?.handlerName ?? ''}`, handlers) ?? chosenHandler(draft, handlers)
  return saved === null ? (run?.handler ?? null) : handlerRef(saved)
}

/** Replays the selected step's delivery to the handler, forged in the same way. False without a delivery. */
export function replayShownStep(store: AppStore): boolean {
  const state = store.getState()
  const shown = selectedDelivery(state)
  const to = replayTargetOf(state)
  if (shown === null || to === null) return false
  const sendId = shown.place.response?.sendId ?? null
  const answer = sendId === null ? undefined : state.data.known('replay.send', { id: sendId })
  const tamper = answer?.tamper ?? null
  void state.replay.start({ ids: [shown.id], to, tamper })
  return true
}

/** Selects the first failure; false if there is none. */
function goToFirstFailed(store: AppStore): boolean {
  const found = places(store.getState()).find(({ isBad }) => isBad)
  return found !== undefined && focusPlace(found.id)
}

/** Closes the flow and focuses its row in the list. False if the list is already shown. */
export function leaveFlow(store: AppStore): boolean {
  const name = store.getState().flows.opened?.plan.name
  if (name === undefined || !store.getState().flows.leave()) return false
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`[data-flow-row="${CSS.escape(name)}"]`)?.focus(),
  )
  return true
}

export const flowKeys = {
  'flow-next': () => movePlace(1),
  'flow-previous': () => movePlace(-1),
  'flow-first': () => movePlace(-Infinity),
  'flow-last': () => movePlace(Infinity),
  'flow-open': openShownDelivery,
  'flow-replay': press(FLOW_REPLAY_ID),
  'flow-failed': goToFirstFailed,
  'flow-run-all': press(RUN_ALL_ID),
  'flow-run': press(FLOW_RUN_ID),
  'flow-step': press(FLOW_STEP_ID),
} satisfies Partial<Record<KeyAction, RunKey>>

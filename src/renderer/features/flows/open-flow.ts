/** Selectors of the flow in the address: plan, runs, shown run, and places to select in it. */
import { stepFailure } from '../../../shared/flow-diagram/failure-reason.ts'
import { actorLabels } from '../../../shared/flow-diagram/words.ts'
import type {
  FlowPlan,
  FlowPlanStep,
  FlowRun,
  FlowRunStep,
} from '../../../shared/model/flow-run.ts'
import type { Outcome } from '../../../shared/model/outcomes.ts'
import { isFailedStep, outcomeOfStep, stepOutcomes } from '../../../shared/model/flow-outcomes.ts'
import type { Data } from '../../core-data/data.ts'
import { ALL_FLOW_RUNS } from '../../core-data/events.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'
import { isRunOf } from './flow-table.ts'

/** The text of a flow file that was opened. */
export interface FlowFile {
  readonly name: string
  readonly text: string
}

interface FlowsContext {
  readonly data: Data
  readonly navigation: Pick<NavigationSlice, 'at'>
  readonly flows: { readonly file: FlowFile | null }
}

/** Value of `run` in an address for the plan; a missing `run` means the latest run. */
export const PLAN_RUN = 'plan'

export function isFlowOpen({ navigation: { at } }: Pick<FlowsContext, 'navigation'>): boolean {
  return at.flows.flow !== undefined || at.flows.file !== undefined
}

/**
 * Returns the name of a built-in flow or the text of a file; null for the list and for a file that
 * is not open.
 */
function flowRefOf({ navigation, flows: { file } }: Omit<FlowsContext, 'data'>) {
  const { flow, file: name } = navigation.at.flows
  if (flow !== undefined) return { name: flow }
  return name !== undefined && name === file?.name
    ? { source: { text: file.text, file: name } }
    : null
}

/** Returns the shown flow with its plan, run and place, as far as they are loaded. */
export function addressedFlow(state: FlowsContext) {
  const { data, navigation } = state
  const { run: runInAddress, step } = navigation.at.flows
  const flowRef = flowRefOf(state)
  const plan = flowRef === null ? null : (data.cachedOutput('flows.get', flowRef)?.flow ?? null)
  const all = data.cachedOutput('flows.runs', ALL_FLOW_RUNS)?.runs ?? []
  const runs = plan === null ? [] : all.filter((run) => isRunOf(plan, run))
  const runId =
    flowRef === null || runInAddress === PLAN_RUN ? null : (runInAddress ?? runs[0]?.id ?? null)
  const run = runId === null ? null : (data.cachedOutput('flows.run', { runId })?.run ?? null)
  const shownFlow = run ?? plan
  const places = shownFlow === null ? [] : placesOf(shownFlow)
  const chosen = places.find((place) => place.name === step) ?? null
  return {
    flowRef,
    plan,
    /** Newest first. */
    runs,
    runId,
    /** Run on display; null shows the plan. */
    run,
    places,
    chosen,
    shown: chosen ?? defaultPlace(places, run),
  }
}

export function isRunning(run: Pick<FlowRun, 'state'> | null | undefined): boolean {
  return run?.state === 'running' || run?.state === 'paused'
}

export interface FlowPlace extends Pick<
  FlowRunStep,
  'deliveryId' | 'response' | 'arrived' | 'businessAt' | 'message' | 'fix' | 'checks'
> {
  /** A step's number, or the ID of an unexpected delivery: as in the diagram. */
  readonly id: string
  /** Name of the place in the address. */
  readonly name: string
  readonly title: string
  readonly outcome: Outcome
  readonly isBad: boolean
  /** `Step 3 of 7 · Service → Countersign`. */
  readonly positionText: string
  /** Step of the place; null for an unexpected delivery. */
  readonly step: FlowPlanStep | null
}

const planned = {
  ...{ deliveryId: null, response: null, arrived: null, businessAt: null },
  ...{ message: '', fix: null, checks: [] },
}

export function placesOf({ steps, ...drawn }: FlowPlan | FlowRun): readonly FlowPlace[] {
  const all = steps.map((step: FlowPlanStep | FlowRunStep): FlowPlace => {
    const run = 'state' in step ? step : null
    const { index, from, to, name, title } = step
    const isBad = run !== null && isFailedStep(run)
    const ends = from === to ? actorLabels[from] : `${actorLabels[from]} → ${actorLabels[to]}`
    return {
      ...(run ?? planned),
      ...{ id: String(index), name, step },
      // A failed step is named by what happened, as its expectation reads like a success.
      title: isBad ? stepFailure(run, steps) : title,
      outcome: outcomeOfStep(run),
      isBad,
      positionText: `Step ${index + 1} of ${steps.length} · ${ends}`,
    }
  })
  const strays = 'strays' in drawn ? drawn.strays : []
  return [
    ...all,
    ...strays.map((unexpected): FlowPlace => ({
      ...planned,
      ...unexpected,
      ...{
        id: unexpected.deliveryId,
        name: unexpected.deliveryId,
        title: unexpected.event ?? 'Delivery',
      },
      outcome: stepOutcomes[unexpected.kind],
      isBad: true,
      positionText: 'No step expects this delivery',
      step: null,
    })),
  ]
}

/**
 * Returns the place to show if none is selected: the last action of a paused run, else the first
 * failure, the current step, or the last delivery; in a plan the first step that expects something.
 */
export function defaultPlace(
  places: readonly FlowPlace[],
  run: Pick<FlowRun, 'state' | 'current'> | null,
): FlowPlace | undefined {
  const current = Math.max(0, run?.current ?? 0)
  const last =
    run?.state === 'paused'
      ? places.slice(0, current).findLast(({ outcome }) => outcome.glyph !== 'skip')
      : undefined
  return (
    last ??
    places.find(({ isBad, step }) => isBad || (run === null && step?.expected != null)) ??
    places[current] ??
    places.findLast(({ deliveryId }) => deliveryId !== null) ??
    places.at(-1)
  )
}

const PLACE = 'data-flow-place'

export function placeElement(id: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[${PLACE}="${CSS.escape(id)}"]`)
}

export function isPlaceFocused(): boolean {
  return document.activeElement?.hasAttribute(PLACE) === true
}

/** Focuses a place, which selects it. False if none is drawn. */
export function focusPlace(id: string): boolean {
  const element = placeElement(id)
  element?.focus()
  element?.scrollIntoView({ block: 'nearest' })
  return element !== null
}

/** Moves from the selected place by a number of places; `Infinity` moves to the last. */
export function movePlace(by: number): boolean {
  const all = [...document.querySelectorAll<HTMLElement>(`[${PLACE}]`)]
  const at = all.findIndex((element) => element.getAttribute('tabindex') === '0')
  const next = all[Math.max(0, Math.min(all.length - 1, at + by))]
  return next !== undefined && focusPlace(next.getAttribute(PLACE) ?? '')
}

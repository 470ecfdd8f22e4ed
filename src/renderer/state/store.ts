/** The one store of the window: the state of each feature under its name. */
import { createStore as createVanillaStore, type StoreApi } from 'zustand/vanilla'
import { createBodySlice, type BodySlice } from '../features/body/body-slice.ts'
import { createCheckSlice } from '../features/check/check-slice.ts'
import { createCompareSlice } from '../features/compare/compare-slice.ts'
import { createDetailSlice, type DetailSlice } from '../features/detail/detail-slice.ts'
import { createLifecycleSlice, type LifecycleSlice } from '../features/detail/lifecycle-slice.ts'
import { createSendsSlice, type SendsSlice } from '../features/detail/sends-slice.ts'
import { createSignatureSlice, type SignatureSlice } from '../features/detail/signature-slice.ts'
import { createExchangeSlice } from '../features/exchange/exchange-slice.ts'
import { createImportSlice } from '../features/exchange/import-slice.ts'
import { createFirstWalkSlice } from '../features/first-walk/first-walk-slice.ts'
import { createFlowRunsSlice } from '../features/flows/flow-runs-slice.ts'
import { createFlowViewSlice } from '../features/flows/flow-view-slice.ts'
import { createFlowsSlice } from '../features/flows/flows-slice.ts'
import { createForwardSlice } from '../features/forward/forward-slice.ts'
import { createHookActionsSlice } from '../features/hooks/hook-actions-slice.ts'
import { createHookActivitySlice } from '../features/hooks/hook-activity-slice.ts'
import { createTunnelSlice } from '../features/hooks/tunnel-slice.ts'
import { createFilterMarksSlice, type FilterMarksSlice } from '../features/list/filter-marks-slice.ts'
import { createFilterSlice, type FilterSlice } from '../features/list/filter-slice.ts'
import { createListSlice, type ListSlice } from '../features/list/list-slice.ts'
import { createMarksSlice, type MarksSlice } from '../features/list/marks-slice.ts'
import { createSavedViewsSlice } from '../features/list/saved-views-slice.ts'
import { createSelectionSlice, type SelectionSlice } from '../features/list/selection-slice.ts'
import { createRepairSlice } from '../features/repair/repair-slice.ts'
import { createReplaySlice } from '../features/replay/replay-slice.ts'
import { createSandboxActionsSlice } from '../features/sandbox/sandbox-actions-slice.ts'
import { createSandboxSlice } from '../features/sandbox/sandbox-slice.ts'
import { createEnvironmentsSlice } from '../features/settings/environments-slice.ts'
import { createSettingsSlice } from '../features/settings/settings-slice.ts'
import { createStorageSlice } from '../features/settings/storage-slice.ts'
import { createShrinkSlice } from '../features/shrink/shrink-slice.ts'
import { createAuthoritiesSlice } from './authorities-slice.ts'
import { createEntitiesSlice } from './entities-slice.ts'
import { featureTools, type FeatureTools } from './feature-tools.ts'
import { createNavigationSlice } from './navigation-slice.ts'
import { createPreferencesSlice } from './preferences-slice.ts'
import type { SliceContext } from './slice-context.ts'

/** Each feature, and the slices that its state is made of. */
const features = {
  navigation: [createNavigationSlice],
  authorities: [createAuthoritiesSlice],
  preferences: [createPreferencesSlice],
  core: [createEntitiesSlice],
  views: [createSavedViewsSlice],
  tour: [createFirstWalkSlice],
  hooks: [createHookActionsSlice, createHookActivitySlice],
  compare: [createCompareSlice],
  importing: [createImportSlice],
  exporting: [createExchangeSlice],
  repair: [createRepairSlice],
  environments: [createEnvironmentsSlice],
  storage: [createStorageSlice],
  settings: [createSettingsSlice],
  sandbox: [createSandboxSlice, createSandboxActionsSlice],
  flows: [createFlowsSlice, createFlowRunsSlice, createFlowViewSlice],
  shrink: [createShrinkSlice],
  tunnel: [createTunnelSlice],
  forward: [createForwardSlice],
  replay: [createReplaySlice],
  check: [createCheckSlice],
} as const

type Slice<State, Around> = (tools: FeatureTools<State, Around>) => object
type Together<Parts> = (Parts extends unknown ? (part: Parts) => void : never) extends (whole: infer Whole) => void
  ? Whole
  : never
type FeatureStates = {
  readonly [Name in keyof typeof features]: Together<ReturnType<(typeof features)[Name][number]>>
}

export type AppState = FeatureStates &
  ListSlice &
  FilterSlice &
  FilterMarksSlice &
  DetailSlice &
  BodySlice &
  LifecycleSlice &
  SelectionSlice &
  MarksSlice &
  SendsSlice &
  SignatureSlice
export type AppStore = StoreApi<AppState>

/** Holds each slice to what the store gives it: the state of its feature, and of all others. */
const slices: { readonly [Name in keyof FeatureStates]: readonly Slice<FeatureStates[Name], AppState>[] } = features

export function createStore(context: SliceContext): AppStore {
  return createVanillaStore<AppState>()((...tools) => {
    const [set, get, { subscribe }] = tools
    const stateOf = <Name extends keyof FeatureStates>(name: Name) => {
      const own = featureTools<FeatureStates, Name>(name, context, { set, get, subscribe }) as FeatureTools<
        FeatureStates[Name],
        AppState
      >
      return Object.assign({}, ...slices[name].map((slice) => slice(own))) as FeatureStates[Name]
    }
    const names = Object.keys(features) as (keyof FeatureStates)[]
    return {
      ...(Object.fromEntries(names.map((name) => [name, stateOf(name)])) as unknown as FeatureStates),
      ...createListSlice(context)(...tools),
      ...createFilterSlice(context)(...tools),
      ...createFilterMarksSlice(context)(...tools),
      ...createDetailSlice(context)(...tools),
      ...createBodySlice(context)(...tools),
      ...createLifecycleSlice(context)(...tools),
      ...createSelectionSlice(context)(...tools),
      ...createMarksSlice(context)(...tools),
      ...createSendsSlice(context)(...tools),
      ...createSignatureSlice(context)(...tools),
    }
  })
}

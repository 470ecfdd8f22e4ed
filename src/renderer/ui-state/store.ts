/** The window's single store: each feature's state under its name. */
import { createStore as createVanillaStore, type StoreApi } from 'zustand/vanilla'
import { createCompareSlice } from '../features/compare/compare-slice.ts'
import { createDetailSlice } from '../features/detail/detail-slice.ts'
import { createExportSlice } from '../features/import-export/export-slice.ts'
import { createTourSlice } from '../features/tour/tour-slice.ts'
import { createFlowsSlice } from '../features/flows/flows-slice.ts'
import { createHandlersSlice } from '../features/handlers/handlers-slice.ts'
import { createHooksSlice } from '../features/hooks/hooks-slice.ts'
import { createFilterSlice } from '../features/list/filter-slice.ts'
import { createSavedViewsSlice } from '../features/list/saved-views-slice.ts'
import { createBodyValuesSlice } from '../features/list/body-values-slice.ts'
import { createListSlice } from '../features/list/list-slice.ts'
import { createMarksSlice } from '../features/list/marks-slice.ts'
import { createSelectionSlice } from '../features/list/selection-slice.ts'
import { createReplaySlice } from '../features/replay/replay-slice.ts'
import { createSandboxSlice } from '../features/sandbox/sandbox-slice.ts'
import { createSettingsSlice } from '../features/settings/settings-slice.ts'
import type { Data } from '../core-data/data.ts'
import { createAuthoritiesSlice } from './authorities-slice.ts'
import { createConsentSlice } from './consent-slice.ts'
import { createCoreSlice } from './core-slice.ts'
import { createFailuresSlice } from './failures-slice.ts'
import { featureTools, type FeatureTools } from './feature-tools.ts'
import { createMenuSlice } from './menu-slice.ts'
import { createNavigationSlice } from './navigation-slice.ts'
import { createPreferencesSlice } from './preferences-slice.ts'
import type { SliceContext } from './feature-tools.ts'
import { createShareSlice } from '../features/import-export/share-slice.ts'
import { createImportSlice } from '../features/import-export/import-slice.ts'
import { createFilesSlice } from './files-slice.ts'

const features = {
  core: [createCoreSlice],
  navigation: [createNavigationSlice],
  preferences: [createPreferencesSlice],
  authorities: [createAuthoritiesSlice],
  consent: [createConsentSlice],
  files: [createFilesSlice],
  list: [createListSlice],
  bodyValues: [createBodyValuesSlice],
  filter: [createFilterSlice],
  views: [createSavedViewsSlice],
  selection: [createSelectionSlice],
  marks: [createMarksSlice],
  menu: [createMenuSlice],
  detail: [createDetailSlice],
  compare: [createCompareSlice],
  replay: [createReplaySlice],
  exporting: [createExportSlice],
  sharing: [createShareSlice],
  importing: [createImportSlice],
  handlers: [createHandlersSlice],
  hooks: [createHooksSlice],
  flows: [createFlowsSlice],
  sandbox: [createSandboxSlice],
  tour: [createTourSlice],
  settings: [createSettingsSlice],
  failures: [createFailuresSlice],
} as const

type Slice<State, Others> = (tools: FeatureTools<State, Others>) => object
type Intersection<Parts> = (Parts extends unknown ? (part: Parts) => void : never) extends (
  whole: infer Whole,
) => void
  ? Whole
  : never
type Slices = {
  readonly [Name in keyof typeof features]: Intersection<
    ReturnType<(typeof features)[Name][number]>
  >
}
export type AppState = Slices & {
  /** Cache for code outside components, which use `useData` and `useRead`. */
  readonly data: Data
}
export type AppStore = StoreApi<AppState>

/** All slices, typed so that each asks only for its own state and that of other features. */
const slices: { readonly [Name in keyof Slices]: readonly Slice<AppState[Name], AppState>[] } =
  features

export function createStore(context: SliceContext): AppStore {
  return createVanillaStore<AppState>()((set, get, { subscribe }) => {
    const stateOf = <Name extends keyof Slices>(name: Name) => {
      const tools = featureTools<AppState, Name>(name, context, { set, get, subscribe })
      return Object.assign({}, ...slices[name].map((slice) => slice(tools))) as AppState[Name]
    }
    const names = Object.keys(features) as (keyof Slices)[]
    const state = Object.fromEntries(names.map((name) => [name, stateOf(name)]))
    return { ...state, data: context.data } as unknown as AppState
  })
}

/** The state of replays, and what its actions share. */
import { z } from 'zod'
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { AuthoritiesSlice } from '../../ui-state/authorities-slice.ts'
import type { CoreSlice } from '../../ui-state/core-slice.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'
import { draftSchema, type Draft } from './draft.ts'

/** Deliveries to replay: specific ones, or all that match a query; or a new request. */
export type ReplaySource =
  | {
      readonly kind: 'rows'
      readonly rows: readonly DeliveryRow[]
      readonly wantsAuthority?: true
    }
  | { readonly kind: 'query'; readonly query: string }
  | { readonly kind: 'new' }

export type ReplayInput = Omit<InputOf<'replay.start'>, 'allowHosts' | 'live' | 'most'>
export type ComposeInput = Omit<InputOf<'replay.compose'>, 'allowHosts' | 'live'>

export interface ReplayState {
  /** Changed drafts, keyed by the deliveries they replay; kept over closing and reload. */
  readonly drafts: ReadonlyMap<string, Draft>
  /** Words for the changes of the composer's requests, by replay. */
  readonly sentWords: ReadonlyMap<string, string>
  /** Subject of the composer or target dialog. */
  readonly source: ReplaySource | null
  /** Handler whose runs the dialog compares; null for the current one. */
  readonly compared: string | null
}

/** Other features' state that the slice uses. */
interface ReplayContext {
  readonly core: CoreSlice
  readonly authorities: AuthoritiesSlice
  readonly navigation: NavigationSlice
}

export type ReplayTools = FeatureTools<ReplayState, ReplayContext>

export const storedDraftsSchema = z.array(z.tuple([z.string(), draftSchema]))

/** The state of actions on deliveries, and what its actions share. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'
import type { FilterSlice } from './filter-slice.ts'
import type { ListSlice } from './list-slice.ts'
import type { SelectionSlice } from './selection-slice.ts'
import type { UndoHistory } from './undo-history.ts'

export interface OpenMarks {
  /** Deliveries of the open dialog: for a note, or to confirm deleting pinned ones. */
  readonly concerned: readonly DeliveryRow[]
  /** Unsaved notes by the ids of their deliveries, so that Escape discards nothing. */
  readonly typed: ReadonlyMap<string, string>
}

export const initialMarks: OpenMarks = { concerned: [], typed: new Map() }

/** Other features' state that the slice uses. */
export interface MarksContext {
  readonly list: ListSlice
  readonly filter: FilterSlice
  readonly selection: SelectionSlice
  readonly navigation: NavigationSlice
  readonly detail: { close(): void }
}

export interface MarksTools extends FeatureTools<OpenMarks, MarksContext> {
  readonly history: UndoHistory
  openDelivery(): DeliveryRow | undefined
}

/** The state of the detail pane: its display, and what its commands share. */
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import type { CoreSlice } from '../../ui-state/core-slice.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'

export const bodyViews = ['tree', 'formatted', 'text', 'hex'] as const

interface StoredSide {
  readonly kind: 'delivery'
  readonly id: string
}

/** Other features' state that the slice uses. */
interface DetailContext {
  readonly core: Pick<CoreSlice, 'status' | 'hooks'>
  readonly navigation: NavigationSlice
  readonly list: {
    readonly selectedSeq: number | null
    readonly rows: { readonly rows: ReadonlyMap<number, DeliveryRow> }
    show(row: DeliveryRow): void
    moveSelection(by: number): Promise<DeliveryRow | null>
  }
  readonly compare: { start(left: StoredSide, right: StoredSide): Promise<void> }
}

/** Views and tools of the detail pane. */
export interface Display {
  /** Whether the pane takes the whole width. */
  readonly full: boolean
  /** Incremented when the heading should take the focus. */
  readonly focus: number
  readonly bodyView: (typeof bodyViews)[number]
  /** Id of the delivery whose whole body is loaded. */
  readonly wholeBodyId: string | null
  /** Id of the delivery whose compressed body is shown as received. */
  readonly asReceived: string | null
  /** Path that the body's tree selects once it is drawn. */
  readonly shownPath: { readonly id: string; readonly path: string } | null
  readonly rawView: 'text' | 'hex'
  readonly rawSide: 'request' | 'response'
  /** Tool that is open when the Signature tab appears. */
  readonly signatureTool: 'try' | 'code' | null
  /** Id of the replay that History shows. */
  readonly sendId: string | null
  readonly snippetLanguage: string
}

export const initialDisplay: Display = {
  full: false,
  focus: 0,
  bodyView: 'tree',
  wholeBodyId: null,
  asReceived: null,
  shownPath: null,
  rawView: 'text',
  rawSide: 'request',
  signatureTool: null,
  sendId: null,
  snippetLanguage: 'node',
}

export type DetailTools = FeatureTools<Display, DetailContext>

/** A column of the list. */
import type { ReactNode } from 'react'
import type { DeliveryRow, SortKey } from '../../../shared/model/delivery.ts'
import type { Environment } from '../../../shared/model/environment.ts'

type ColumnId =
  | 'signature'
  | 'time'
  | 'event'
  | 'amount'
  | 'issues'
  | 'handler'
  | 'merchant'
  | 'path'

export type BodyColumnId = `body:${string}`

export interface Column {
  readonly id: ColumnId | BodyColumnId
  readonly title: string
  /** Width, and the list widths below which the column is narrower or hidden. */
  readonly className: string
  /** Key to sort by; null if the column has no order. */
  readonly sort: SortKey | null
  readonly isRight?: true
  readonly cell: (row: DeliveryRow, environments: readonly Environment[]) => ReactNode
}

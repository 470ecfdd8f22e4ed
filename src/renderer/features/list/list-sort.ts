/** The order of the list, and its text in the address. */
import { sortKeySchema, type SortKey } from '../../../shared/model/delivery.ts'
import { orderOf, type RowList } from './row-list.ts'

export interface ListSort {
  readonly by: SortKey
  readonly descending: boolean
}

export const NEWEST_FIRST: ListSort = { by: 'time', descending: true }

/** Returns a sort as the address and the command line name it: `amount`, `-amount`. */
export const sortText = ({ by, descending }: ListSort): string => `${descending ? '-' : ''}${by}`

/** Parses a sort; an unknown one is the newest first. */
export function parseSort(text: string): ListSort {
  const by = sortKeySchema.safeParse(text.replace(/^-/, ''))
  return by.success ? { by: by.data, descending: text.startsWith('-') } : NEWEST_FIRST
}

export const isNewestFirst = ({ by, descending }: ListSort): boolean => by === 'time' && descending

export const listOrder = (sort: ListSort, seqs: readonly number[]): RowList['order'] =>
  isNewestFirst(sort) ? orderOf(seqs) : 'fixed'

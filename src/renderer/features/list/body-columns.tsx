/** Columns of the list with values from the body. */
import { useEffect } from 'react'
import type { DeliveryRow } from '../../../shared/model/delivery.ts'
import { termOf } from '../../../shared/query/edit-query.ts'
import { useApp, useAppStore } from '../../ui-state/use-app.ts'
import type { MenuValue } from '../../ui/menu-value.ts'
import { bodyColumnsOf, type BodyTexts } from './body-values-slice.ts'
import { TruncatedText } from './column-cells.tsx'
import type { BodyColumnId, Column } from './column.ts'

const PREFIX = 'body:'
const BASE = 'min-w-0 flex-[2_1_92px] pl-3'
/** Classes of the nth column, hidden where the event would have no room. */
const columnClasses = [
  `${BASE} @max-[900px]:flex-[0_1_64px] @max-[780px]:hidden`,
  `${BASE} @max-[1000px]:hidden`,
  `${BASE} @max-[1090px]:hidden`,
  `${BASE} @max-[1180px]:hidden`,
] as const

/** Classes that hide the last columns earlier, by the number of body columns. */
const yieldingClasses: Readonly<Record<string, readonly string[]>> = {
  merchant: [
    '',
    '@max-[1050px]:hidden',
    '@max-[1140px]:hidden',
    '@max-[1230px]:hidden',
    '@max-[1320px]:hidden',
  ],
  path: [
    '',
    '@max-[1170px]:hidden',
    '@max-[1260px]:hidden',
    '@max-[1350px]:hidden',
    '@max-[1440px]:hidden',
  ],
}

function BodyCell({ seq, index }: { readonly seq: number; readonly index: number }) {
  const text = useApp((state) => state.bodyValues.values.get(seq)?.[index] ?? null)
  return (
    text !== null && (
      <span className="flex min-w-0 data">
        <TruncatedText text={text} />
      </span>
    )
  )
}

/** Returns the columns of the list with those of the body before the path. */
export function withBodyColumns(
  columns: readonly Column[],
  paths: readonly string[],
): readonly Column[] {
  if (paths.length === 0) return columns
  const own = paths.map((path, index): Column => ({
    id: `${PREFIX}${path}`,
    title: path,
    className: columnClasses[index] ?? '',
    sort: null,
    cell: ({ seq }) => <BodyCell seq={seq} index={index} />,
  }))
  const others = columns.map((column) => ({
    ...column,
    className: `${column.className} ${yieldingClasses[column.id]?.[paths.length] ?? ''}`,
  }))
  return [
    ...others.filter(({ id }) => id !== 'path'),
    ...own,
    ...others.filter(({ id }) => id === 'path'),
  ]
}

export const useBodyColumnPaths = () => useApp((state) => bodyColumnsOf(state.core))

/** Reads the values of the rows in view. */
export function useBodyValues(seqs: readonly number[], first: number, end: number): void {
  const store = useAppStore()
  const hasColumns = useBodyColumnPaths().length > 0
  useEffect(() => {
    if (hasColumns) store.getState().bodyValues.show(seqs.slice(first, end))
  }, [store, hasColumns, seqs, first, end])
}

export const isBodyColumn = (id: Column['id']): id is BodyColumnId => id.startsWith(PREFIX)

/** Returns the value behind a cell, with a term that finds it; null for an empty cell. */
export function bodyCellValue(
  { seq }: DeliveryRow,
  id: BodyColumnId,
  paths: readonly string[],
  values: ReadonlyMap<number, BodyTexts>,
): MenuValue | null {
  const path = id.slice(PREFIX.length)
  const text = values.get(seq)?.[paths.indexOf(path)]
  return text == null ? null : { name: path, text, term: termOf(path, text) }
}

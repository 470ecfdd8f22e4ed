/** The columns of the list. Widths follow the list's width; cells are cheap to draw. */
import { Menu } from '@base-ui/react/menu'
import { Check } from 'lucide-react'
import { useMemo } from 'react'
import type { SortKey } from '../../../shared/model/delivery.ts'
import { useApp } from '../../ui-state/use-app.ts'
import type { Column } from './column.ts'
import { useBodyColumnPaths, withBodyColumns } from './body-columns.tsx'
import {
  TruncatedText,
  SignatureCell,
  TimeCell,
  EventCell,
  AmountCell,
  IssuesCell,
  HandlerCell,
  PathCell,
} from './column-cells.tsx'

export const COLUMNS: readonly Column[] = [
  {
    id: 'signature',
    title: 'Signature',
    className: 'w-[106px] shrink-0 @max-[840px]:w-24 @max-[400px]:w-6',
    sort: 'verdict',
    cell: SignatureCell,
  },
  {
    id: 'time',
    title: 'Time',
    className: 'w-[100px] shrink-0 @max-[760px]:w-16 @max-[520px]:w-[62px]',
    sort: 'time',
    cell: TimeCell,
  },
  {
    id: 'event',
    title: 'Event',
    // Grows before any other column.
    className: 'max-w-[232px] min-w-0 flex-[100_1_0] @max-[840px]:max-w-[180px] @max-[599px]:pr-1',
    sort: 'event',
    cell: EventCell,
  },
  {
    id: 'amount',
    title: 'Amount',
    className: 'w-[140px] shrink-0 @max-[640px]:hidden',
    sort: 'amount',
    isRight: true,
    cell: AmountCell,
  },
  {
    id: 'issues',
    title: 'Issues',
    className:
      'min-w-0 flex-[1_0_168px] @max-[840px]:flex-[1_0_123px] @max-[599px]:w-10 @max-[599px]:flex-none',
    sort: 'schema-errors',
    cell: IssuesCell,
  },
  {
    id: 'handler',
    title: 'Your handler',
    className: 'w-[92px] shrink-0 @max-[840px]:w-[76px] @max-[520px]:w-16 @max-[400px]:w-14',
    sort: 'handler',
    cell: HandlerCell,
  },
  {
    id: 'merchant',
    title: 'Merchant',
    className: 'w-[140px] shrink-0 pl-3 @max-[980px]:hidden',
    sort: 'merchant',
    cell: ({ merchant }) => <TruncatedText text={merchant ?? ''} />,
  },
  {
    id: 'path',
    title: 'Path',
    className: 'min-w-0 flex-[3_0_120px] pl-3 @max-[1120px]:hidden',
    sort: 'path',
    cell: PathCell,
  },
]

/** Returns the columns that the user doesn't hide; the array changes only with them. */
export function useColumns(): readonly Column[] {
  const { hidden } = useApp((state) => state.preferences.columns)
  const paths = useBodyColumnPaths()
  return useMemo(
    () =>
      withBodyColumns(
        COLUMNS.filter(({ id }) => !hidden.includes(id)),
        paths,
      ),
    [hidden, paths],
  )
}

/** Returns the name of the column that sorts by a key, such as `merchant`. */
export function columnWord(by: SortKey): string {
  return COLUMNS.find(({ sort }) => sort === by)?.title.toLowerCase() ?? by
}

/** Lists columns to show or hide; the verdict is always shown. */
export function ColumnItems() {
  const { hidden } = useApp((state) => state.preferences.columns)
  const setPreference = useApp((state) => state.preferences.set)
  return COLUMNS.map(({ id, title }) => {
    const isShown = !hidden.includes(id)
    const others = hidden.filter((other) => other !== id)
    return (
      <Menu.CheckboxItem
        key={id}
        checked={isShown}
        disabled={id === 'signature'}
        onCheckedChange={(checked) =>
          setPreference('columns', { hidden: checked ? others : [...others, id] })
        }
        className="flex h-7 items-center gap-2.5 rounded-small px-2 outline-none data-disabled:text-subtle data-highlighted:bg-control"
      >
        <span className="size-[13px]">{isShown && <Check size={13} />}</span>
        {title}
      </Menu.CheckboxItem>
    )
  })
}

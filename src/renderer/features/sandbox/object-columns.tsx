/** Columns of the list of objects. */
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import type { SandboxObject, SandboxObjectKind } from '../../../shared/model/sandbox.ts'
import type { ListColumn } from '../../ui/list.tsx'
import { exactTime } from '../../ui/moment.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { fieldText, objectAmount, objectName, objectState } from './catalogue.ts'

const tones = { good: 'text-ok', waiting: 'text-warn', quiet: 'text-muted' } as const

const amountColumn: ListColumn<SandboxObject> = {
  name: 'Amount',
  className: 'w-[96px] shrink-0',
  right: true,
  cell: (object) => <span title={objectAmount(object)}>{objectAmount(object)}</span>,
}

const stateColumn: ListColumn<SandboxObject> = {
  name: 'State',
  className: 'w-[148px] shrink-0',
  cell(object) {
    const { word, tone } = objectState(object)
    return (
      <span title={word} className={tones[tone]}>
        {word}
      </span>
    )
  },
}

const columns: readonly ListColumn<SandboxObject>[] = [
  {
    name: 'Object',
    className: 'min-w-0 flex-1',
    cell: (object) => <span title={objectName(object)}>{objectName(object)}</span>,
  },
  stateColumn,
  {
    name: 'Created',
    className: 'w-[124px] shrink-0 @max-[560px]:hidden',
    cell(object) {
      const time = fieldText(object, 'created')
      return (
        <span className="data text-muted" title={time === '' ? undefined : exactTime(time)}>
          {time.slice(0, 16).replace('T', ' ')}
        </span>
      )
    },
  },
  {
    name: 'ID',
    className: 'w-[84px] shrink-0 @max-[460px]:hidden',
    cell: ({ id }) => (
      <span className="data text-subtle" title={id}>
        {visibleText(shortIdOf(id))}
      </span>
    ),
  },
]

const transactionColumns = [
  amountColumn,
  ...columns.map((column) =>
    column === stateColumn ? { ...column, className: 'w-[68px] shrink-0' } : column,
  ),
]

/** Returns the columns of a kind; transactions begin with their amount. */
export function objectColumns(kind: SandboxObjectKind): readonly ListColumn<SandboxObject>[] {
  return kind === 'transaction' ? transactionColumns : columns
}

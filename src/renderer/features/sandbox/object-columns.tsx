/** Columns of the lists of objects. */
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import { createOutcome } from '../../../shared/model/outcomes.ts'
import type { SandboxObject, SandboxObjectKind } from '../../../shared/model/sandbox.ts'
import type { ListColumn } from '../../ui/list.tsx'
import { exactTime } from '../../ui/moment.ts'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { capitalized } from '../../../shared/text/english.ts'
import { amountDigits } from '../../../shared/text/amount.ts'
import { fieldText, objectLine, objectState } from './catalogue.ts'

const outcomes = {
  good: createOutcome('pass', 'good', ''),
  waiting: createOutcome('waiting', 'warn', ''),
}

type Column = ListColumn<SandboxObject>

const payment: readonly Column[] = [
  {
    name: 'Amount',
    className: 'w-35 shrink-0 @max-[560px]:w-40',
    right: true,
    cell: (object) => (
      <span className="data font-medium">
        {amountDigits(Number(object.data['amount']), object.data['currency'])}
        <span className="ml-2 font-normal text-muted @min-[560px]:hidden">
          {fieldText(object, 'currency')}
        </span>
      </span>
    ),
  },
  {
    name: 'Currency',
    className: 'w-14 shrink-0 @max-[560px]:hidden',
    cell: (object) => <span className="data text-muted">{fieldText(object, 'currency')}</span>,
  },
  {
    name: 'Merchant',
    className: 'min-w-0 flex-1',
    cell: (object) => fieldText(object, 'brand.name'),
  },
]

const title: Column = {
  name: 'Name',
  className: 'min-w-0 flex-1',
  cell: (object) => <span title={objectLine(object)}>{objectLine(object)}</span>,
}

const others: readonly Column[] = [
  {
    name: 'State',
    className: 'w-26 shrink-0 @max-[400px]:w-20',
    cell(object) {
      const { word, tone } = objectState(object)
      return tone === 'quiet' ? (
        <span title={word} className="text-muted">
          {capitalized(word)}
        </span>
      ) : (
        <span title={word} className="flex">
          <OutcomeMark outcome={{ ...outcomes[tone], word }} />
        </span>
      )
    },
  },
  {
    name: 'Created, UTC',
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

const payments = [...payment, ...others]
const named = [title, ...others]

/** Returns the columns of a kind of objects; a payment has its amount's. */
export const objectColumnsOf = (kind: SandboxObjectKind) =>
  kind === 'transaction' ? payments : named

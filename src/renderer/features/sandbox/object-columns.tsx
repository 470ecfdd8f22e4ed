/** The list columns for each kind of object. */
import { Check, Minus, X } from 'lucide-react'
import type { SandboxObject, SandboxObjectKind } from '../../../shared/model/sandbox.ts'
import type { Scheme } from '../../../shared/service/resources.ts'
import { amountText } from '../../../shared/text/amount.ts'
import { exactTime } from '../../ui/moment.ts'
import type { RowColumn } from '../../ui/row-grid.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { valueAt } from './json-edit.ts'
import { cardText, fieldText, paymentState } from './object-words.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'

type Column = RowColumn<SandboxObject>

const id: Column = {
  name: 'ID',
  className: 'w-[84px] shrink-0 @max-[560px]:hidden',
  cell: (object) => (
    <span className="data text-subtle" title={object.id}>
      {visibleText(shortIdOf(object.id))}
    </span>
  ),
}

const created: Column = {
  name: 'Created',
  className: 'w-[124px] shrink-0 @max-[460px]:hidden',
  cell: (object) => <Time value={valueAt(object.data, 'created')} />,
}

function text(name: string, path: string, className = 'min-w-0 flex-1'): Column {
  return {
    name,
    className,
    cell: (object) => <span title={fieldText(object, path)}>{fieldText(object, path)}</span>,
  }
}

function schemeColumn(name: string, of: Scheme, width: string): Column {
  return {
    name,
    className: `${width} shrink-0`,
    cell: (object) => <SchemeState object={object} scheme={of} />,
  }
}

export const objectColumns: Readonly<Record<SandboxObjectKind, readonly Column[]>> = {
  transaction: [
    {
      name: 'Amount',
      className: 'w-[104px] shrink-0',
      right: true,
      cell: ({ data }) => (
        <span className="data">{amountText(data['amount'], data['currency'])}</span>
      ),
    },
    {
      name: 'Status',
      className: 'w-[64px] shrink-0',
      cell: (object) => <PaymentState object={object} />,
    },
    text('Brand', 'brand.name'),
    {
      name: 'Card',
      className: 'w-[120px] shrink-0 @max-[620px]:hidden',
      cell: (object) => (
        <span className="data text-muted">
          {fieldText(object, 'card.scheme')} …{fieldText(object, 'card.lastNumbers')}
        </span>
      ),
    },
    created,
    id,
  ],
  card: [
    {
      name: 'Card',
      className: 'min-w-0 flex-1',
      cell: (object) => <span className="data">{cardText(object)}</span>,
    },
    {
      name: 'Expires',
      className: 'w-[68px] shrink-0',
      cell: (object) => (
        <span className="data text-muted">
          {fieldText(object, 'expMonth').padStart(2, '0')}/{fieldText(object, 'expYear')}
        </span>
      ),
    },
    text('Country', 'countryCode', 'w-[60px] shrink-0 data text-muted'),
    created,
    id,
  ],
  location: [
    {
      name: 'Location',
      className: 'min-w-0 flex-1',
      cell: ({ title }) => <span title={visibleText(title)}>{visibleText(title)}</span>,
    },
    schemeColumn('Visa', 'visa', 'w-[36px]'),
    schemeColumn('Mastercard', 'mastercard', 'w-[64px]'),
    schemeColumn('Amex', 'amex', 'w-[36px]'),
    text('Currency', 'currency', 'w-[60px] shrink-0 data text-muted @max-[560px]:hidden'),
    created,
    id,
  ],
  brand: [
    text('Name', 'name'),
    {
      name: 'Consent',
      className: 'w-[84px] shrink-0',
      cell: ({ data }) =>
        data['consent'] === true ? (
          <Yes word="Given" />
        ) : (
          <span className="text-muted">Pending</span>
        ),
    },
    created,
    id,
  ],
  offer: [
    text('Name', 'name'),
    {
      name: 'Minimum',
      className: 'w-[88px] shrink-0',
      right: true,
      cell: ({ data }) => <span className="data text-muted">{String(data['minimumAmount'])}</span>,
    },
    {
      name: 'Start',
      className: 'w-[124px] shrink-0 @max-[560px]:hidden',
      cell: ({ data }) => <Time value={data['startsAt']} />,
    },
    {
      name: 'End',
      className: 'w-[124px] shrink-0',
      cell: ({ data }) =>
        data['endsAt'] === null ? (
          <span className="text-muted">No end</span>
        ) : (
          <Time value={data['endsAt']} />
        ),
    },
    id,
  ],
  program: [
    text('Name', 'name'),
    {
      name: 'Locations',
      className: 'w-[72px] shrink-0',
      right: true,
      cell: (object) => (
        <span className="data text-muted">{fieldText(object, 'syncStats.locations')}</span>
      ),
    },
    text('Status', 'syncStats.status', 'w-[72px] shrink-0 text-muted'),
    created,
    id,
  ],
}

const stateLooks = { pending: 'text-warn', cleared: 'text-ok', refund: 'text-muted' } as const

function PaymentState({ object }: { readonly object: SandboxObject }) {
  const state = paymentState(object)
  return <span className={stateLooks[state]}>{state}</span>
}

/** `2026-11-21 14:03`. The title has the full time. */
function Time({ value }: { readonly value: unknown }) {
  if (typeof value !== 'string') return null
  return (
    <span className="data text-muted" title={exactTime(value)}>
      {visibleText(value.slice(0, 16).replace('T', ' '))}
    </span>
  )
}

function Yes({ word }: { readonly word: string }) {
  return (
    <span className="inline-flex items-center gap-1 text-ok">
      <Check size={13} aria-hidden />
      {word}
    </span>
  )
}

/** Whether a location is active for a scheme, and whether auth events are sent. */
function SchemeState({
  object,
  scheme,
}: {
  readonly object: SandboxObject
  readonly scheme: Scheme
}) {
  const active = valueAt(object.data, `${scheme}.status`) === 'active'
  const auth = valueAt(object.data, `${scheme}.auth`) === true
  const words = active ? (auth ? 'active' : 'active, clearings only') : 'inactive'
  const Icon = active ? (auth ? Check : Minus) : X
  return (
    <span title={`${scheme}: ${words}`}>
      <Icon
        size={14}
        role="img"
        aria-label={words}
        className={active ? (auth ? 'text-ok' : 'text-warn') : 'text-subtle'}
      />
    </span>
  )
}

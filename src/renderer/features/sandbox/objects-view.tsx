/** Sandbox objects by kind, with details of the selected one. */
import { Plus, Search, Check, Minus, X } from 'lucide-react'
import { useMemo, type ReactNode } from 'react'
import type { SandboxObject, SandboxObjectKind } from '../../../shared/model/sandbox.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { List, type ListColumn } from '../../ui/list.tsx'
import { SplitPanes } from '../../ui/split-panes.tsx'
import { ObjectDetail } from './object-detail.tsx'
import { aKind, kindNames, objectKinds, cardText, fieldText, paymentState } from './object-words.ts'
import type { Scheme } from '../../../shared/service/resources.ts'
import { amountText } from '../../../shared/text/amount.ts'
import { exactTime } from '../../ui/moment.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { valueAt } from './json-edit.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'

export const OBJECT_FILTER_ID = 'sandbox-object-filter'

/** `objects`: of the environment, oldest first. */
export function ObjectsView({ objects }: { readonly objects: readonly SandboxObject[] }) {
  const {
    objectKind: kind,
    objectId: chosen,
    objectFilter: filter,
    showObject,
  } = useParts('sandbox', 'objectKind', 'objectId', 'objectFilter', 'showObject')
  const singleKeys = useApp((state) => state.preferences.singleKeys)
  const listed = useMemo(() => {
    const words = filter.trim().toLowerCase()
    const own = objects.filter((object) => object.kind === kind).toReversed()
    return words === ''
      ? own
      : own.filter((object) => JSON.stringify(object.data).toLowerCase().includes(words))
  }, [objects, kind, filter])
  const shown = listed.find(({ id }) => id === chosen) ?? listed[0]
  const list = (
    <section
      aria-label="Objects"
      data-pane="objects"
      className="flex h-full min-w-0 flex-col bg-ground"
    >
      <Kinds objects={objects} />
      <Bar />
      {shown === undefined ? (
        <NoObjects filtered={filter.trim() !== ''} />
      ) : (
        <List
          key={kind}
          label={kindNames[kind].many}
          rows={listed}
          idOf={({ id }) => id}
          columns={objectColumns[kind]}
          selectedId={shown.id}
          singleKeys={singleKeys}
          onSelect={showObject}
        />
      )}
    </section>
  )
  return (
    <SplitPanes
      name="sandbox-objects"
      className="min-h-0 flex-1"
      first={{ id: 'objects', content: list }}
      second={
        shown === undefined
          ? null
          : {
              id: 'object',
              defaultSize: '46%',
              content: <ObjectDetail object={shown} all={objects} />,
            }
      }
      resize="Resize object details"
    />
  )
}

function Kinds({ objects }: { readonly objects: readonly SandboxObject[] }) {
  const { objectKind: kind, setObjectKind } = useParts('sandbox', 'objectKind', 'setObjectKind')
  return (
    <div
      role="radiogroup"
      aria-label="Kind"
      className="@container flex shrink-0 flex-wrap items-center border-b border-line bg-surface px-2"
    >
      {objectKinds.map((one) => (
        <label
          key={one}
          className={classNames(
            'relative flex h-9 items-center gap-1.5 border-b-2 px-2 has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent',
            one === kind
              ? 'border-accent text-text'
              : 'border-transparent text-muted hover:text-text',
          )}
        >
          <input
            type="radio"
            name="sandbox-kind"
            value={one}
            checked={one === kind}
            onChange={() => setObjectKind(one)}
            className="absolute inset-0 opacity-0"
          />
          {kindNames[one].many}
          <span className="text-tiny text-subtle tabular-nums @max-[520px]:hidden">
            {objects.filter((object) => object.kind === one).length}
          </span>
        </label>
      ))}
    </div>
  )
}

function Bar() {
  const {
    objectKind: kind,
    objectFilter: filter,
    setObjectFilter,
    prepareTrigger,
  } = useParts('sandbox', 'objectKind', 'objectFilter', 'setObjectFilter', 'prepareTrigger')
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  return (
    <div className="flex h-10 shrink-0 items-center gap-2 border-b border-line bg-surface pr-3 pl-4">
      <Search size={14} aria-hidden className="shrink-0 text-subtle" />
      <input
        id={OBJECT_FILTER_ID}
        aria-label={`Filter ${kindNames[kind].many.toLowerCase()}`}
        placeholder="Text or ID"
        spellCheck={false}
        autoComplete="off"
        value={filter}
        onChange={(event) => setObjectFilter(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && filter !== '') setObjectFilter('')
        }}
        className="h-7 min-w-0 flex-1 bg-transparent outline-offset-2"
      />
      <Button
        icon={<Plus size={14} aria-hidden />}
        onClick={() => {
          if (kind === 'transaction') prepareTrigger({ event: 'transaction.auth' })
          else openOverlay('make-object')
        }}
      >
        {kind === 'transaction' ? 'Trigger payment' : `Create ${aKind(kind)}…`}
      </Button>
    </div>
  )
}

function NoObjects({ filtered }: { readonly filtered: boolean }) {
  const {
    objectKind: kind,
    environment,
    setObjectFilter,
    prepareTrigger,
  } = useParts('sandbox', 'objectKind', 'environment', 'setObjectFilter', 'prepareTrigger')
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  const { one, many } = kindNames[kind]
  if (filtered)
    return (
      <Message title={`No matching ${one}`} text="The filter searches every field, including IDs.">
        <Button kind="primary" onClick={() => setObjectFilter('')}>
          Clear filter
        </Button>
      </Message>
    )
  if (kind === 'transaction')
    return (
      <Message
        title={`No transactions in ${environment} yet`}
        text="Trigger a payment. It's listed here and can then be cleared and refunded."
      >
        <Button kind="primary" onClick={() => prepareTrigger({ event: 'transaction.auth' })}>
          Trigger payment
        </Button>
      </Message>
    )
  return (
    <Message
      title={`No ${many.toLowerCase()} in ${environment} yet`}
      text="Create one with realistic values that you can change."
    >
      <Button kind="primary" onClick={() => openOverlay('make-object')}>
        Create {aKind(kind)}…
      </Button>
    </Message>
  )
}

function Message({
  title,
  text,
  children,
}: {
  readonly title: string
  readonly text: string
  readonly children: ReactNode
}) {
  return (
    <div className="min-h-0 flex-1 px-8 pt-12">
      <h2 className="text-title font-medium">{title}</h2>
      <p className="mt-1 max-w-[480px] text-muted">{text}</p>
      <div className="mt-3">{children}</div>
    </div>
  )
}

// The list columns for each kind of object.

type Column = ListColumn<SandboxObject>

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

function textColumn(name: string, path: string, className = 'min-w-0 flex-1'): Column {
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

const objectColumns: Readonly<Record<SandboxObjectKind, readonly Column[]>> = {
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
    textColumn('Brand', 'brand.name'),
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
    textColumn('Country', 'countryCode', 'w-[60px] shrink-0 data text-muted'),
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
    textColumn('Currency', 'currency', 'w-[60px] shrink-0 data text-muted @max-[560px]:hidden'),
    created,
    id,
  ],
  brand: [
    textColumn('Name', 'name'),
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
    textColumn('Name', 'name'),
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
    textColumn('Name', 'name'),
    {
      name: 'Locations',
      className: 'w-[72px] shrink-0',
      right: true,
      cell: (object) => (
        <span className="data text-muted">{fieldText(object, 'syncStats.locations')}</span>
      ),
    },
    textColumn('Status', 'syncStats.status', 'w-[72px] shrink-0 text-muted'),
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

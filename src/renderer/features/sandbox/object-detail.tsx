/** The selected object: the objects it links to, the actions on it, and all its fields. */
import { Pencil, Send } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { SandboxObject, SandboxObjectKind } from '../../../shared/model/sandbox.ts'
import type { ShownEventType } from '../../../shared/service/event-type.ts'
import { useApp } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { Code } from '../../ui/code.tsx'
import { Middle } from '../../ui/middle.tsx'
import { EnvironmentName } from '../../ui/outcome-mark.tsx'
import { DetailPane, DetailScroll } from '../../ui/split-panes.tsx'
import { valueAt } from './json-edit.ts'
import { kindNames, objectLine, paymentState } from './object-words.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'

interface Reference {
  readonly path: string
  readonly kind: SandboxObjectKind
  /** The role of the referenced object. */
  readonly name: string
  /** The role of this object for the one it refers to. */
  readonly back: string
}

const references: Readonly<Record<SandboxObjectKind, readonly Reference[]>> = {
  program: [],
  brand: [],
  location: [
    { path: 'brandId', kind: 'brand', name: 'Brand', back: 'Locations' },
    { path: 'programId', kind: 'program', name: 'Program', back: 'Locations' },
  ],
  card: [{ path: 'programId', kind: 'program', name: 'Program', back: 'Cards' }],
  offer: [{ path: 'programId', kind: 'program', name: 'Program', back: 'Offers' }],
  transaction: [
    {
      path: 'originalTransactionId',
      kind: 'transaction',
      name: 'Refunded purchase',
      back: 'Refunds',
    },
    { path: 'card.id', kind: 'card', name: 'Card', back: 'Transactions' },
    { path: 'location.id', kind: 'location', name: 'Location', back: 'Transactions' },
    { path: 'brand.id', kind: 'brand', name: 'Brand', back: 'Transactions' },
    { path: 'programId', kind: 'program', name: 'Program', back: 'Transactions' },
  ],
}

interface Link {
  readonly name: string
  readonly id: string
  /** Null if the referenced object doesn't exist: set manually, or of the other mode. */
  readonly object: SandboxObject | null
}

/** Objects this one refers to, in the order of `references`. */
export function linksOf(
  { kind, data }: Pick<SandboxObject, 'kind' | 'data'>,
  all: readonly SandboxObject[],
): readonly Link[] {
  return references[kind].flatMap(({ path, kind: other, name }) => {
    const id = valueAt(data, path)
    if (typeof id !== 'string') return []
    return [
      { name, id, object: all.find((object) => object.kind === other && object.id === id) ?? null },
    ]
  })
}

interface BackLinks {
  readonly name: string
  /** Newest first. */
  readonly objects: readonly SandboxObject[]
}

/** Objects that refer to this one, by kind. */
export function backLinksOf(
  { kind, id }: Pick<SandboxObject, 'kind' | 'id'>,
  all: readonly SandboxObject[],
): readonly BackLinks[] {
  const groups = new Map<string, SandboxObject[]>()
  for (const object of all) {
    for (const { path, kind: other, back } of references[object.kind]) {
      if (other !== kind || valueAt(object.data, path) !== id) continue
      groups.set(back, [object, ...(groups.get(back) ?? [])])
    }
  }
  return [...groups].map(([name, objects]) => ({ name, objects }))
}

const LISTED = 5

export function ObjectDetail({
  object,
  all,
}: {
  readonly object: SandboxObject
  readonly all: readonly SandboxObject[]
}) {
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  const { kind, id, environment, mode, data } = object
  const links = useMemo(() => linksOf(object, all), [object, all])
  const back = useMemo(() => backLinksOf(object, all), [object, all])
  const json = JSON.stringify(data, null, 2)
  return (
    <DetailPane label="Object" pane="object">
      <header className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line pt-3 pr-3 pb-2.5 pl-5">
        <h2 className="flex min-w-0 flex-1 basis-56 items-baseline gap-2.5">
          <span className="min-w-0 truncate text-title font-medium">{objectLine(object)}</span>
          <span className="shrink-0 text-small text-subtle">{kindNames[kind].one}</span>
        </h2>
        <span className="flex items-center gap-1">
          <Button
            icon={<Pencil size={13} aria-hidden />}
            onClick={() => openOverlay('change-object')}
          >
            Edit…
          </Button>
          <TriggerButton object={object} />
        </span>
      </header>
      <DetailScroll key={id} label="Object details">
        <Facts>
          <Fact name="ID">
            <span className="data flex items-center gap-1">
              <Middle text={id} tail={12} />{' '}
              <CopyButton text={id} label="Copy ID" className="-my-1" />
            </span>
          </Fact>
          <Fact name="Environment">
            <EnvironmentName name={environment} mode={mode} />
          </Fact>
          {links.map(({ name, id: other, object: linked }) => (
            <Fact key={name} name={name}>
              {linked === null ? (
                <span className="data text-muted" title="Not found in this environment">
                  <ExactText text={other} />
                </span>
              ) : (
                <ObjectLink object={linked} />
              )}
            </Fact>
          ))}
          {back.map((group) => (
            <Back key={`${id} ${group.name}`} group={group} />
          ))}
        </Facts>
        <h3 className="mt-6 mb-1.5 flex items-center gap-2 font-medium">
          All fields
          <CopyButton text={json} label="Copy as JSON" />
        </h3>
        <Code
          label="All fields as JSON"
          className="overflow-hidden rounded-control border border-line"
          text={json}
          json
          mostRows={FIELD_ROWS}
        />
      </DetailScroll>
    </DetailPane>
  )
}

/** Longer objects scroll. */
const FIELD_ROWS = 40

function Back({ group: { name, objects } }: { readonly group: BackLinks }) {
  const [whole, setWhole] = useState(false)
  const listed = whole ? objects : objects.slice(0, LISTED)
  return (
    <Fact name={name}>
      <ul className="max-h-60 overflow-auto">
        {listed.map((object) => (
          <li key={object.id}>
            <ObjectLink object={object} />
          </li>
        ))}
      </ul>
      {listed.length < objects.length && (
        <Button
          kind="quiet"
          className="-ml-1.5 h-6 px-1.5 text-small"
          onClick={() => setWhole(true)}
        >
          and {objects.length - listed.length} more
        </Button>
      )}
    </Fact>
  )
}

function ObjectLink({ object }: { readonly object: SandboxObject }) {
  const showObject = useApp((state) => state.sandbox.showObject)
  return (
    <button
      type="button"
      onClick={() => showObject(object)}
      className="max-w-full rounded-small text-left hover:underline"
    >
      <span className="text-accent">{objectLine(object)}</span>{' '}
      <span className="data whitespace-nowrap text-subtle">
        {visibleText(shortIdOf(object.id))}
      </span>
    </button>
  )
}

/** The most common event for this object, or null. */
function eventOf(object: SandboxObject): ShownEventType | null {
  switch (object.kind) {
    case 'brand':
      return 'brand.consent'
    case 'card':
      return 'transaction.auth'
    case 'location':
      return 'location.status'
    case 'transaction': {
      const state = paymentState(object)
      return state === 'pending'
        ? 'transaction.clearing'
        : state === 'cleared'
          ? 'transaction.refund'
          : null
    }
    case 'offer':
    case 'program':
      return null
  }
}

const triggerWords: Partial<Record<ShownEventType, string>> = {
  'brand.consent': 'Consent…',
  'transaction.auth': 'Pay with card…',
  'location.status': 'Report location…',
  'transaction.clearing': 'Clear…',
  'transaction.refund': 'Refund…',
}

function TriggerButton({ object }: { readonly object: SandboxObject }) {
  const prepareTrigger = useApp((state) => state.sandbox.prepareTrigger)
  const event = eventOf(object)
  if (event === null) return null
  return (
    <Button
      icon={<Send size={13} aria-hidden />}
      title={`Trigger ${event} for it`}
      onClick={() => prepareTrigger({ event, of: object.id })}
    >
      {triggerWords[event]}
    </Button>
  )
}

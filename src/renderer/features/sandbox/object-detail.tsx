/**
 * The selected object: the objects it links to, the actions on it, and all its fields. Objects are
 * created and edited as JSON.
 */
import { Pencil, Send } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { InputOf } from '../../../shared/contract/contract.ts'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import type { SandboxObject, SandboxObjectKind } from '../../../shared/model/sandbox.ts'
import type { ShownEventType } from '../../../shared/service/event-type.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { FormEnd } from '../../ui/form-end.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactText, Middle } from '../../ui/exact-text.tsx'
import { Fact, Facts } from '../../ui/name-value-table.tsx'
import { EnvironmentName } from '../../ui/outcome-mark.tsx'
import { OverlayDialog } from '../../connected/overlay-dialog.tsx'
import { DetailPane, DetailScroll } from '../../ui/split-panes.tsx'
import { useForm } from '../../ui/use-form.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { changesBetween, readJsonObject, valueAt } from './json-edit.ts'
import { aKind, kindNames, objectLine, objectState } from './catalogue.ts'
import { useObjects, usePlace } from './use-sandbox.ts'
import { SelectField } from '../../ui/select.tsx'

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
  /** Referenced object; null if it does not exist in this mode. */
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
/** Longer objects scroll. */
const FIELD_ROWS = 40

type OnShow = (object: SandboxObject) => void

export function ObjectDetail({
  object,
  all,
  onShow,
}: {
  readonly object: SandboxObject
  readonly all: readonly SandboxObject[]
  readonly onShow: OnShow
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
          <Button icon={Pencil} onClick={() => openOverlay('change-object')}>
            Edit…
          </Button>
          <TriggerButton object={object} />
        </span>
      </header>
      <DetailScroll label="Object details">
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
                <ObjectLink object={linked} onShow={onShow} />
              )}
            </Fact>
          ))}
          {back.map((group) => (
            <Back key={group.name} group={group} onShow={onShow} />
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

function Back({
  group: { name, objects },
  onShow,
}: {
  readonly group: BackLinks
  readonly onShow: OnShow
}) {
  const [whole, setWhole] = useState(false)
  const listed = whole ? objects : objects.slice(0, LISTED)
  return (
    <Fact name={name}>
      <ul className="max-h-60 overflow-auto">
        {listed.map((object) => (
          <li key={object.id}>
            <ObjectLink object={object} onShow={onShow} />
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

function ObjectLink({
  object,
  onShow,
}: {
  readonly object: SandboxObject
  readonly onShow: OnShow
}) {
  return (
    <button
      type="button"
      onClick={() => onShow(object)}
      className="max-w-full rounded-small text-left hover:underline"
    >
      <span className="text-accent">{objectLine(object)}</span>{' '}
      <span className="data whitespace-nowrap text-subtle">
        {visibleText(shortIdOf(object.id))}
      </span>
    </button>
  )
}

/** Returns the next event of an object and the label of its button, or undefined. */
function nextOf(object: SandboxObject): readonly [ShownEventType, string] | undefined {
  switch (object.kind) {
    case 'brand':
      return ['brand.consent', 'consent']
    case 'card':
      return ['transaction.auth', 'payment']
    case 'location':
      return ['location.status', 'status']
    case 'transaction':
      return (
        {
          pending: ['transaction.clearing', 'clearing'],
          cleared: ['transaction.refund', 'refund'],
        } as const
      )[objectState(object).word]
    case 'offer':
    case 'program':
      return undefined
  }
}

function TriggerButton({ object }: { readonly object: SandboxObject }) {
  const prepareTrigger = useApp((state) => state.sandbox.prepareTrigger)
  const next = nextOf(object)
  if (next === undefined) return null
  const [event, what] = next
  return (
    <Button
      icon={Send}
      title={`Opens ${event} with this ${kindNames[object.kind].one}`}
      onClick={() => prepareTrigger({ event, of: object.id })}
    >
      Send {what}…
    </Button>
  )
}

export function ObjectDialogs() {
  const { kind, id, environment } = usePlace()
  const listed = useObjects()?.filter((object) => object.kind === kind) ?? []
  const object = listed.find((one) => one.id === id) ?? listed.at(-1) ?? null
  return (
    <>
      <OverlayDialog
        overlay="make-object"
        title={`Create ${aKind(kind)}`}
        description={`In ${environment}. Fields that you leave out are generated.`}
        wide
      >
        {(close) => <ObjectForm object={null} onDone={close} />}
      </OverlayDialog>
      <OverlayDialog
        overlay="change-object"
        ready={object !== null}
        title={`Edit ${kindNames[kind].one}`}
        {...(object === null ? {} : { description: objectLine(object) })}
        wide
      >
        {(close) => object !== null && <ObjectForm object={object} onDone={close} />}
      </OverlayDialog>
    </>
  )
}

function ObjectForm({
  object,
  onDone,
}: {
  readonly object: SandboxObject | null
  readonly onDone: () => void
}) {
  const { kind, environment, mode } = usePlace()
  const saveObject = useApp((state) => state.sandbox.saveObject)
  const programs = useObjects()?.filter((one) => one.kind === 'program') ?? []
  // The object may change while the dialog is open, so only what the user edits is set.
  const [from] = useState(object?.data ?? {})
  const live = mode === 'live'
  const form = useForm({
    begin: () => ({
      programId: '',
      text: object === null ? '{\n  \n}' : JSON.stringify(object.data, null, 2),
    }),
    submit({ programId }) {
      const set = edit.set as InputOf<'sandbox.create'>['set']
      const change = { environment, set }
      return saveObject(
        object === null
          ? { ...change, kind, ...(programId === '' ? {} : { programId }) }
          : { ...change, id: object.id, unset: [...edit.unset] },
      )
    },
    onDone,
  })
  const { draft, change } = form
  const read = readJsonObject(draft.text)
  const edit = changesBetween(from, read.ok ? read.value : from)
  const problems = read.ok ? edit.problems.map(({ message }) => ({ message, at: null })) : [read]
  const changed = [
    ...Object.keys(edit.set).map((path) => `Sets ${path}.`),
    ...edit.unset.map((path) => `Removes ${path}.`),
  ].join(' ')
  const effect = object === null ? effectOf(kind, live) : changed
  return (
    <form className="flex flex-col gap-3" {...form.element}>
      {object === null && programs.length > 1 && kind !== 'brand' && kind !== 'program' && (
        <SelectField
          label="Program"
          choices={[
            { value: '', label: 'First program' },
            ...programs.map((program) => ({
              value: program.id,
              label: visibleText(program.title),
              note: visibleText(shortIdOf(program.id)),
            })),
          ]}
          {...form.field('programId')}
        />
      )}
      <Code
        label="Fields as JSON"
        json
        className={`${object === null ? 'h-40' : 'h-[46vh]'} min-h-40 overflow-hidden rounded-control border border-line`}
        text={draft.text}
        onText={(text) => change({ text })}
        problems={problems}
      />
      <FormEnd
        form={form}
        live={live}
        action={`${object === null ? `Create ${aKind(kind)}` : 'Save'} in ${environment}`}
        busyWords={object === null ? 'Creating…' : 'Saving…'}
        onCancel={onDone}
        disabled={problems.length > 0 || effect === ''}
        aside={
          <p
            className="min-w-0 flex-1 basis-48 truncate text-small text-muted"
            title={effect}
            role="status"
          >
            {effect || 'Nothing changed yet.'}
          </p>
        }
      />
    </form>
  )
}

/** Returns a sentence about the notifications that creating an object sends (spec 6.2). */
function effectOf(kind: SandboxObjectKind, live: boolean): string {
  switch (kind) {
    case 'card':
      return 'Sends card.linked.'
    case 'brand':
      return live ? 'Sends nothing until the brand consents.' : 'Sends brand.consent.'
    case 'location':
      return live
        ? 'Sends nothing until a scheme is synced.'
        : 'Sends location.status once per scheme.'
    case 'program':
      return 'Comes with its own brands, locations, cards and an offer. Sends nothing.'
    case 'offer':
    case 'transaction':
      return 'Sends nothing.'
  }
}

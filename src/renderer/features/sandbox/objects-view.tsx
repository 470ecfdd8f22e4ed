/** Sandbox objects by kind, with details of the selected one. */
import { Plus, Search } from 'lucide-react'
import { useMemo, type ReactNode } from 'react'
import type { SandboxObject } from '../../../shared/model/sandbox.ts'
import { useApp, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { RowGrid } from '../../ui/row-grid.tsx'
import { SplitPanes } from '../../ui/split-panes.tsx'
import { objectColumns } from './object-columns.tsx'
import { ObjectDetail } from './object-detail.tsx'
import { aKind, kindNames, objectKinds } from './object-words.ts'

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
        <RowGrid
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

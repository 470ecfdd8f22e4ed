/** The list of objects of a kind, with its filter and the button that creates one. */
import { Plus, Search } from 'lucide-react'
import type { SandboxObject } from '../../../shared/model/sandbox.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { List } from '../../ui/list.tsx'
import { Message } from '../../ui/message.tsx'
import { kindWithArticle, kindNames } from './catalogue.ts'
import { objectColumnsOf } from './object-columns.tsx'
import { ObjectKinds } from './object-kinds.tsx'
import { useSandboxPlace } from './use-sandbox.ts'

export const OBJECT_FILTER_ID = 'sandbox-object-filter'

interface FilterProps {
  readonly filter: string
  readonly onFilter: (filter: string) => void
}

export function ObjectList({
  objects,
  listed,
  shownId,
  ...filterProps
}: FilterProps & {
  /** Objects of the environment. */
  readonly objects: readonly SandboxObject[]
  /** Objects of the shown kind that match the filter. */
  readonly listed: readonly SandboxObject[]
  readonly shownId: string | null
}) {
  const { kind } = useSandboxPlace()
  const show = useApp((state) => state.sandbox.show)
  const singleKeys = useApp((state) => state.preferences.singleKeys)
  return (
    <section
      aria-label="Objects"
      data-pane="objects"
      className="flex h-full min-w-0 flex-col bg-ground"
    >
      <ObjectKinds objects={objects} />
      <ObjectFilter {...filterProps} />
      {listed.length > 0 ? (
        <List
          key={kind}
          label={kindNames[kind].many}
          rows={listed}
          idOf={({ id }) => id}
          columns={objectColumnsOf(kind)}
          selectedId={shownId}
          singleKeys={singleKeys}
          onSelect={({ id }) => show({ kind, id })}
        />
      ) : (
        <div className="min-h-0 flex-1 px-8 pt-12">
          <NoObjects {...filterProps} />
        </div>
      )}
    </section>
  )
}

/** Returns the label of the button that creates an object of the shown kind, and its action. */
function useCreation(): readonly [string, () => void] {
  const { kind } = useSandboxPlace()
  const prepareTrigger = useApp((state) => state.sandbox.prepareTrigger)
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  return kind === 'transaction'
    ? ['Trigger payment', () => prepareTrigger({ event: 'transaction.auth' })]
    : [`Create ${kindWithArticle(kind)}…`, () => openOverlay('make-object')]
}

function ObjectFilter({ filter, onFilter }: FilterProps) {
  const { kind } = useSandboxPlace()
  const [label, create] = useCreation()
  return (
    <div className="flex h-10 shrink-0 items-center gap-2 border-b border-line bg-surface pr-3 pl-4">
      <Search size={14} className="shrink-0 text-subtle" />
      <input
        id={OBJECT_FILTER_ID}
        aria-label={`Filter ${kindNames[kind].many.toLowerCase()}`}
        placeholder="Text or ID"
        spellCheck={false}
        autoComplete="off"
        value={filter}
        onChange={(event) => onFilter(event.currentTarget.value)}
        onKeyDown={({ key }) => {
          if (key === 'Escape') onFilter('')
        }}
        className="h-7 min-w-0 flex-1 bg-transparent outline-offset-2"
      />
      <Button icon={Plus} onClick={create}>
        {label}
      </Button>
    </div>
  )
}

/** Says that there are no objects of the shown kind, or none that match the filter. */
function NoObjects({ filter, onFilter }: FilterProps) {
  const { kind, environment } = useSandboxPlace()
  const { one, many } = kindNames[kind]
  const [label, create] = useCreation()
  return filter.trim() === '' ? (
    <Message
      title={`No ${many.toLowerCase()} in ${environment} yet`}
      action={
        <Button kind="primary" onClick={create}>
          {label}
        </Button>
      }
    >
      {kind === 'transaction'
        ? "Trigger a payment. It's listed here and can then be cleared and refunded."
        : 'Create one with realistic values that you can change.'}
    </Message>
  ) : (
    <Message
      title={`No matching ${one}`}
      action={
        <Button kind="primary" onClick={() => onFilter('')}>
          Clear filter
        </Button>
      }
    >
      The filter searches every field, including IDs.
    </Message>
  )
}

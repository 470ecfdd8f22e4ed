/** Sandbox objects by kind, with details of the selected one. */
import { Plus, Search } from 'lucide-react'
import { useMemo, useState } from 'react'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import type { SandboxObject } from '../../../shared/model/sandbox.ts'
import { useApp, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { List, type ListColumn } from '../../ui/list.tsx'
import { Message } from '../../ui/message.tsx'
import { exactTime } from '../../ui/moment.ts'
import { NotFoundPane, SplitPanes } from '../../ui/split-panes.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { ObjectDetail } from './object-detail.tsx'
import { aKind, fieldText, kindNames, objectKinds, objectLine, objectState } from './catalogue.ts'
import { usePlace } from './use-sandbox.ts'

export const OBJECT_FILTER_ID = 'sandbox-object-filter'

/** Shows the objects of the environment, oldest first. */
export function ObjectsView({ objects }: { readonly objects: readonly SandboxObject[] }) {
  const { kind, id: chosen, environment } = usePlace()
  const { show, prepareTrigger } = useParts('sandbox', 'show', 'prepareTrigger')
  const openOverlay = useApp((state) => state.navigation.openOverlay)
  const singleKeys = useApp((state) => state.preferences.singleKeys)
  const [filter, setFilter] = useState('')
  const listed = useMemo(() => {
    const words = filter.trim().toLowerCase()
    return objects
      .filter(
        ({ kind: one, data }) =>
          one === kind && (words === '' || JSON.stringify(data).toLowerCase().includes(words)),
      )
      .toReversed()
  }, [objects, kind, filter])
  const isMissing = chosen !== null && objects.every(({ id }) => id !== chosen)
  const shown = isMissing ? undefined : (listed.find(({ id }) => id === chosen) ?? listed[0])
  const { one, many } = kindNames[kind]
  const [label, create] =
    kind === 'transaction'
      ? ['Trigger payment', () => prepareTrigger({ event: 'transaction.auth' })]
      : [`Create ${aKind(kind)}…`, () => openOverlay('make-object')]
  const list = (
    <section
      aria-label="Objects"
      data-pane="objects"
      className="flex h-full min-w-0 flex-col bg-ground"
    >
      <Kinds objects={objects} />
      <div className="flex h-10 shrink-0 items-center gap-2 border-b border-line bg-surface pr-3 pl-4">
        <Search size={14} className="shrink-0 text-subtle" />
        <input
          id={OBJECT_FILTER_ID}
          aria-label={`Filter ${many.toLowerCase()}`}
          placeholder="Text or ID"
          spellCheck={false}
          autoComplete="off"
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
          onKeyDown={({ key }) => {
            if (key === 'Escape') setFilter('')
          }}
          className="h-7 min-w-0 flex-1 bg-transparent outline-offset-2"
        />
        <Button icon={Plus} onClick={create}>
          {label}
        </Button>
      </div>
      {listed.length > 0 ? (
        <List
          key={kind}
          label={many}
          rows={listed}
          idOf={({ id }) => id}
          columns={columns}
          selectedId={shown?.id ?? null}
          singleKeys={singleKeys}
          onSelect={({ id }) => show({ kind, id })}
        />
      ) : (
        <div className="min-h-0 flex-1 px-8 pt-12">
          {filter.trim() === '' ? (
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
                <Button kind="primary" onClick={() => setFilter('')}>
                  Clear filter
                </Button>
              }
            >
              The filter searches every field, including IDs.
            </Message>
          )}
        </div>
      )}
    </section>
  )
  return (
    <SplitPanes
      name="sandbox-objects"
      className="min-h-0 flex-1"
      first={{ id: 'objects', content: list }}
      second={
        shown === undefined && !isMissing
          ? null
          : {
              id: 'object',
              defaultSize: '46%',
              content:
                shown === undefined ? (
                  <NotFoundPane what="Object" name={chosen ?? ''} />
                ) : (
                  <ObjectDetail
                    key={shown.id}
                    object={shown}
                    all={objects}
                    onShow={(other) => {
                      setFilter('')
                      show({ kind: other.kind, id: other.id })
                    }}
                  />
                ),
            }
      }
      resize="Resize object details"
    />
  )
}

function Kinds({ objects }: { readonly objects: readonly SandboxObject[] }) {
  const { kind } = usePlace()
  const show = useApp((state) => state.sandbox.show)
  return (
    <div
      role="radiogroup"
      aria-label="Kind"
      className="@container flex shrink-0 flex-wrap items-center border-b border-line bg-surface px-2"
    >
      {objectKinds.map((one) => (
        <label
          key={one}
          className={`relative flex h-9 items-center gap-1.5 border-b-2 px-2 has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent ${
            one === kind
              ? 'border-accent text-text'
              : 'border-transparent text-muted hover:text-text'
          }`}
        >
          <input
            type="radio"
            name="sandbox-kind"
            value={one}
            checked={one === kind}
            onChange={() => show({ kind: one })}
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

const tones = { good: 'text-ok', waiting: 'text-warn', quiet: 'text-muted' } as const

const columns: readonly ListColumn<SandboxObject>[] = [
  {
    name: 'Object',
    className: 'min-w-0 flex-1',
    cell: (object) => <span title={objectLine(object)}>{objectLine(object)}</span>,
  },
  {
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
  },
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

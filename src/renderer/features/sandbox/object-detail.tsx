/** Details of an object: its links to others, and all its fields. */
import { Pencil } from 'lucide-react'
import { useMemo, useState } from 'react'
import { shortIdOf } from '../../../shared/model/delivery-ref.ts'
import type { SandboxObject } from '../../../shared/model/sandbox.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { Code } from '../../ui/code.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactText, MiddleTruncated } from '../../ui/exact-text.tsx'
import { Fact, Facts } from '../../ui/name-value-table.tsx'
import { DetailPane, DetailScroll } from '../../ui/split-panes.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { objectLine, objectTitle } from './catalogue.ts'
import { NextEventButton } from './next-event-button.tsx'
import { backLinksOf, linksOf, type BackLinks } from './object-links.ts'

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
  const { id, data } = object
  const links = useMemo(() => linksOf(object, all), [object, all])
  const back = useMemo(() => backLinksOf(object, all), [object, all])
  const json = JSON.stringify(data, null, 2)
  return (
    <DetailPane label="Object" pane="object">
      <header className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line py-1 pr-3 pl-5">
        <h2 className="min-w-0 flex-1 basis-56 truncate text-title font-medium">
          {objectTitle(object)}
        </h2>
        <span className="flex items-center gap-1">
          <Button icon={Pencil} onClick={() => openOverlay('change-object')}>
            Edit…
          </Button>
          <NextEventButton object={object} />
        </span>
      </header>
      <DetailScroll label="Object details">
        <Facts>
          <Fact name="ID">
            <span className="data flex items-center gap-1">
              <MiddleTruncated text={id} tail={12} />{' '}
              <CopyButton text={id} label="Copy ID" className="-my-1" />
            </span>
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

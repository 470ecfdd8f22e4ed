/**
 * A flow as a sequence diagram, of the same parts as in its report. Each step is a button: up and down move between steps, left and
 * right between participants. New steps fade in.
 */
import { useState, type KeyboardEvent } from 'react'
import { diagramOf, type Diagram, type DiagramRow } from '../../../shared/flow-diagram/diagram.ts'
import { diagramRules, legendPart, ofActor, type Part } from '../../../shared/flow-diagram/parts.ts'
import { actorOrder } from '../../../shared/flow-diagram/words.ts'
import type { FlowActor, FlowPlan, FlowRun } from '../../../shared/model/flow.ts'
import { useAppStore, useApp } from '../../state/use-app.ts'
import { moveWith } from './flow-actions.ts'

const windowRules = `
.flow [data-flow-place]:hover{--flow-paper:var(--raised)}
.flow [data-flow-place][aria-pressed='true']{--flow-paper:var(--selected);box-shadow:inset 2px 0 0 var(--accent)}
.flow [data-flow-place][aria-pressed='true']::before{background:var(--selected)}
.flow [data-flow-place][aria-pressed='true'] .life{border-color:color-mix(in srgb,var(--edge) 55%,transparent)}
.flow [data-flow-place]:focus-visible{outline:1.5px solid var(--accent);outline-offset:-1.5px}
${actorOrder
  .map(ofActor)
  .map((actor) => `.flow.looks-${actor} .${actor}{border-color:var(--accent)!important}`)
  .join('\n')}
@keyframes flow-draw{from{clip-path:inset(-4px 100% -4px 0)}to{clip-path:inset(-4px 0)}}
@keyframes flow-appear{from{opacity:0}}
@keyframes flow-flash{from{background:color-mix(in srgb,var(--accent) 22%,transparent)}}
.flow .arrives{animation:flow-flash 180ms ease-out}
.flow .arrives .request,.flow .arrives .action{animation:flow-draw 160ms ease-out}
.flow .arrives .text{animation:flow-appear 160ms ease-out}
@media (prefers-reduced-motion:reduce){.flow *{animation:none!important}}
`

const sheet = new CSSStyleSheet()
sheet.replaceSync(diagramRules + windowRules)
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]

function Parts({ parts }: { readonly parts: readonly Part[] }) {
  return parts.map((part, index) => <DrawnPart key={index} part={part} />)
}

function DrawnPart({ part }: { readonly part: Part }) {
  if (typeof part === 'string') return part
  switch (part.kind) {
    case 'break':
      return <wbr />
    case 'outline':
      return (
        <svg className={part.className} viewBox={part.viewBox} preserveAspectRatio="none">
          <path d={part.d} />
        </svg>
      )
    case 'span':
      return (
        <span className={part.className}>
          <Parts parts={part.inside} />
        </span>
      )
  }
}

export function FlowDiagram({
  drawn,
  shownId,
  actor,
}: {
  readonly drawn: FlowPlan | FlowRun
  readonly shownId: string | null
  /** The highlighted lifeline. */
  readonly actor: FlowActor | null
}) {
  const diagram = diagramOf(drawn)
  // Only what arrives while it is watched moves, not a stored run that is opened.
  const owner = 'id' in drawn ? drawn.id : drawn.name
  // Some steps aren't drawn. One of the others must be reachable with Tab.
  const places = diagram.rows.flatMap(({ place }) => place ?? [])
  const reachable = shownId !== null && places.includes(shownId) ? shownId : places[0]
  return (
    <>
      <div className="min-h-0 min-w-0 flex-1 scroll-pt-13 overflow-auto">
        <div
          role="group"
          aria-label={`Sequence diagram: ${diagram.title}`}
          data-flow-diagram
          className={`flow select-none ${actor === null ? '' : `looks-${ofActor(actor)}`}`}
          style={{ gridTemplateColumns: diagram.columns }}
        >
          <div aria-hidden className="drawing">
            <DrawnPart part={diagram.heads} />
          </div>
          {diagram.rows.map((row, index) => (
            <Row
              key={`${owner} ${row.place === null ? `${row.kind} ${index}` : row.place}`}
              row={row}
              shown={row.place !== null && row.place === shownId}
              reachable={row.place === reachable}
            />
          ))}
          <DrawnPart part={diagram.feet} />
        </div>
      </div>
      <Legend diagram={diagram} />
    </>
  )
}

/** Whether the row was drawn before it finished. */
function useArrival(look: DiagramRow['look']): boolean {
  const open = look === 'planned' || look === 'running'
  const [wasOpen, setWasOpen] = useState(open)
  if (open && !wasOpen) setWasOpen(true)
  return wasOpen && !open
}

function Row({
  row: { look, kind, words, drawing, place },
  shown,
  reachable,
}: {
  readonly row: DiagramRow
  readonly shown: boolean
  readonly reachable: boolean
}) {
  const store = useAppStore()
  const select = useApp((state) => state.flows.selectPlace)
  const arrives = useArrival(look)
  const className = `row is-${kind}${arrives ? ' arrives' : ''}`
  const inside = (
    <span aria-hidden className="drawing">
      <Parts parts={drawing} />
    </span>
  )
  if (place === null)
    return (
      <div role="note" aria-label={words} className={className}>
        {inside}
      </div>
    )
  return (
    <div
      role="button"
      tabIndex={reachable ? 0 : -1}
      aria-pressed={shown}
      data-flow-place={place}
      onClick={(event) => {
        event.currentTarget.focus()
        select(place)
      }}
      onFocus={() => select(place)}
      onKeyDown={(event: KeyboardEvent) => {
        if (moveWith(store, event.key)) event.preventDefault()
      }}
      className={className}
    >
      {/* The accessible name: the drawing shows statuses as icons. */}
      <span className="words">{words}</span>
      {inside}
    </div>
  )
}

/** The marks that occur, and what isn't drawn. */
function Legend({ diagram: { marks, notes } }: { readonly diagram: Diagram }) {
  if (marks.length + notes.length === 0) return null
  return (
    <div
      role="group"
      aria-label="Legend"
      className="flow flow-legend min-h-8 shrink-0 border-t border-line bg-ground px-4 py-1"
    >
      <Parts parts={marks.map(legendPart)} />
      <span className="flex-1" />
      {notes.map((note) => (
        <span key={note}>{note}</span>
      ))}
    </div>
  )
}

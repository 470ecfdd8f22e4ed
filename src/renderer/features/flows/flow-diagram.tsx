/**
 * A flow as a sequence diagram, drawn from the same shapes as its exported file. Each step is a button: up and down move between
 * steps, left and right between participants. New steps fade in.
 */
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { diagramRules } from '../../../shared/flow-diagram/diagram-css.ts'
import { layoutDiagram, TIMES_WIDTH, type DiagramLayout, type DiagramRow } from '../../../shared/flow-diagram/layout.ts'
import { footShapes, HEAD_HEIGHT, headShapes, rowClasses, rowShapes, type Shape } from '../../../shared/flow-diagram/shapes.ts'
import type { FlowPlan, FlowRun } from '../../../shared/model/flow-run.ts'
import type { FlowActor } from '../../../shared/model/flow.ts'
import { labelOf } from '../../../shared/model/outcomes.ts'
import { useApp, useAppStore } from '../../state/use-app.ts'
import { moveWith } from './flow-actions.ts'
import { outcomeOfLook } from './flow-look.tsx'

const windowRules = `
.flow .row{fill:transparent}
.flow [data-flow-place]:hover{--flow-paper:var(--raised)}
.flow [data-flow-place]:hover .row{fill:var(--raised)}
.flow [data-flow-place][aria-pressed='true']{--flow-paper:var(--selected)}
.flow [data-flow-place][aria-pressed='true'] .row{fill:var(--selected)}
.flow [data-flow-place]:focus-visible .row{stroke:var(--accent);stroke-width:1.5}
.flow .chosen{fill:var(--accent)}
.flow .looked-at.life{stroke:var(--accent)}
.flow .looked-at.head{stroke:var(--accent);fill:var(--selected)}
.flow .looked-at.actor{fill:var(--accent)}
.flow [data-flow-place][aria-pressed='true'] .life:not(.looked-at){stroke:color-mix(in srgb,var(--edge) 55%,transparent)}
@keyframes flow-draw{from{stroke-dasharray:400;stroke-dashoffset:400}to{stroke-dasharray:400;stroke-dashoffset:0}}
@keyframes flow-appear{from{opacity:0}}
@keyframes flow-flash{from{fill:color-mix(in srgb,var(--accent) 22%,transparent)}}
.flow .arrives .arrow,.flow .arrives .reply{animation:flow-draw 160ms ease-out}
.flow .arrives .tip,.flow .arrives .open-tip,.flow .arrives .label,.flow .arrives .detail,.flow .arrives .answer,.flow .arrives .note{animation:flow-appear 160ms ease-out}
.flow .arrives .row{animation:flow-flash 180ms ease-out}
@media (prefers-reduced-motion:reduce){.flow *{animation:none!important}}
`

const sheet = new CSSStyleSheet()
sheet.replaceSync(diagramRules + windowRules)
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]

/** `actor`: the highlighted lifeline. */
function DiagramShape({ shape, actor }: { readonly shape: Shape; readonly actor: FlowActor | null }) {
  const chosen = 'actor' in shape && shape.actor !== undefined && shape.actor === actor ? ' looked-at' : ''
  switch (shape.kind) {
    case 'path':
      return <path d={shape.d} className={shape.as + chosen} />
    case 'box': {
      const { x, y, width, height, radius, as } = shape
      // The band is as wide as the window.
      return <rect x={x} y={y} width={as === 'band' ? '100%' : width} height={height} rx={radius} className={as + chosen} />
    }
    case 'text': {
      const { x, y, text, mark, as, anchor } = shape
      return (
        <text x={x} y={y} textAnchor={anchor} className={as + chosen}>
          {mark !== undefined && <tspan className="mark">{`${mark} `}</tspan>}
          {text}
        </text>
      )
    }
  }
}

/** The smallest and largest distance between lifelines. Below the smallest, the diagram scrolls. */
const CLOSEST = 122
const WIDEST = 224

export interface DiagramProps {
  readonly drawn: FlowPlan | FlowRun
  readonly shownId: string | null
  /** The highlighted lifeline. */
  readonly actor: FlowActor | null
}

export function FlowDiagram({ drawn, shownId, actor }: DiagramProps) {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined) setWidth(Math.floor(entry.contentRect.width))
    })
    observer.observe(element)
    return () => {
      observer.disconnect()
    }
  }, [])
  const count = layoutDiagram(drawn).lifelines.length
  const spacing = Math.floor(Math.max(CLOSEST, Math.min(WIDEST, (width - TIMES_WIDTH - 4) / Math.max(1, count))))
  const layout = layoutDiagram(drawn, { spacing })
  return (
    <div ref={box} className="min-h-0 flex-1 overflow-auto">
      {width > 0 && (
        <div className="flow relative" style={{ minWidth: layout.width }}>
          <svg
            aria-hidden
            width={layout.width}
            height={HEAD_HEIGHT}
            className="sticky top-0 z-10 block min-w-full bg-ground select-none"
          >
            {headShapes(layout, 0).map((shape, index) => (
              <DiagramShape key={index} shape={shape} actor={actor} />
            ))}
          </svg>
          <svg
            role="group"
            aria-label={`Sequence diagram: ${layout.title}`}
            data-flow-diagram
            width={layout.width}
            height={layout.height - layout.top}
            viewBox={`0 ${layout.top} ${layout.width} ${layout.height - layout.top}`}
            preserveAspectRatio="xMinYMin"
            className="block min-w-full select-none"
          >
            {layout.rows.map((row, index) => (
              <Row key={keyOf(row, index)} row={row} layout={layout} shownId={shownId} actor={actor} />
            ))}
            {footShapes(layout).map((shape, index) => (
              <DiagramShape key={index} shape={shape} actor={actor} />
            ))}
          </svg>
        </div>
      )}
    </div>
  )
}

/** Rows keep their keys during a run so that changes can animate. */
function keyOf({ step, deliveryId }: DiagramRow, index: number): string {
  return step === null ? (deliveryId ?? `gap ${index}`) : `step ${step}`
}

interface RowProps {
  readonly row: DiagramRow
  readonly layout: DiagramLayout
  readonly shownId: string | null
  readonly actor: FlowActor | null
}

/** Whether the row was drawn before it finished. */
function useArrival(look: DiagramRow['look']): boolean {
  const open = look === 'planned' || look === 'running'
  const [wasOpen, setWasOpen] = useState(open)
  if (open && !wasOpen) setWasOpen(true)
  return wasOpen && !open
}

function Row({ row, layout, shownId, actor }: RowProps) {
  const store = useAppStore()
  const select = useApp((state) => state.flows.selectPlace)
  const arrives = useArrival(row.look)
  const inside = rowShapes(row, layout).map((shape, index) => <DiagramShape key={index} shape={shape} actor={actor} />)
  const classes = `${rowClasses(row)}${arrives ? ' arrives' : ''}`
  const id = row.step === null ? row.deliveryId : String(row.step)
  if (id === null)
    return (
      <g role="note" aria-label={[row.label, row.detail].filter(Boolean).join(', ')} className={classes}>
        {inside}
      </g>
    )
  const shown = id === shownId
  const onKeyDown = (event: KeyboardEvent) => {
    if (moveWith(store, event.key)) event.preventDefault()
  }
  return (
    <g
      role="button"
      tabIndex={shown ? 0 : -1}
      aria-pressed={shown}
      data-flow-place={id}
      data-look={row.look}
      onClick={(event) => {
        event.currentTarget.focus()
        select(id)
      }}
      onFocus={() => {
        select(id)
      }}
      onKeyDown={onKeyDown}
      className={`${classes} outline-none`}
    >
      {/* The accessible name: the drawing shortens long texts and shows the status as an icon. */}
      <text x={20} y={row.y} fontSize={1} opacity={0}>
        {[`${labelOf(outcomeOfLook(row.look))}: ${row.label}`, row.detail, row.answer, row.businessTime]
          .filter(Boolean)
          .join(', ')}
      </text>
      <rect x={0} y={row.top} width="100%" height={row.height} className="row" />
      {shown && <rect x={0} y={row.top} width={2} height={row.height} className="chosen" />}
      <g aria-hidden>{inside}</g>
    </g>
  )
}

/**
 * A flow as a sequence diagram, drawn from the same shapes as its exported file. Each step is a button: up and down move between
 * steps, left and right between participants. New steps fade in.
 */
import { useEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react'
import {
  HEAD_HEIGHT,
  headShapes,
  layoutDiagram,
  type DiagramLayout,
} from '../../../shared/flow-diagram/layout.ts'
import { TIMES_WIDTH, type DiagramRow } from '../../../shared/flow-diagram/rows.ts'
import {
  diagramRules,
  iconPaths,
  legendShapes,
  markWords,
  type LegendMark,
  type Shape,
} from '../../../shared/flow-diagram/shapes.ts'
import type { FlowPlan, FlowRun } from '../../../shared/model/flow-run.ts'
import type { FlowActor } from '../../../shared/model/flow.ts'
import { useAppStore, useApp } from '../../state/use-app.ts'
import { moveWith } from './flow-actions.ts'

const windowRules = `
.flow .row{fill:transparent}
.flow [data-flow-place]:hover{--flow-paper:var(--raised)}
.flow [data-flow-place]:hover .row{fill:var(--raised)}
.flow [data-flow-place][aria-pressed='true']{--flow-paper:var(--selected)}
.flow [data-flow-place][aria-pressed='true'] .row{fill:var(--selected)}
.flow [data-flow-place][aria-pressed='true'] .band{fill:var(--selected)}
.flow [data-flow-place]:focus-visible .row{stroke:var(--accent);stroke-width:1.5}
.flow .chosen{fill:var(--accent)}
.flow .looked-at.life{stroke:var(--accent)}
.flow .looked-at.head{stroke:var(--accent);fill:var(--selected)}
.flow [data-flow-place][aria-pressed='true'] .life:not(.looked-at){stroke:color-mix(in srgb,var(--edge) 55%,transparent)}
@keyframes flow-draw{from{stroke-dasharray:1;stroke-dashoffset:1}to{stroke-dasharray:1;stroke-dashoffset:0}}
@keyframes flow-appear{from{opacity:0}}
@keyframes flow-flash{from{fill:color-mix(in srgb,var(--accent) 22%,transparent)}}
.flow .arrives .arrow,.flow .arrives .action{animation:flow-draw 160ms ease-out}
.flow .arrives .new{animation:flow-appear 160ms ease-out}
.flow .arrives .row{animation:flow-flash 180ms ease-out}
@media (prefers-reduced-motion:reduce){.flow *{animation:none!important}}
`

const sheet = new CSSStyleSheet()
sheet.replaceSync(diagramRules + windowRules)
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]

/** `actor`: the highlighted lifeline. */
function DiagramShape({
  shape,
  actor = null,
}: {
  readonly shape: Shape
  readonly actor?: FlowActor | null
}) {
  const chosen =
    'actor' in shape && shape.actor !== undefined && shape.actor === actor ? ' looked-at' : ''
  const ink = 'ink' in shape && shape.ink !== undefined ? ` i-${shape.ink}` : ''
  switch (shape.kind) {
    case 'path':
      return (
        <path
          d={shape.d}
          pathLength={shape.as === 'arrow' || shape.as === 'action' ? 1 : undefined}
          className={shape.as + ink + chosen}
        />
      )
    case 'box': {
      const { x, y, width, height, radius, as } = shape
      // The band is as wide as the window.
      return (
        <rect
          x={x}
          y={y}
          width={as === 'band' ? '100%' : width}
          height={height}
          rx={radius}
          className={as + ink + chosen}
        />
      )
    }
    case 'dot': {
      const { x, y, r, isRing } = shape
      return (
        <circle
          cx={x}
          cy={y}
          r={isRing === true ? r - 2 : r}
          className={(isRing === true ? 'ring' : 'dot') + ink}
        />
      )
    }
    case 'icon': {
      const { x, y, size, icon, onLine } = shape
      const { d, isCircled } = iconPaths[icon]
      return (
        <>
          {onLine && <circle cx={x} cy={y} r={size / 2 + 1} className="paper" />}
          <g
            className={`icon new${ink}`}
            transform={`translate(${x - size / 2} ${y - size / 2}) scale(${size / 24})`}
            strokeWidth={isCircled ? 2 : 2.5}
          >
            {isCircled && <circle cx={12} cy={12} r={10} />}
            <path d={d} />
          </g>
        </>
      )
    }
    case 'text': {
      const { x, y, parts, anchor } = shape
      return (
        <text x={x} y={y} textAnchor={anchor} className="new">
          {parts.map(({ text, font, tone, gap }, index) => (
            <tspan
              key={index}
              dx={index === 0 || gap === 0 ? undefined : gap}
              className={`${font} i-${tone}`}
            >
              {text}
            </tspan>
          ))}
        </text>
      )
    }
  }
}

function Shapes({
  shapes,
  actor = null,
}: {
  readonly shapes: readonly Shape[]
  readonly actor?: FlowActor | null
}) {
  return shapes.map((shape, index) => <DiagramShape key={index} shape={shape} actor={actor} />)
}

/** An element's inner size, now and after each change. */
function useSize(element: RefObject<HTMLElement | null>): {
  readonly width: number
  readonly height: number
} {
  const [size, setSize] = useState({ width: 0, height: 0 })
  useEffect(() => {
    const { current } = element
    if (current === null) return undefined
    const observer = new ResizeObserver(() =>
      setSize({ width: current.clientWidth, height: current.clientHeight }),
    )
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return size
}

export function FlowDiagram({
  drawn,
  shownId,
  actor,
  isNarrow,
}: {
  readonly drawn: FlowPlan | FlowRun
  readonly shownId: string | null
  /** The highlighted lifeline. */
  readonly actor: FlowActor | null
  /** An overview of all rows replaces the legend. */
  readonly isNarrow: boolean
}) {
  const box = useRef<HTMLDivElement>(null)
  const { width, height } = useSize(box)
  const layout = layoutDiagram(drawn, { width: Math.max(width, 1), height })
  const isWider = layout.width > width
  // Only what arrives while it is watched moves, not a stored run that is opened.
  const owner = 'id' in drawn ? drawn.id : drawn.name
  // Some steps aren't drawn. One of the others must be reachable with Tab.
  const isShown = layout.rows.some((row) => idOf(row) === shownId)
  const reachable = isShown ? shownId : (layout.rows.map(idOf).find((id) => id !== null) ?? null)
  return (
    <>
      <div className="flex min-h-0 flex-1">
        <div ref={box} className="min-h-0 min-w-0 flex-1 scroll-pt-13 overflow-auto">
          {width > 0 && (
            <div className="flow relative" style={{ width: layout.width }}>
              <div className="sticky top-0 z-10 flex bg-ground select-none" aria-hidden>
                {isWider && (
                  <svg
                    width={TIMES_WIDTH}
                    height={HEAD_HEIGHT}
                    className="sticky left-0 z-10 shrink-0 bg-ground"
                  >
                    <Shapes shapes={headShapes(layout).slice(0, 2)} />
                  </svg>
                )}
                <svg
                  width={layout.width}
                  height={HEAD_HEIGHT}
                  className="shrink-0"
                  style={isWider ? { marginLeft: -TIMES_WIDTH } : {}}
                >
                  <Shapes shapes={headShapes(layout)} actor={actor} />
                </svg>
              </div>
              <div className="flex">
                {isWider && <TimeColumn layout={layout} shownId={shownId} />}
                <svg
                  role="group"
                  aria-label={`Sequence diagram: ${layout.title}`}
                  data-flow-diagram
                  width={layout.width}
                  height={layout.height + 12}
                  className="shrink-0 select-none"
                  style={isWider ? { marginLeft: -TIMES_WIDTH } : {}}
                >
                  {layout.rows.map((row, index) => (
                    <Row
                      key={`${owner} ${keyOf(row, index)}`}
                      row={row}
                      shown={idOf(row) !== null && idOf(row) === shownId}
                      reachable={idOf(row) === reachable}
                      actor={actor}
                    />
                  ))}
                  <Feet layout={layout} />
                </svg>
              </div>
            </div>
          )}
        </div>
        {isNarrow && width > 0 && <Minimap layout={layout} box={box} seen={height - HEAD_HEIGHT} />}
      </div>
      {!isNarrow && <Legend layout={layout} />}
    </>
  )
}

/** The times, which stay while the lanes scroll sideways. */
function TimeColumn({
  layout,
  shownId,
}: {
  readonly layout: DiagramLayout
  readonly shownId: string | null
}) {
  return (
    <svg
      aria-hidden
      width={TIMES_WIDTH}
      height={layout.height + 12}
      className="pointer-events-none sticky left-0 z-[5] shrink-0 bg-ground select-none"
    >
      {layout.rows.map((row, index) => (
        <g
          key={keyOf(row, index)}
          transform={`translate(0 ${row.top})`}
          className={`is-${row.kind}`}
        >
          {idOf(row) === shownId && idOf(row) !== null && (
            <rect width={TIMES_WIDTH} height={row.height} fill="var(--selected)" />
          )}
          {row.kind === 'gave-up' && (
            <rect width={TIMES_WIDTH} height={row.height} className="row" fill="var(--bad-wash)" />
          )}
          <Shapes shapes={row.kind === 'wait' ? row.shapes.filter(isBandText) : row.times} />
        </g>
      ))}
    </svg>
  )
}

const isBandText = (shape: Shape) =>
  shape.kind === 'text' || (shape.kind === 'box' && shape.as === 'band')

/** The ends of the lifelines. */
function Feet({ layout: { lanes, rows, height } }: { readonly layout: DiagramLayout }) {
  const ended = new Set(
    (rows.at(-1)?.lives ?? []).flatMap((shape) =>
      shape.kind === 'path' && shape.as === 'ended' ? [shape.actor] : [],
    ),
  )
  return lanes.map(({ actor, x }) => (
    <path
      key={actor}
      d={`M${x + 0.5} ${height}v8`}
      className={ended.has(actor) ? 'ended' : 'life'}
    />
  ))
}

function idOf({ step, deliveryId }: DiagramRow): string | null {
  return step === null ? deliveryId : String(step)
}

/** Rows keep their keys during a run so that changes can animate. */
function keyOf(row: DiagramRow, index: number): string {
  return row.kind === 'wait' && row.step === null
    ? `pause ${index}`
    : `${row.kind} ${idOf(row) ?? index}`
}

interface RowProps {
  readonly row: DiagramRow
  readonly shown: boolean
  readonly reachable: boolean
  readonly actor: FlowActor | null
}

/** Whether the row was drawn before it finished. */
function useArrival(look: DiagramRow['look']): boolean {
  const open = look === 'planned' || look === 'running'
  const [wasOpen, setWasOpen] = useState(open)
  if (open && !wasOpen) setWasOpen(true)
  return wasOpen && !open
}

function Row({ row, shown, reachable, actor }: RowProps) {
  const store = useAppStore()
  const select = useApp((state) => state.flows.selectPlace)
  const arrives = useArrival(row.look)
  const { top, height, kind, words, lives, times, shapes } = row
  const classes = `is-${kind}${arrives ? ' arrives' : ''}`
  const inside = (
    <>
      <Shapes shapes={kind === 'wait' ? shapes.slice(0, 1) : lives} actor={actor} />
      {kind === 'wait' && <Shapes shapes={lives} actor={actor} />}
      <Shapes shapes={times} />
      <Shapes shapes={kind === 'wait' ? shapes.slice(1) : shapes} actor={actor} />
    </>
  )
  const id = idOf(row)
  if (id === null)
    return (
      <g role="note" aria-label={words} className={classes} transform={`translate(0 ${top})`}>
        <rect width="100%" height={height} className="row" />
        {inside}
      </g>
    )
  const onKeyDown = (event: KeyboardEvent) => {
    if (moveWith(store, event.key)) event.preventDefault()
  }
  return (
    <g
      role="button"
      tabIndex={reachable ? 0 : -1}
      aria-pressed={shown}
      data-flow-place={id}
      data-look={row.look}
      transform={`translate(0 ${top})`}
      onClick={(event) => {
        event.currentTarget.focus()
        select(id)
      }}
      onFocus={() => select(id)}
      onKeyDown={onKeyDown}
      className={`${classes} outline-none`}
    >
      {/* The accessible name: the drawing shortens long texts and shows statuses as icons. */}
      <text x={20} y={20} fontSize={1} opacity={0}>
        {words}
      </text>
      <rect width="100%" height={height} className="row" />
      {shown && <rect width={2} height={height} className="chosen" />}
      <g aria-hidden>{inside}</g>
    </g>
  )
}

const WHOLE = '0 0 28 14'
/** Marks that are a mere icon take half of the width. */
const markBox = (mark: LegendMark) =>
  mark === 'as-expected' || mark === 'failed' || mark === 'gave-up' ? '7 0 14 14' : WHOLE

/** The marks that occur, and what isn't drawn. */
function Legend({ layout: { marks, notes } }: { readonly layout: DiagramLayout }) {
  return (
    <div
      role="group"
      aria-label="Legend"
      className="flex min-h-8 shrink-0 flex-wrap items-center gap-x-4 gap-y-1 border-t border-line bg-ground px-4 py-1 text-tiny text-muted"
    >
      {marks.map((mark) => (
        <span key={mark} className="inline-flex items-center gap-1.5 whitespace-nowrap">
          <svg
            aria-hidden
            viewBox={markBox(mark)}
            width={markBox(mark) === WHOLE ? 28 : 14}
            height={14}
            className="flow shrink-0"
          >
            <Shapes shapes={legendShapes(mark)} />
          </svg>
          {markWords[mark]}
        </span>
      ))}
      <span className="flex-1" />
      {notes.map((note) => (
        <span key={note} className="whitespace-nowrap">
          {note}
        </span>
      ))}
    </div>
  )
}

/** All rows at a glance, with the visible part framed. It scrolls the diagram; the keyboard moves between the steps themselves. */
function Minimap({
  layout: { rows, height },
  box,
  seen,
}: {
  readonly layout: DiagramLayout
  readonly box: RefObject<HTMLDivElement | null>
  /** The visible height of the rows. */
  readonly seen: number
}) {
  const [top, setTop] = useState(0)
  useEffect(() => {
    const { current } = box
    if (current === null) return undefined
    const follow = () => setTop(current.scrollTop)
    follow()
    current.addEventListener('scroll', follow, { passive: true })
    return () => current.removeEventListener('scroll', follow)
  }, [box])
  const room = Math.max(1, seen + HEAD_HEIGHT - 16)
  const scale = Math.min(room / Math.max(1, height), 0.5)
  return (
    <svg
      aria-hidden
      data-flow-minimap
      width={24}
      height={room + 16}
      className="flow shrink-0 cursor-pointer border-l border-line bg-ground"
      onClick={(event) => {
        const y = event.clientY - event.currentTarget.getBoundingClientRect().top - 8
        box.current?.scrollTo({ top: y / scale - seen / 2 })
      }}
    >
      {rows.map((row, index) => {
        const y = 8 + row.top * scale
        const rowHeight = Math.max(1, row.height * scale - 2)
        const isThick = row.kind === 'delivery' || row.kind === 'gave-up'
        return row.kind === 'wait' ? (
          <rect
            key={keyOf(row, index)}
            x={4}
            y={y + rowHeight / 2}
            width={16}
            height={1}
            fill="var(--edge)"
          />
        ) : (
          <g key={keyOf(row, index)} className={`i-${row.ink}`}>
            <rect
              x={isThick ? 8 : 10}
              y={y}
              width={isThick ? 8 : 4}
              height={rowHeight}
              rx={1}
              fill="currentColor"
              opacity={isThick ? 1 : 0.7}
            />
          </g>
        )
      })}
      {seen < height && (
        <rect
          x={3.5}
          y={6 + top * scale}
          width={17}
          height={Math.max(8, seen * scale + 4)}
          rx={3}
          fill="var(--accent)"
          fillOpacity={0.12}
          stroke="var(--accent)"
        />
      )}
    </svg>
  )
}

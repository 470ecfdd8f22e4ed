/**
 * A flow as a sequence diagram, drawn from the same layout as the file that it is exported to, in the colours of the app. Each step
 * is a button: the arrows go from one to the next, Enter opens its delivery.
 */
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import { layoutDiagram, type DiagramLayout, type DiagramRow } from '../../../shared/flow-diagram/layout.ts'
import type { FlowPlan, FlowRun } from '../../../shared/model/flow-run.ts'
import { useAppParts, useAppStore } from '../../state/use-app.ts'
import { openShownDelivery } from './flow-actions.ts'
import { looks } from './flow-look.tsx'
import { movePlace } from './places.ts'

const glyphs = { planned: '○', running: '◔', pass: '✓', fail: '✕', skip: '⊘', missing: '?', stray: '!' } as const
/** The layout's own columns beside the lifelines, and how close these may stand before the drawing scrolls. */
const BESIDE = 198
const CLOSEST = 116
const WIDEST = 204

export interface DiagramProps {
  readonly drawn: FlowPlan | FlowRun
  readonly shownId: string | null
}

export function FlowDiagram({ drawn, shownId }: DiagramProps) {
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
  const spacing = Math.max(CLOSEST, Math.min(WIDEST, (width - BESIDE) / Math.max(1, count)))
  const layout = layoutDiagram(drawn, { spacing })
  return (
    <div ref={box} className="min-h-0 flex-1 overflow-auto">
      {width > 0 && (
        <svg
          role="group"
          aria-label={`Sequence diagram: ${layout.title}`}
          data-flow-diagram
          width={layout.width}
          height={layout.height - layout.top + 34}
          viewBox={`0 ${layout.top - 34} ${layout.width} ${layout.height - layout.top + 34}`}
          className="block select-none"
        >
          <Lifelines layout={layout} />
          {layout.rows.map((row, index) => (
            <Row key={row.step ?? row.deliveryId ?? `gap ${index}`} row={row} layout={layout} shownId={shownId} />
          ))}
        </svg>
      )}
    </div>
  )
}

function Lifelines({ layout: { lifelines, top, height } }: { readonly layout: DiagramLayout }) {
  const [first, second] = lifelines
  const half = Math.min(62, (second === undefined || first === undefined ? WIDEST : second.x - first.x) / 2 - 4)
  return (
    <g aria-hidden>
      <text x={24} y={top - 5} className="fill-subtle text-tiny">
        business / real
      </text>
      {lifelines.map(({ actor, label, x }) => (
        <g key={actor}>
          <path d={`M${x} ${top + 4} V${height - 12}`} className="stroke-line" />
          <rect x={x - half} y={top - 22} width={2 * half} height={26} rx={6} className="fill-raised stroke-line" />
          <text x={x} y={top - 5} textAnchor="middle" className="fill-text text-small font-medium">
            {label}
          </text>
        </g>
      ))}
    </g>
  )
}

interface RowProps {
  readonly row: DiagramRow
  readonly layout: DiagramLayout
  readonly shownId: string | null
}

function Row({ row, layout, shownId }: RowProps) {
  const store = useAppStore()
  const select = useAppParts((state) => ({ select: state.selectFlowPlace })).select
  const inside = row.kind === 'gap' ? <Gap row={row} layout={layout} /> : <Line row={row} layout={layout} />
  const id = row.step === null ? row.deliveryId : String(row.step)
  if (id === null)
    return (
      <g role="note" aria-label={row.label}>
        {inside}
      </g>
    )
  const shown = id === shownId
  const top = row.kind === 'gap' ? row.y - row.height + 14 : row.y - 27
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' ? openShownDelivery(store) : moveWith(event.key)) event.preventDefault()
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
      }}
      onFocus={() => {
        select(id)
      }}
      onKeyDown={onKeyDown}
      className="group outline-none"
    >
      {/* Its name for those who do not see it: the drawing cuts long texts, and says with a glyph how it went. */}
      <text x={24} y={row.y} fontSize={1} opacity={0}>
        {[`${looks[row.look].word}: ${row.label}`, row.detail, row.businessTime].filter(Boolean).join(', ')}
      </text>
      <rect
        x={0}
        y={top}
        width={layout.width}
        height={row.height}
        className={`group-focus-visible:stroke-accent ${shown ? 'fill-selected' : 'fill-transparent group-hover:fill-raised'}`}
      />
      {shown && <rect x={0} y={top} width={2} height={row.height} className="fill-accent" />}
      {/* The band of the selection lies over the lifelines: they are drawn once more, on it. */}
      {layout.lifelines.map(({ actor, x }) => (
        <path key={actor} d={`M${x} ${top} v${row.height}`} className="stroke-line" />
      ))}
      <g aria-hidden>{inside}</g>
    </g>
  )
}

/** What an arrow key, and its like, does among the steps. */
export function moveWith(key: string): boolean {
  const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[key]
  return by !== undefined && movePlace(by)
}

function Gap({ row: { y, label, look }, layout: { width, lifelines } }: Omit<RowProps, 'shownId'>) {
  const middle = y - 8
  return (
    <>
      <rect x={0} y={middle - 12} width={width} height={24} className="fill-raised" />
      {lifelines.map(({ actor, x }) => (
        <path key={actor} d={`M${x} ${middle - 12} l5 6 l-10 6 l10 6 l-5 6`} className="fill-none stroke-subtle" />
      ))}
      <text x={24} y={middle + 4} className="fill-text text-small font-medium">
        {look !== 'planned' && <tspan className={looks[look].fill}>{`${glyphs[look]} `}</tspan>}
        {label}
      </text>
    </>
  )
}

/** About so many characters of the drawing's type stand on a width. */
function cut(text: string, width: number): string {
  const most = Math.max(8, Math.floor(width / 6.5))
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}

function Line({ row, layout }: Omit<RowProps, 'shownId'>) {
  const { y, fromX, toX, detail, look, businessTime, realTime } = row
  const { fill, stroke } = looks[look]
  const quiet = look === 'planned' || look === 'skip'
  const start = Math.min(fromX, toX)
  const end = Math.max(fromX, toX)
  const left = layout.lifelines[0]?.x ?? start
  const note = row.kind === 'note'
  const x = start + (note ? 12 : 8)
  const most = layout.width - 12
  // A label begins at its arrow and runs on to the edge; where there is more room before its end than after its start, it ends there.
  const fromEnd = !note && end - left > most - x
  const room = fromEnd ? end - 8 - left : most - x
  const anchor = fromEnd ? ({ x: end - 8, textAnchor: 'end' } as const) : { x }
  const way = toX > fromX ? -1 : 1
  return (
    <>
      {businessTime !== null && (
        <text x={24} y={y - 6} className="fill-muted font-mono text-tiny">
          {businessTime}
        </text>
      )}
      {realTime !== null && (
        <text x={24} y={y + 9} className="fill-subtle font-mono text-tiny">
          {realTime}
        </text>
      )}
      {note ? (
        <circle cx={fromX} cy={y} r={4} className={`fill-ground ${stroke}`} />
      ) : (
        <>
          <path
            d={`M${fromX} ${y} H${toX + way * 6}`}
            strokeWidth={1.25}
            strokeDasharray={quiet || look === 'missing' ? '4 4' : undefined}
            className={`fill-none ${stroke}`}
          />
          <path d={`M${toX} ${y} l${way * 8} -4 v8 z`} className={look === 'pass' ? 'fill-text' : fill} />
        </>
      )}
      <text {...anchor} y={note ? y + 4 : y - 6} className="text-small">
        <tspan className={fill}>{glyphs[look]}</tspan>
        <tspan className={quiet ? 'fill-subtle' : 'fill-text'}> {cut(row.label, room - 16)}</tspan>
      </text>
      {detail !== null && (
        <text {...anchor} y={y + 15} className="fill-bad text-small">
          {cut(detail, room)}
        </text>
      )}
    </>
  )
}

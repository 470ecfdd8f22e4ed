/**
 * A flow as a sequence diagram, of the same parts as in its report. Each step is a button: up and
 * down move between steps. In a narrow pane, it is a list.
 */
import type { KeyboardEvent, MouseEvent } from 'react'
import { diagramOf } from '../../../shared/flow-diagram/diagram.ts'
import type { DiagramRow } from '../../../shared/flow-diagram/diagram-row.ts'
import {
  diagramRules,
  drawFeet,
  drawHeads,
  drawRow,
  laneClass,
  type Part,
} from '../../../shared/flow-diagram/drawing.ts'
import type { FlowPlan, FlowRun } from '../../../shared/model/flow-run.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { movePlace } from './open-flow.ts'

const windowRules = `
.flow [data-flow-place]:hover{--flow-paper:var(--raised)}
.flow [aria-pressed='true']{--flow-paper:var(--selected)}
.flow [aria-pressed='true']::after,.flow [data-flow-place]:focus-visible::after{content:'';position:absolute;inset:0;z-index:1;border-left:2px solid var(--accent);pointer-events:none}
.flow [aria-pressed='true'] .life{border-color:var(--edge)}
.flow [aria-pressed='true'].is-wait::before{background:var(--selected)}
.flow [data-flow-place]:focus-visible{outline:none}
.flow [data-flow-place]:focus-visible::after{outline:1.5px solid var(--accent);outline-offset:-1.5px}
.flow .progress{grid-row:1/-1;grid-column:1/-1;align-self:end;height:2px;margin-bottom:4px;background:var(--accent);transform-origin:left;animation:flow-wait linear both}
@keyframes flow-wait{from{scale:0 1}}
@media (forced-colors:active){.flow [aria-pressed='true']::after{outline:2px solid Highlight;outline-offset:-2px}.flow .progress{background:Highlight}}
`

const sheet = new CSSStyleSheet()
sheet.replaceSync(diagramRules + windowRules)
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]

const moves: Readonly<Record<string, number | undefined>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  Home: -Infinity,
  End: Infinity,
}

function Parts({ parts }: { readonly parts: readonly Part[] }) {
  return parts.map((part, index) =>
    typeof part === 'string' ? (
      part
    ) : (
      <span key={index} className={part.className}>
        <Parts parts={part.inside} />
      </span>
    ),
  )
}

export function FlowDiagram({
  drawn,
  shownId,
}: {
  readonly drawn: FlowPlan | FlowRun
  readonly shownId: string | null
}) {
  const select = useApp((state) => state.flows.selectPlace)
  const diagram = diagramOf(drawn)
  // Some steps aren't drawn. One of the others must be reachable with Tab.
  const places = diagram.rows.flatMap(({ place }) => place ?? [])
  const reachable = shownId !== null && places.includes(shownId) ? shownId : places[0]
  return (
    <div className="@container h-full scroll-pt-13 overflow-auto bg-ground">
      <div
        role="group"
        aria-label={`Sequence diagram: ${diagram.title}`}
        className={`select-none ${laneClass(diagram)}`}
      >
        <div aria-hidden className="drawing">
          <Parts parts={[drawHeads(diagram)]} />
        </div>
        {diagram.rows.map((row, index) => {
          const { place, kind, words } = row
          const button =
            place === null
              ? { role: 'note', 'aria-label': words }
              : {
                  role: 'button',
                  tabIndex: place === reachable ? 0 : -1,
                  'aria-pressed': place === shownId,
                  'data-flow-place': place,
                  onFocus: () => select(place),
                  onClick: (event: MouseEvent<HTMLElement>) => event.currentTarget.focus(),
                  onKeyDown(event: KeyboardEvent) {
                    const by = moves[event.key]
                    if (by !== undefined && movePlace(by)) event.preventDefault()
                  },
                }
          return (
            <div key={place ?? `${kind} ${index}`} className={`row is-${kind}`} {...button}>
              {/* The accessible name: the drawing shows outcomes as glyphs. */}
              {place !== null && <span className="words">{words}</span>}
              <span aria-hidden className="drawing">
                <Parts parts={drawRow(row, diagram)} />
                <Progress row={row} />
              </span>
            </div>
          )
        })}
        <Parts parts={[drawFeet(diagram)]} />
      </div>
    </div>
  )
}

/** Shows the progress of a wait, animated at the speed of the run between two reports. */
function Progress({ row: { progress } }: { readonly row: DiagramRow }) {
  if (progress === null) return null
  const { share, restMs } = progress
  const left = Math.max(1 - share, 0.001)
  return (
    <span
      key={`${share} ${restMs}`}
      className="progress"
      style={
        restMs === null
          ? { scale: `${share} 1`, animation: 'none' }
          : // As if it had begun earlier, at no progress.
            {
              animationDuration: `${restMs / left}ms`,
              animationDelay: `${(-restMs * share) / left}ms`,
            }
      }
    />
  )
}

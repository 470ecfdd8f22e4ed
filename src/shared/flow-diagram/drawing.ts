/**
 * Drawing of a diagram as elements on a CSS grid, for the window and the report. `at-3 to-4` spans
 * the columns between grid lines 3 and 4.
 */
import type { FlowActor } from '../model/flow.ts'
import { glyphText, labelOf } from '../model/outcomes.ts'
import type { Diagram } from './diagram.ts'
import type { DiagramArrow, DiagramRow, DiagramColor } from './diagram-row.ts'
import { actorLabels, actorOrder } from './words.ts'

export type Part = string | Element
interface Element {
  readonly className: string
  readonly inside: readonly Part[]
}

function part(className: string, ...inside: readonly (Part | null)[]): Element {
  return { className, inside: inside.filter((one) => one !== null) }
}

/** Grid line of the first lifeline, after the times' column and a margin. */
const FIRST_LINE = 3

const between = (one: number, other: number) =>
  `at-${Math.min(one, other)} to-${Math.max(one, other)}`

/** Returns the class that gives a diagram its columns. */
export const laneClass = ({ lanes }: Diagram): string => `flow lanes-${lanes.length}`

const lifelines = (lanes: readonly FlowActor[]) =>
  lanes.map((_, index) => part(`life at-${FIRST_LINE + index}`))

export function drawHeads({ lanes, handlerName }: Diagram): Part {
  return part(
    'heads',
    ...lifelines(lanes),
    ...lanes.map((actor, index) =>
      part(
        `head at-${FIRST_LINE + index}`,
        part(
          actor === 'attacker' ? 'box is-bad' : 'box',
          part('bold', actorLabels[actor]),
          actor === 'handler' && handlerName !== null ? part('mono', ` @${handlerName}`) : null,
        ),
      ),
    ),
    part('times', 'Sandbox time', part('small', '+ real time')),
  )
}

export const drawFeet = ({ lanes }: Diagram): Part => part('feet', ...lifelines(lanes))

const textLine = ({ text, ink }: { readonly text: string; readonly ink: DiagramColor }) =>
  part(`line i-${ink}`, text)

function arrow(
  style: string,
  from: number,
  to: number,
  { ink, glyph }: Pick<DiagramArrow, 'ink' | 'glyph'>,
): Part {
  const way = to < from ? ' left' : ''
  return part(
    `arrow ${style}${way} i-${ink} ${between(from, to)}`,
    glyph === '' ? null : part('glyph', glyph),
  )
}

export function drawRow(row: DiagramRow, { lanes }: Diagram): readonly Part[] {
  const { outcome, kind, businessTime, realTime } = row
  const times =
    businessTime === null || kind === 'wait'
      ? null
      : part('times', businessTime, realTime === null ? null : part('small', realTime))
  const verdict =
    outcome === null || outcome.glyph === 'waiting'
      ? null
      : part(
          `verdict i-${{ good: 'ok', bad: 'bad', warn: 'warn', active: 'accent', neutral: 'text-subtle' }[outcome.tone]}`,
          glyphText[outcome.glyph],
          outcome.tone === 'bad' ? part('bold', ` ${labelOf(outcome)}`) : null,
        )
  return [...lifelines(lanes), ...contentOf(row, lanes), times, verdict].filter(
    (one) => one !== null,
  )
}

function contentOf(row: DiagramRow, lanes: readonly FlowActor[]): readonly (Part | null)[] {
  const { kind, title, ink, lines, extra, arrow: request, response, isEvent } = row
  const lineOf = (actor: FlowActor) => FIRST_LINE + lanes.indexOf(actor)
  const [from, to] = [lineOf(row.from), lineOf(row.to)]
  const name = part(`bold i-${ink}`, title)
  const more = lines.map(textLine)
  switch (kind) {
    case 'wait':
      return [part('band', name, ...more)]
    case 'gave-up':
      return [
        part(`terminal i-bad at-${from}`, '✕'),
        part(`text at-${from} to-${FIRST_LINE + lanes.length}`, name, ...more),
      ]
    case 'check': {
      const isBad = row.outcome?.tone === 'bad' ? ' is-bad' : ''
      const edge =
        lanes.length > 1 && from === FIRST_LINE
          ? ' is-first'
          : lanes.length > 1 && row.from === lanes.at(-1)
            ? ' is-last'
            : ''
      return [part(`note at-${from}${edge}`, part(`box${isBad}`, name, ...more))]
    }
    default:
      return [
        part(
          `text title ${between(from, to)}`,
          part('who', `${actorLabels[row.from]} → ${actorLabels[row.to]}`),
          isEvent ? part(`dot i-${ink}`) : null,
          part(isEvent ? 'event' : '', name),
          extra === null ? null : part('i-text-muted', ` ${extra}`),
        ),
        request === null ? null : arrow(request.isPlanned ? 'planned' : kind, from, to, request),
        more.length === 0 ? null : part(`text content ${between(from, to)}`, ...more),
        ...(response === null
          ? []
          : [
              part(`text response ${between(from, to)}`, textLine(response)),
              arrow(response.isCut ? 'back cut' : 'back', to, from, response),
            ]),
      ]
  }
}

const inks: readonly DiagramColor[] = [
  ...(['text', 'text-muted', 'text-subtle', 'accent', 'ok', 'bad', 'warn'] as const),
  ...(['auth', 'clearing', 'refund', 'card', 'location'] as const).map(
    (tint) => `event-${tint}` as const,
  ),
]

const lines = [...actorOrder.keys(), actorOrder.length].map((index) => FIRST_LINE + index)

const columns = (lanes: number, least: string) =>
  `104px minmax(52px,1fr) ${lanes > 1 ? `repeat(${lanes - 1},minmax(${least},4fr)) ` : ''}minmax(64px,1fr) minmax(32px,max-content)`

/** Style sheet. The window and reports define the colors by name. */
export const diagramRules = `
.flow{--flow-paper:var(--ground);display:grid;min-width:min-content;font:450 12px/16px Inter Variable,Inter,system-ui,sans-serif;color:var(--text)}
.flow .mono,.flow .times{font-family:'JetBrains Mono Variable','JetBrains Mono',ui-monospace,Menlo,monospace;font-variant-ligatures:none}
.flow .bold{font-weight:550}
${inks.map((ink) => `.flow .i-${ink}{color:var(--${ink})}`).join('\n')}
${lines.map((at, index) => `.flow .at-${at}{grid-column-start:${at}}.flow .to-${at}{grid-column-end:${at}}.lanes-${index}{grid-template-columns:${columns(index, 'min-content')}}`).join('\n')}
.flow .row,.flow .heads,.flow .feet{position:relative;display:grid;grid-column:1/-1;grid-template-columns:subgrid;background:var(--flow-paper)}
.flow .row{grid-template-rows:repeat(5,auto) minmax(10px,1fr);min-height:44px}
.flow .drawing{display:contents}
.flow .words{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:pre}
.flow .feet{height:12px}
.flow .heads{position:sticky;top:0;z-index:2;grid-template-rows:8px 32px 12px}
.flow .head,.flow .note{width:0;display:flex;justify-content:center}
.flow .box{flex:none;max-width:160px;padding:7px 8px;background:var(--raised);border:1px solid var(--line);border-radius:6px;overflow:hidden;white-space:pre;text-overflow:ellipsis}
.flow .is-bad{border-color:var(--bad)}
.flow .head{grid-row:2}
.flow .head .is-bad{background:var(--bad-wash);color:var(--bad)}
.flow .life{grid-row:1/-1;width:0;border-left:1px solid var(--line)}
.flow .heads .life{grid-row:3}
.flow .times{grid-row:1/-1;grid-column:1;position:sticky;left:0;z-index:1;padding:6px 0 6px 16px;background:inherit;color:var(--text-muted);font-size:11px;white-space:pre}
.flow .small{display:block;color:var(--text-subtle)}
.flow .heads .times{font-family:inherit;padding-top:14px}
.flow .verdict{grid-row:1/-1;grid-column:-2/-1;padding:7px 16px 0 4px;white-space:pre}
.flow .text{min-width:124px;padding:0 8px 0 12px;overflow-wrap:anywhere}
.flow .text>*,.flow .line{background:var(--flow-paper)}
.flow .event{overflow-wrap:normal}
.flow .title{grid-row:1;padding-top:7px}
.flow .who{display:none}
.flow .content{grid-row:3;padding-top:2px}
.flow .response{grid-row:4;padding-top:2px}
.flow .line{display:block;width:fit-content;max-width:100%}
.flow .dot{display:inline-block;width:7px;height:7px;margin-right:7px;border-radius:50%;border:4px solid currentColor}
.flow .arrow{grid-row:2;position:relative;height:14px}
.flow .left{scale:-1 1}
.flow .left .glyph{scale:-1 1}
.flow .arrow::before{content:'';position:absolute;top:6px;left:0;right:8px;border-top:2px solid}
.flow .arrow::after{content:'';position:absolute;top:2.5px;right:0;height:9px;border-left:9px solid;clip-path:polygon(0 0,100% 50%,0 100%)}
.flow .action::before,.flow .planned::before,.flow .back::before{border-top-width:1px}
.flow .planned::before,.flow .back::before{border-top-style:dashed}
.flow .back{grid-row:5}
.flow .cut::before{right:50%}
.flow .cut::after{display:none}
.flow .glyph{position:absolute;top:0;right:15px;width:14px;height:14px;border:1.5px solid;border-radius:50%;background:var(--flow-paper);font:700 9px/11px system-ui,sans-serif;text-align:center}
.flow .cut .glyph{right:calc(50% - 7px)}
.flow .note{grid-row:1/-1;align-self:center;margin:8px 0}
.flow .note .box{max-width:280px;padding:3px 14px;text-align:center;white-space:normal;overflow-wrap:anywhere}
.flow .note .line{background:none;margin:0 auto}
.flow .note.is-first{grid-column:2/5;width:auto;justify-content:start}
.flow .note.is-last{grid-column:-5/-2;width:auto;justify-content:end}
.flow .is-wait .life{border-left-style:dashed}
.flow .is-wait::before{content:'';grid-row:1/-1;grid-column:1/-1;margin:4px 0;background:var(--raised);border-block:1px solid var(--line)}
.flow .band{grid-row:1/-1;grid-column:1/-2;align-self:center;position:sticky;left:0;width:fit-content;padding:9px 16px}
.flow .band .line{background:none;font-size:11px}
.flow .is-wait .verdict,.flow .is-check .verdict{align-self:center;padding-top:0}
.flow .is-gave-up{--flow-paper:var(--bad-wash)}
.flow .terminal{grid-row:1/-1;align-self:center;justify-self:start;translate:-50%;width:20px;height:20px;border:1.5px solid;border-radius:50%;background:var(--flow-paper);font-weight:700;text-align:center}
.flow .is-gave-up .text{grid-row:1/-1;align-self:center;padding-left:20px}
@container (max-width:560px){
.flow{display:block;min-width:0}
.flow .heads,.flow .feet,.flow .life,.flow .arrow,.flow .terminal{display:none}
.flow .row{grid-template:auto/minmax(0,1fr) auto;min-height:0;padding:6px 0;border-bottom:1px solid var(--line)}
.flow .drawing>*{position:static;grid-area:auto/1;width:auto;min-width:0;justify-content:start;margin:0;padding:0 16px;text-align:left}
.flow .drawing>.verdict{grid-area:1/2/span 6}
.flow .who{display:block;color:var(--text-subtle)}
.flow .small{display:inline;padding-left:8px}
}
@media print{
${lines.map((_, index) => `.lanes-${index}{grid-template-columns:${columns(index, '0')}}`).join('')}
.flow .heads,.flow .times,.flow .band{position:static}
.flow .row{break-inside:avoid}
.flow .text,.flow .event{min-width:0;overflow-wrap:anywhere}
}
`

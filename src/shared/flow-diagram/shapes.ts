/** The shapes of a sequence diagram, drawn the same way by the window and by files. `diagram-css.ts` has the colors. */
import type { FlowActor } from '../model/flow.ts'
import { ASCENT, LINE, type DiagramLayout, type DiagramRow, type Lifeline, type Look } from './layout.ts'
import { cutToWidth } from './text-width.ts'

export type Shape =
  | {
      readonly kind: 'path'
      readonly as: 'life' | 'pause' | 'arrow' | 'reply' | 'tip' | 'open-tip'
      readonly d: string
      /** The lifeline it belongs to. */
      readonly actor?: FlowActor
    }
  | {
      readonly kind: 'text'
      readonly as: 'actor' | 'business' | 'real' | 'label' | 'long' | 'detail' | 'answer' | 'title'
      readonly x: number
      readonly y: number
      readonly text: string
      /** The status icon before it. */
      readonly mark?: string
      readonly anchor?: 'middle'
      readonly actor?: FlowActor
    }
  | {
      readonly kind: 'box'
      readonly as: 'head' | 'note' | 'band' | 'passed'
      readonly x: number
      readonly y: number
      readonly width: number
      readonly height: number
      readonly radius: number
      readonly actor?: FlowActor
    }

/** Status icons, readable without color. */
export const glyphs: Readonly<Record<Look, string>> = {
  planned: '○',
  running: '◔',
  pass: '✓',
  fail: '✕',
  skip: '⊘',
  missing: '?',
  stray: '!',
}

const LEFT = 20
/** The distance from an arrow, or the text under it, to the response. */
const REPLY_DOWN = 22

function lines(as: 'label' | 'detail', texts: readonly string[], x: number, y: number, mark?: string): Shape[] {
  return texts.map((text, index): Shape => ({
    kind: 'text',
    as,
    // Further lines align with the text, not with the icon.
    x: mark !== undefined && index > 0 ? x + 14 : x,
    y: y + index * LINE,
    text,
    ...(mark !== undefined && index === 0 ? { mark } : {}),
  }))
}

function times({ businessTime, realTime, top }: DiagramRow): Shape[] {
  const y = top + 9 + ASCENT
  return [
    ...(businessTime === null ? [] : [{ kind: 'text', as: 'business', x: LEFT, y, text: businessTime } as const]),
    ...(realTime === null ? [] : [{ kind: 'text', as: 'real', x: LEFT, y: y + LINE, text: realTime } as const]),
  ]
}

function lives({ top, height }: DiagramRow, lifelines: readonly Lifeline[]): Shape[] {
  return lifelines.map(({ actor, x }): Shape => ({ kind: 'path', as: 'life', d: `M${x} ${top} v${height}`, actor }))
}

/** A gap: a band that interrupts each lifeline. */
function gap(row: DiagramRow, { lifelines, width }: DiagramLayout): Shape[] {
  const { top, height, y, label, detail, look, progress } = row
  const inset = 5
  const breaks = lifelines.flatMap(({ actor, x }): Shape[] => [
    { kind: 'path', as: 'life', d: `M${x} ${top} V${y - 10} M${x} ${y + 10} V${top + height}`, actor },
    { kind: 'path', as: 'pause', d: `M${x} ${y - 10} l5 5 l-10 5 l10 5 l-5 5` },
  ])
  const mark = look === 'planned' || look === 'running' ? { mark: glyphs[look] } : {}
  return [
    { kind: 'box', as: 'band', x: 0, y: top + inset, width, height: height - 2 * inset, radius: 0 },
    ...(progress === null
      ? []
      : [
          {
            kind: 'box',
            as: 'passed',
            x: 0,
            y: top + height - inset - 2,
            width: Math.round(width * progress),
            height: 2,
            radius: 0,
          } as const,
        ]),
    ...breaks,
    { kind: 'text', as: 'long', x: LEFT, y: detail === null ? y + 4 : y - 3, text: label, ...mark },
    ...(detail === null ? [] : [{ kind: 'text', as: 'real', x: LEFT, y: y + 12, text: detail } as const]),
  ]
}

/** A note in a box on its lifeline, kept inside the drawing. */
function note(row: DiagramRow, { width, lifelines }: DiagramLayout): Shape[] {
  const { fromX, y, boxWidth, lines: texts, look, details, top } = row
  const height = texts.length * LINE + 10
  const first = lifelines[0]?.x ?? fromX
  const x = Math.max(Math.min(fromX - boxWidth / 2, width - 12 - boxWidth), Math.min(first - 62, fromX - 12))
  return [
    { kind: 'box', as: 'note', x, y: y - height / 2, width: boxWidth, height, radius: 6 },
    ...lines('label', texts, x + 10, y - height / 2 + 5 + ASCENT, glyphs[look]),
    ...lines('detail', details, x + 10, top + texts.length * LINE + 18 + 6 + ASCENT),
  ]
}

function tip(x: number, y: number, way: -1 | 1): string {
  return `M${x} ${y} l${way * 9} -4.5 v9 z`
}

function arrow(row: DiagramRow): Shape[] {
  const { fromX, toX, y, lines: texts, details, look, answer } = row
  const way = toX > fromX ? -1 : 1
  const start = Math.min(fromX, toX)
  const x = start + 9
  const detailEnd = y + (details.length === 0 ? 0 : details.length * LINE + 4)
  const back = detailEnd + REPLY_DOWN
  return [
    { kind: 'path', as: 'arrow', d: `M${fromX} ${y} H${toX + way * 7}` },
    { kind: 'path', as: 'tip', d: tip(toX, y, way) },
    ...lines('label', texts, x, y - 7 - (texts.length - 1) * LINE, glyphs[look]),
    ...lines('detail', details, x, y + 4 + ASCENT),
    ...(answer === null
      ? []
      : ([
          { kind: 'path', as: 'reply', d: `M${toX} ${back} H${fromX - way}` },
          { kind: 'path', as: 'open-tip', d: `M${fromX - way * 8} ${back - 4} L${fromX - way} ${back} l${-way * 7} 4` },
          { kind: 'text', as: 'answer', x, y: back - 6, text: cutToWidth(answer, Math.abs(toX - fromX) - 14) },
        ] as const)),
  ]
}

/** A row's classes: status and kind. */
export function rowClasses({ look, kind, isDelivery }: DiagramRow): string {
  return [look, ...(kind === 'gap' ? ['gap'] : kind === 'note' ? ['note-row'] : isDelivery ? ['delivery'] : [])].join(' ')
}

/** The shapes of a row, lifelines first. */
export function rowShapes(row: DiagramRow, layout: DiagramLayout): readonly Shape[] {
  if (row.kind === 'gap') return gap(row, layout)
  return [...lives(row, layout.lifelines), ...times(row), ...(row.kind === 'note' ? note(row, layout) : arrow(row))]
}

export const HEAD_HEIGHT = 44

/** The heads of the lifelines and of the time column, from `top` on. */
export function headShapes({ lifelines }: DiagramLayout, top: number): readonly Shape[] {
  const [first, second] = lifelines
  const half = Math.min(62, (first === undefined || second === undefined ? 200 : second.x - first.x) / 2 - 4)
  return [
    { kind: 'text', as: 'business', x: LEFT, y: top + 17, text: 'Sandbox time' },
    { kind: 'text', as: 'real', x: LEFT, y: top + 17 + LINE, text: '+ real time' },
    ...lifelines.flatMap(({ actor, label, x }): Shape[] => [
      { kind: 'path', as: 'life', d: `M${x} ${top + 34} V${top + HEAD_HEIGHT}`, actor },
      { kind: 'box', as: 'head', x: x - half, y: top + 8, width: 2 * half, height: 26, radius: 6, actor },
      { kind: 'text', as: 'actor', x, y: top + 25, text: label, anchor: 'middle', actor },
    ]),
  ]
}

/** The ends of the lifelines, below the last row. */
export function footShapes({ lifelines, height }: DiagramLayout): readonly Shape[] {
  return lifelines.map(({ actor, x }): Shape => ({ kind: 'path', as: 'life', d: `M${x} ${height - 20} v10`, actor }))
}

/** The shapes of a sequence diagram and their styles, the same in the window and in reports. */
import type { FlowActor } from '../model/flow.ts'
import type { Ink } from './story.ts'
import { partsWidth, type Font, type FontText } from './text-width.ts'

export interface InkedText extends FontText {
  readonly tone: Ink
}

export type PathStyle =
  | 'life'
  | 'ended'
  | 'zigzag'
  | 'arrow'
  | 'action'
  | 'planned'
  | 'return'
  | 'tip'
  | 'open-tip'
  | 'slashes'
export type BoxStyle = 'head' | 'red-head' | 'note' | 'band' | 'passed' | 'busy'
export type IconName =
  'valid' | 'invalid' | 'stale' | 'unknown' | 'clock' | 'check' | 'cross' | 'skip' | 'running'

export type Shape =
  | {
      readonly kind: 'path'
      readonly as: PathStyle
      readonly d: string
      readonly ink?: Ink
      /** The lifeline it belongs to. */
      readonly actor?: FlowActor
    }
  | {
      readonly kind: 'text'
      readonly x: number
      readonly y: number
      readonly parts: readonly InkedText[]
      readonly anchor?: 'middle' | 'end'
      readonly actor?: FlowActor
    }
  | {
      readonly kind: 'box'
      readonly as: BoxStyle
      readonly x: number
      readonly y: number
      readonly width: number
      readonly height: number
      readonly radius: number
      readonly ink?: Ink
      readonly actor?: FlowActor
    }
  | {
      readonly kind: 'icon'
      readonly icon: IconName
      /** Its middle. */
      readonly x: number
      readonly y: number
      readonly size: number
      readonly ink: Ink
      /** Covers the line behind it. */
      readonly onLine: boolean
    }
  | {
      readonly kind: 'dot'
      readonly x: number
      readonly y: number
      readonly r: number
      readonly ink: Ink
      readonly isRing?: true
    }

/** What a legend can explain. */
export type LegendMark =
  | 'valid'
  | 'invalid'
  | 'stale'
  | 'unsigned'
  | 'acknowledged'
  | 'acknowledged-2xx'
  | 'refused'
  | 'not-acknowledged'
  | 'recorded'
  | 'timeout'
  | 'dropped'
  | 'gave-up'
  | 'as-expected'
  | 'failed'

/** Outlines in a square of 24, as the app's icons. */
export const iconPaths: Readonly<
  Record<IconName, { readonly d: string; readonly isCircled: boolean }>
> = {
  valid: { d: 'm16 9-5.5 5.5L8 12', isCircled: true },
  invalid: { d: 'm15 9-6 6M9 9l6 6', isCircled: true },
  stale: { d: 'M12 7v6M12 16.5v.01', isCircled: true },
  unknown: { d: 'M9.1 9a3 3 0 0 1 5.8 1c0 2-3 3-3 3M12 17h.01', isCircled: true },
  clock: { d: 'M12 6v6l4 2', isCircled: true },
  check: { d: 'M20 6 9 17l-5-5', isCircled: false },
  cross: { d: 'M18 6 6 18M6 6l12 12', isCircled: false },
  skip: { d: 'M9 15l6-6', isCircled: true },
  running: { d: 'M12 12h.01', isCircled: true },
}

export const inkText = (
  value: string,
  font: Font = 'plain',
  tone: Ink = 'plain',
  gap = 0,
): InkedText => ({
  text: value,
  font,
  tone,
  gap,
})

export const line = (x: number, y: number, parts: readonly InkedText[]): Shape => ({
  kind: 'text',
  x,
  y,
  parts,
})

/** The longest of the alternatives that fits; the last one if none does. */
export function firstFitting(
  ways: readonly (readonly InkedText[])[],
  room: number,
): readonly InkedText[] {
  return ways.find((parts) => partsWidth(parts) <= room) ?? ways.at(-1) ?? []
}

/** A row's request: a line with a full tip, and a glyph before it. */
export function requestShapes(
  from: number,
  to: number,
  y: number,
  ink: Ink,
  icon: IconName | null,
): Shape[] {
  const way = to > from ? 1 : -1
  return [
    { kind: 'path', as: 'arrow', d: `M${from} ${y}H${to - 8 * way}`, ink },
    { kind: 'path', as: 'tip', d: `M${to} ${y}l${-9 * way} -4.5v9z`, ink },
    ...(icon === null
      ? []
      : [{ kind: 'icon', icon, x: to - 22 * way, y, size: 14, ink, onLine: true } as const]),
  ]
}

/** What a person or another system does. */
export function actionShapes(
  from: number,
  to: number,
  y: number,
  ink: Ink,
  isPlanned: boolean,
): Shape[] {
  const way = to > from ? 1 : -1
  return [
    { kind: 'path', as: isPlanned ? 'planned' : 'action', d: `M${from} ${y}H${to - 8 * way}`, ink },
    { kind: 'path', as: 'tip', d: `M${to} ${y}l${-9 * way} -4.5v9z`, ink },
  ]
}

/** A response on its way back, with a glyph where it ends. */
export function returnShapes(
  from: number,
  to: number,
  y: number,
  ink: Ink,
  icon: IconName | null,
): Shape[] {
  return [
    { kind: 'path', as: 'return', d: `M${from - 2} ${y}H${to + 2}`, ink },
    {
      kind: 'path',
      as: 'open-tip',
      d: `M${to + 9} ${y - 4}L${to + 2} ${y}L${to + 9} ${y + 4}`,
      ink,
    },
    ...(icon === null
      ? []
      : [{ kind: 'icon', icon, x: to + 22, y, size: 14, ink, onLine: true } as const]),
  ]
}

/** No response in time: dashes that end in a clock. */
export function timeoutShapes(from: number, to: number, y: number): Shape[] {
  const x = Math.round(to + (from - to) * 0.42)
  return [
    { kind: 'path', as: 'return', d: `M${from - 2} ${y}H${x + 12}`, ink: 'bad' },
    { kind: 'icon', icon: 'clock', x, y, size: 18, ink: 'bad', onLine: true },
  ]
}

/** A dropped connection: dashes that break off at two slashes, and a cross. */
export function droppedShapes(from: number, to: number, y: number): Shape[] {
  const x = Math.round(to + (from - to) * 0.5)
  return [
    { kind: 'path', as: 'return', d: `M${from - 2} ${y}H${x + 30}`, ink: 'bad' },
    {
      kind: 'path',
      as: 'slashes',
      d: `M${x + 21} ${y + 6}l6 -12M${x + 14} ${y + 6}l6 -12`,
      ink: 'bad',
    },
    { kind: 'icon', icon: 'cross', x: x + 2, y, size: 14, ink: 'bad', onLine: false },
  ]
}

/** The end of all attempts, on the service's lifeline. */
export function gaveUpShapes(x: number, y: number): Shape[] {
  return [
    { kind: 'dot', x, y, r: 11, ink: 'bad', isRing: true },
    { kind: 'path', as: 'slashes', d: `M${x - 3.5} ${y - 3.5}l7 7m0 -7l-7 7`, ink: 'bad' },
  ]
}

/** A lifeline interrupted by a wait. */
export function zigzag(x: number, middle: number): string {
  return `M${x} ${middle - 12}v4l5 4l-10 8l5 4v4`
}

/** A mark of the legend, 28 by 14. */
export function legendShapes(mark: LegendMark): readonly Shape[] {
  const request = (ink: Ink): Shape[] => requestShapes(0, 28, 7, ink, null)
  const back = (ink: Ink): Shape[] => [
    { kind: 'path', as: 'return', d: 'M28 7H2', ink },
    { kind: 'path', as: 'open-tip', d: 'M8 3L1 7L8 11', ink },
  ]
  const icon = (name: IconName, ink: Ink, x: number, size: number): Shape => ({
    kind: 'icon',
    icon: name,
    x,
    y: 7,
    size,
    ink,
    onLine: false,
  })
  switch (mark) {
    case 'valid':
      return request('ok')
    case 'invalid':
      return request('bad')
    case 'stale':
      return request('warn')
    case 'unsigned':
      return request('muted')
    case 'acknowledged':
    case 'acknowledged-2xx':
      return back('ok')
    case 'refused':
    case 'not-acknowledged':
      return back('bad')
    case 'recorded':
      return back('subtle')
    case 'timeout':
      return [
        { kind: 'path', as: 'return', d: 'M28 7H16', ink: 'bad' },
        icon('clock', 'bad', 7, 13),
      ]
    case 'dropped':
      return [
        { kind: 'path', as: 'return', d: 'M28 7H18', ink: 'bad' },
        { kind: 'path', as: 'slashes', d: 'M10 12l4 -10M15 12l4 -10', ink: 'bad' },
        icon('cross', 'bad', 4, 9),
      ]
    case 'gave-up':
      return [icon('invalid', 'bad', 14, 14)]
    case 'as-expected':
      return [icon('check', 'ok', 14, 13)]
    case 'failed':
      return [icon('cross', 'bad', 14, 13)]
  }
}

export const markWords: Readonly<Record<LegendMark, string>> = {
  valid: 'Valid',
  invalid: 'Invalid',
  stale: 'Stale',
  unsigned: 'Unsigned',
  acknowledged: 'Acknowledged (200)',
  'acknowledged-2xx': 'Acknowledged (2xx)',
  refused: '4xx or 5xx',
  'not-acknowledged': 'Not acknowledged',
  recorded: 'Recorded only',
  timeout: 'Timeout',
  dropped: 'Dropped',
  'gave-up': 'Gave up',
  'as-expected': 'As expected',
  failed: 'Not as expected',
}

const inks: Readonly<Record<Ink, string>> = {
  plain: 'text',
  muted: 'text-muted',
  subtle: 'text-subtle',
  accent: 'accent',
  ok: 'ok',
  bad: 'bad',
  warn: 'warn',
  auth: 'event-auth',
  clearing: 'event-clearing',
  refund: 'event-refund',
  card: 'event-card',
  location: 'event-location',
}

/** The rules. The window and reports define the colors by name. */
export const diagramRules = `
.flow{--flow-paper:var(--ground);display:block}
.flow text{font:450 12px Inter Variable,Inter,system-ui,sans-serif;fill:currentColor;white-space:pre}
.flow .mono,.flow .tiny{font-family:'JetBrains Mono Variable','JetBrains Mono',ui-monospace,Menlo,monospace;font-variant-ligatures:none}
.flow .small,.flow .tiny{font-size:11px}
.flow .bold{font-weight:550}
${Object.entries(inks)
  .map(([ink, name]) => `.flow .i-${ink}{color:var(--${name})}`)
  .join('\n')}
.flow tspan{fill:currentColor}
.flow .paper{fill:var(--flow-paper)}
.flow .life{stroke:var(--line);fill:none}
.flow .ended{stroke:var(--edge);stroke-dasharray:2 4;fill:none}
.flow .zigzag{stroke:var(--edge);stroke-width:1.25;stroke-linejoin:round;fill:none}
.flow .head,.flow .note{fill:var(--raised);stroke:var(--line)}
.flow .note.i-bad{stroke:var(--bad)}
.flow .red-head{fill:var(--bad-wash);stroke:var(--bad)}
.flow .band{fill:var(--raised)}
.flow .is-gave-up .row{fill:var(--bad-wash)}
.flow .passed{fill:var(--accent)}
.flow .busy{fill:var(--edge)}
.flow .arrow{stroke:currentColor;stroke-width:1.75;fill:none}
.flow .action{stroke:currentColor;stroke-width:1.25;fill:none}
.flow .planned{stroke:currentColor;stroke-width:1.25;stroke-dasharray:4 4;fill:none}
.flow .return{stroke:currentColor;stroke-width:1.25;stroke-dasharray:4 3;fill:none}
.flow .tip{fill:currentColor}
.flow .open-tip{stroke:currentColor;stroke-width:1.5;stroke-linecap:round;stroke-linejoin:round;fill:none}
.flow .slashes{stroke:currentColor;stroke-width:1.5;stroke-linecap:round;fill:none}
.flow .icon{stroke:currentColor;stroke-linecap:round;stroke-linejoin:round;fill:none}
.flow .ring{stroke:currentColor;stroke-width:1.75;fill:var(--flow-paper)}
.flow .dot{fill:currentColor}
.flow .is-gave-up{--flow-paper:var(--bad-wash)}
`

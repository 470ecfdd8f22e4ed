/**
 * The parts of a sequence diagram and their style sheet. The window makes React elements of them, the report HTML. Their classes
 * place them: `at-3 to-4` spans the columns between the lifelines on the grid's lines 3 and 4.
 */
import type { FlowActor } from '../model/flow.ts'
import type { EventTint } from '../service/event-type.ts'
import { actorOrder } from './words.ts'

/** A text, an element with parts, an outline in a box of its `viewBox` (stretched to its element), or a place to break a word. */
export type Part = string | Span | Outline | { readonly kind: 'break' }
interface Span {
  readonly kind: 'span'
  readonly className: string
  readonly inside: readonly Part[]
}
interface Outline {
  readonly kind: 'outline'
  readonly className: string
  readonly viewBox: string
  readonly d: string
}

export function part(className: string, ...inside: readonly Part[]): Span {
  return { kind: 'span', className, inside }
}

export function outline(className: string, viewBox: string, d: string): Outline {
  return { kind: 'outline', className, viewBox, d }
}

/** The colors of a drawing, by meaning. */
export type Ink = 'plain' | 'muted' | 'subtle' | 'accent' | 'ok' | 'bad' | 'warn' | EventTint
export type Font = 'plain' | 'bold' | 'mono'

export function inkText(text: string, font: Font = 'plain', ink: Ink = 'plain'): Span {
  return part(`${font} i-${ink}`, text)
}

const CIRCLE = 'M2 12a10 10 0 1 0 20 0a10 10 0 1 0-20 0'

/** Outlines in a square of 24, as the app's icons. */
const iconPaths = {
  valid: `${CIRCLE}m14-3-5.5 5.5L8 12`,
  invalid: `${CIRCLE}m13-3-6 6M9 9l6 6`,
  stale: `${CIRCLE}M12 7v6M12 16.5v.01`,
  unknown: `${CIRCLE}M9.1 9a3 3 0 0 1 5.8 1c0 2-3 3-3 3M12 17h.01`,
  timeout: `${CIRCLE}M12 6v6l4 2`,
  dropped: 'M14 6 2 18M2 6l12 12M26 22 34 2M36 22 44 2',
  check: 'M20 6 9 17l-5-5',
  cross: 'M18 6 6 18M6 6l12 12',
  skip: `${CIRCLE}M9 15l6-6`,
  running: `${CIRCLE}M12 12h.01`,
} as const
export type IconName = keyof typeof iconPaths

export function icon(name: IconName, ink: Ink): Outline {
  const viewBox = name === 'dropped' ? '0 0 46 24' : '0 0 24 24'
  return outline(`icon is-${name} i-${ink}`, viewBox, iconPaths[name])
}

/** The style of an arrow: a request, an action of a person or another system, one that hasn't happened, a response, or none. */
export type ArrowStyle = 'request' | 'action' | 'planned' | 'back' | 'back cut'

/** An arrow from one grid line to another. Its icon precedes the tip, or marks the point at which it is cut off. */
export function arrow(
  style: ArrowStyle,
  [from, to]: readonly [number, number],
  ink: Ink,
  name: IconName | null = null,
): Span {
  const way = to < from ? ' left' : ''
  const glyph = name === null ? [] : [icon(name, ink)]
  return part(`arrow ${style}${way} i-${ink} ${between(from, to)}`, ...glyph)
}

/** The classes of a part between two of the grid's lines. */
export function between(one: number, other: number): string {
  return `at-${Math.min(one, other)} to-${Math.max(one, other)}`
}

// The legend

const back = (ink: Ink): Span => part(`arrow back left i-${ink}`)
const request = (ink: Ink): Span => part(`arrow request i-${ink}`)

/** What a legend can explain: its sign and words, in the order of the legend. */
export const legend = {
  valid: [request('ok'), 'Valid'],
  invalid: [request('bad'), 'Invalid'],
  stale: [request('warn'), 'Stale'],
  unsigned: [request('muted'), 'Unsigned'],
  acknowledged: [back('ok'), 'Acknowledged (200)'],
  'acknowledged-2xx': [back('ok'), 'Acknowledged (2xx)'],
  recorded: [back('subtle'), 'Recorded only'],
  refused: [back('bad'), '4xx or 5xx'],
  'not-acknowledged': [back('bad'), 'Not acknowledged'],
  timeout: [icon('timeout', 'bad'), 'Timeout'],
  dropped: [icon('dropped', 'bad'), 'Dropped'],
  'gave-up': [icon('invalid', 'bad'), 'Gave up'],
  'as-expected': [icon('check', 'ok'), 'As expected'],
  failed: [icon('cross', 'bad'), 'Not as expected'],
} as const satisfies Readonly<Record<string, readonly [Span | Outline, string]>>
export type LegendMark = keyof typeof legend

/** The legend's entry of a mark. */
export function legendPart(mark: LegendMark): Part {
  const [sign, words] = legend[mark]
  const size = sign.className.startsWith('arrow') ? 'sign wide' : 'sign'
  return part('legend', part(size, sign), words)
}

// The style sheet

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

/** The line of the first lifeline: the times' column and a margin are before it. */
export const FIRST_LINE = 3
const lines = [...actorOrder.keys(), actorOrder.length].map((index) => FIRST_LINE + index)

/** The class of a participant's lifeline and head. */
export const ofActor = (actor: FlowActor): string => `of-${actor}`

/** The rules. The window and reports define the colors by name. */
export const diagramRules = `
.flow{--flow-paper:var(--ground);display:grid;min-width:min-content;font:450 12px/16px Inter Variable,Inter,system-ui,sans-serif;color:var(--text)}
.flow .mono,.flow .times{font-family:'JetBrains Mono Variable','JetBrains Mono',ui-monospace,Menlo,monospace;font-variant-ligatures:none}
.flow .bold{font-weight:550}
${Object.entries(inks)
  .map(([ink, name]) => `.flow .i-${ink}{color:var(--${name})}`)
  .join('\n')}
${lines.map((at) => `.flow .at-${at}{grid-column-start:${at}}.flow .to-${at}{grid-column-end:${at}}`).join('\n')}
.flow .row,.flow .heads,.flow .feet{position:relative;display:grid;grid-column:1/-1;grid-template-columns:subgrid;background:var(--flow-paper)}
.flow .drawing{display:contents}
.flow .row{grid-template-rows:repeat(5,auto) minmax(10px,1fr);min-height:46px}
.flow .feet{height:12px}
.flow .heads{position:sticky;top:0;z-index:2;grid-template-rows:8px 32px 12px}
.flow .head{grid-row:2;justify-self:start;translate:-50%;max-width:144px;padding:7px 8px;background:var(--raised);border:1px solid var(--line);border-radius:6px;line-height:16px;overflow:hidden;white-space:pre;text-overflow:ellipsis}
.flow .head.is-red{background:var(--bad-wash);border-color:var(--bad)}
.flow .head .mono{margin-left:6px}
.flow .life{grid-row:1/-1;width:0;border-left:1px solid var(--line)}
.flow .heads .life{grid-row:3}
.flow .life.ended{border-left:1px dotted var(--edge)}
.flow .times{grid-row:1/-1;grid-column:1;position:sticky;left:0;z-index:1;padding:6px 0 6px 16px;background:inherit;color:var(--text-muted);white-space:pre}
.flow .times span{display:block}
.flow .small{font-size:11px;color:var(--text-subtle)}
.flow .heads .times{font-family:inherit}
.flow .verdict{grid-row:1/-1;grid-column:-2/-1;display:flex;gap:4px;justify-content:center;padding-top:7px}
.flow .heads .verdict{padding-top:16px}
.flow .text{padding:0 8px 0 12px;overflow-wrap:anywhere}
.flow .text span{background:var(--flow-paper)}
.flow .title{grid-row:1;padding-top:7px}
.flow .content{grid-row:3;padding-top:2px}
.flow .response{grid-row:4;padding-top:2px}
.flow .line{display:block;width:fit-content}
.flow .line>*+*{margin-left:4px}
.flow .facts{display:grid;grid-template-columns:auto auto;justify-content:start;column-gap:12px}
.flow .facts .mono{text-align:right}
.flow .text .dot{display:inline-block;width:7px;height:7px;margin-right:7px;border-radius:50%;background:currentColor}
.flow .arrow{grid-row:2;position:relative;height:12px}
.flow .left{scale:-1 1}
.flow .left .icon{scale:-1 1}
.flow .arrow::before{content:'';position:absolute;top:5px;left:0;right:8px;border-top:2px solid}
.flow .arrow::after{content:'';position:absolute;top:1.5px;right:0;border:4.5px solid transparent;border-left:9px solid;border-right:0}
.flow .action::before,.flow .planned::before,.flow .back::before{border-top-width:1px}
.flow .planned::before,.flow .back::before{border-top-style:dashed}
.flow .back{grid-row:5}
.flow .back::before{right:2px}
.flow .back::after{top:2.25px;right:2px;width:6px;height:6px;border:0 solid;border-width:1.5px 1.5px 0 0;rotate:45deg}
.flow .cut::before{right:50%}
.flow .cut::after{display:none}
.flow .icon{height:14px;width:auto;aspect-ratio:1;fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}
.flow .is-check,.flow .is-cross{stroke-width:2.5}
.flow .is-dropped{aspect-ratio:46/24}
.flow .arrow .icon{position:absolute;top:-1px;right:15px;border-radius:50%;background:var(--flow-paper)}
.flow .cut .icon{right:calc(50% - 8px)}
.flow .cut .is-dropped{right:calc(50% - 28px);border-radius:0}
.flow .busy{grid-row:2/6;width:4px;margin:6px 0;translate:-1.5px;background:var(--edge);border-radius:1px}
.flow .note{grid-row:1/-1;align-self:center;justify-self:start;translate:-50%;width:max-content;max-width:280px;margin:8px 0;padding:3px 14px;text-align:center;background:var(--raised);border:1px solid var(--line);border-radius:6px;overflow-wrap:anywhere}
.flow .note.is-first{grid-column:2/5;translate:none;margin-left:4px}
.flow .note.is-last{grid-column:-5/-2;justify-self:end;translate:none;margin-right:4px}
.flow .note.is-bad{border-color:var(--bad)}
.flow .is-wait{min-height:52px}
.flow .is-wait::before{content:'';grid-row:1/-1;grid-column:1/-1;margin:4px 0;background:var(--raised)}
.flow .is-wait .length{grid-row:1/-1;grid-column:1/3;align-self:center;position:sticky;left:0;padding:8px 8px 8px 16px;overflow-wrap:anywhere}
.flow .length span{display:block}
.flow .length span+span{font-size:11px}
.flow .is-wait .verdict,.flow .is-check .verdict{align-items:center;padding:0}
.flow .zigzag{grid-row:1/-1;align-self:center;translate:-50%;width:12px;height:24px;background:var(--raised);fill:none;stroke:var(--edge);stroke-width:1.25;stroke-linejoin:round}
.flow .passed{grid-row:1/-1;grid-column:1/-1;align-self:end;width:100%;height:2px;margin-bottom:4px;fill:var(--accent)}
.flow .is-gave-up{--flow-paper:var(--bad-wash);min-height:48px}
.flow .terminal{grid-row:1/-1;align-self:center;display:grid;place-items:center;justify-self:start;translate:-50%;width:22px;height:22px;border:1.75px solid;border-radius:50%;background:var(--flow-paper)}
.flow .is-gave-up .text{grid-row:1/-1;align-self:center;padding-left:20px}
.flow .words{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:pre}
.flow-legend{display:flex;flex-wrap:wrap;gap:4px 16px;align-items:center;font-size:11px;line-height:16px;color:var(--text-muted)}
.flow-legend .legend{display:inline-flex;align-items:center;gap:6px;white-space:pre}
.flow-legend .sign{display:block;height:14px}
.flow-legend .wide{width:28px;padding-top:1px}
.flow-legend .arrow{display:block}
`

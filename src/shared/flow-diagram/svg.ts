/** A sequence diagram as an SVG file: self-contained, light or dark as the reader's system is, and readable without colours. */
import type { DiagramLayout, DiagramRow, Look } from './layout.ts'

const glyphs: Readonly<Record<Look, string>> = {
  planned: '',
  running: '◔',
  pass: '✓',
  fail: '✕',
  skip: '⊘',
  missing: '?',
  stray: '!',
}

/** The rules of the drawing; a page that embeds it brings them itself. */
export const diagramCss = `
.flow{--flow-ink:#1b1f24;--flow-quiet:#5b6470;--flow-line:#c9ced6;--flow-paper:#fff;--flow-pass:#1a7f4b;--flow-fail:#c0262d;--flow-wait:#8a5a00;--flow-band:#f3f4f6}
@media (prefers-color-scheme:dark){.flow{--flow-ink:#e6e8eb;--flow-quiet:#9aa3ad;--flow-line:#3a4149;--flow-paper:#16191d;--flow-pass:#4cc38a;--flow-fail:#ff7b72;--flow-wait:#e3b341;--flow-band:#1f2429}}
.flow text{font:12px Inter,system-ui,sans-serif;fill:var(--flow-ink)}
.flow .title{font-size:15px;font-weight:550}
.flow .actor{font-weight:550;text-anchor:middle}
.flow .time{font-family:'JetBrains Mono',ui-monospace,monospace;font-size:11px;fill:var(--flow-quiet)}
.flow .paper{fill:var(--flow-paper)}
.flow .life{stroke:var(--flow-line)}
.flow .head{fill:var(--flow-band);stroke:var(--flow-line)}
.flow .band{fill:var(--flow-band)}
.flow .break{fill:none;stroke:var(--flow-quiet)}
.flow .long{font-weight:550;paint-order:stroke;stroke:var(--flow-band);stroke-width:6px}
.flow .arrow{stroke:var(--flow-ink);stroke-width:1.25;fill:none}
.flow .tip{fill:var(--flow-ink)}
.flow .dot{fill:var(--flow-paper);stroke:var(--flow-ink)}
.flow .pass .mark{fill:var(--flow-pass)}
.flow .fail .mark,.flow .missing .mark,.flow .stray .mark,.flow .fail .detail,.flow .missing .detail,.flow .stray .detail{fill:var(--flow-fail)}
.flow .fail .arrow,.flow .missing .arrow,.flow .stray .arrow{stroke:var(--flow-fail)}
.flow .fail .tip,.flow .missing .tip,.flow .stray .tip{fill:var(--flow-fail)}
.flow .missing .arrow,.flow .skip .arrow,.flow .planned .arrow{stroke-dasharray:4 4}
.flow .skip text,.flow .planned text{fill:var(--flow-quiet)}
.flow .skip .arrow,.flow .planned .arrow{stroke:var(--flow-quiet)}
.flow .skip .tip,.flow .planned .tip{fill:var(--flow-quiet)}
.flow .running .mark{fill:var(--flow-wait)}
`

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Text as XML holds it: what XML cannot hold at all is left out. */
function escape(text: string): string {
  return text
    .replaceAll(/[^\t\n\u0020-\ud7ff\ue000-\ufffd]/gu, '')
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}

/** About so many characters of the drawing's type stand on a width. */
function cut(text: string, width: number): string {
  const most = Math.max(8, Math.floor(width / 6.4))
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escape(String(value))}"`)
    .join('')
}

const element = (name: string, values: Readonly<Record<string, string | number>>, inside = '') =>
  inside === '' ? `<${name}${attributes(values)}/>` : `<${name}${attributes(values)}>${inside}</${name}>`

const text = (x: number, y: number, kind: string, words: string) => element('text', { x, y, class: kind }, escape(words))

function gap({ y, fromX, toX, label }: DiagramRow, { width, lifelines }: DiagramLayout): string {
  const middle = y - 8
  const zigzag = (x: number) => `M${x} ${middle - 12} l5 6 l-10 6 l10 6 l-5 6`
  return [
    element('rect', { x: 0, y: middle - 12, width, height: 24, class: 'band' }),
    ...lifelines.map(({ x }) => element('path', { d: zigzag(x), class: 'break' })),
    element('text', { x: (fromX + toX) / 2, y: middle + 4, class: 'long', 'text-anchor': 'middle' }, escape(label)),
  ].join('')
}

function times({ businessTime, realTime, y }: DiagramRow): string {
  return [
    ...(businessTime === null ? [] : [text(24, y - 6, 'time', businessTime)]),
    ...(realTime === null ? [] : [text(24, y + 8, 'time', realTime)]),
  ].join('')
}

function line(row: DiagramRow, layout: DiagramLayout): string {
  const { y, fromX, toX, label, detail, look } = row
  const start = Math.min(fromX, toX)
  const end = Math.max(fromX, toX)
  const glyph = glyphs[look] === '' ? '' : element('tspan', { class: 'mark' }, `${glyphs[look]} `)
  const right = layout.width - 12
  const words = row.kind === 'note' ? right - start - 16 : Math.max(end - start - 16, 150)
  const labelled = (x: number, at: number) => element('text', { x, y: at }, glyph + escape(cut(label, words)))
  const why = detail === null ? '' : text(start + 8, y + 15, 'detail', cut(detail, right - start - 8))
  if (row.kind === 'note') return element('circle', { cx: fromX, cy: y, r: 4, class: 'dot' }) + labelled(fromX + 12, y + 4) + why
  const way = toX > fromX ? -1 : 1
  const tip = `M${toX} ${y} l${way * 8} -4 v8 z`
  return [
    element('path', { d: `M${fromX} ${y} H${toX}`, class: 'arrow' }),
    element('path', { d: tip, class: 'tip' }),
    labelled(start + 8, y - 6),
    why,
  ].join('')
}

function drawRow(one: DiagramRow, layout: DiagramLayout): string {
  const inside = one.kind === 'gap' ? gap(one, layout) : times(one) + line(one, layout)
  const whole = one.detail === null ? one.label : `${one.label}: ${one.detail}`
  return element('g', { class: one.look }, `<title>${escape(whole)}</title>${inside}`)
}

/** The drawing. `embedded`: in a page that has `diagramCss` among its own rules. */
export function drawSvg(layout: DiagramLayout, { embedded = false }: { readonly embedded?: boolean } = {}): string {
  const { width, height, top, title } = layout
  const lives = layout.lifelines.map(({ x, label }) =>
    [
      element('path', { d: `M${x} ${top + 4} V${height - 16}`, class: 'life' }),
      element('rect', { x: x - 62, y: top - 22, width: 124, height: 26, rx: 6, class: 'head' }),
      text(x, top - 5, 'actor', label),
    ].join(''),
  )
  const inside = [
    `<title>${escape(title)}</title>`,
    ...(embedded ? [] : [`<style>${diagramCss}</style>`]),
    element('rect', { x: 0, y: 0, width, height, class: 'paper' }),
    text(24, 24, 'title', title),
    text(24, top - 5, 'time', 'business / real'),
    ...lives,
    ...layout.rows.map((one) => drawRow(one, layout)),
  ].join('')
  return element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', class: 'flow' },
    inside,
  )
}

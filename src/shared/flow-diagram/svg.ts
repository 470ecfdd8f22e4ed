/** A sequence diagram as SVG for the HTML report, with its legend, readable without colors. */
import { HEAD_HEIGHT, headShapes, layoutDiagram, type DiagramLayout, type Drawn } from './layout.ts'
import type { DiagramRow } from './rows.ts'
import { iconPaths, legendShapes, line, markWords, inkText, type Shape } from './shapes.ts'
import type { Ink } from './story.ts'
import { partsWidth, textWidth } from './text-width.ts'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for XML and drops characters that XML can't contain. */
function escape(value: string): string {
  return value
    .replaceAll(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}

type Values = Readonly<Record<string, string | number | undefined>>

function attributes(values: Values): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${escape(String(value))}"`))
    .join('')
}

const element = (name: string, values: Values, inside = '') =>
  inside === ''
    ? `<${name}${attributes(values)}/>`
    : `<${name}${attributes(values)}>${inside}</${name}>`

const classes = (...names: readonly (string | undefined)[]) =>
  names.filter((name) => name !== undefined && name !== '').join(' ')
const inked = (ink: Ink | undefined) => (ink === undefined ? undefined : `i-${ink}`)

function draw(shape: Shape): string {
  switch (shape.kind) {
    case 'path':
      return element('path', { d: shape.d, class: classes(shape.as, inked(shape.ink)) })
    case 'box': {
      const { x, y, width, height, radius, as, ink } = shape
      return element('rect', { x, y, width, height, rx: radius, class: classes(as, inked(ink)) })
    }
    case 'dot': {
      const { x, y, r, ink, isRing } = shape
      return element('circle', {
        cx: x,
        cy: y,
        r: isRing === true ? r - 2 : r,
        class: classes(isRing === true ? 'ring' : 'dot', inked(ink)),
      })
    }
    case 'icon': {
      const { x, y, size, icon, ink, onLine } = shape
      const { d, isCircled } = iconPaths[icon]
      const ring = isCircled ? element('circle', { cx: 12, cy: 12, r: 10 }) : ''
      const scale = size / 24
      return (
        (onLine ? element('circle', { cx: x, cy: y, r: size / 2 + 1, class: 'paper' }) : '') +
        element(
          'g',
          {
            class: classes('icon', inked(ink)),
            transform: `translate(${x - size / 2} ${y - size / 2}) scale(${Math.round(scale * 1000) / 1000})`,
            'stroke-width': isCircled ? 2 : 2.5,
          },
          ring + element('path', { d }),
        )
      )
    }
    case 'text': {
      const { x, y, parts, anchor } = shape
      const spans = parts.map(({ text: value, font, tone, gap }, index) =>
        element(
          'tspan',
          {
            class: classes(font === 'plain' ? undefined : font, inked(tone)),
            dx: index === 0 || gap === 0 ? undefined : gap,
          },
          escape(value),
        ),
      )
      // Readers without our fonts use others: no text may get longer than its room.
      return element(
        'text',
        {
          x,
          y,
          'text-anchor': anchor,
          textLength: Math.round(partsWidth(parts)),
          lengthAdjust: 'spacingAndGlyphs',
        },
        spans.join(''),
      )
    }
  }
}

function drawRow(row: DiagramRow, { width }: DiagramLayout): string {
  const { top, height, kind, words, lives, times, shapes } = row
  const ground =
    kind === 'gave-up' ? element('rect', { x: 0, y: 0, width, height, class: 'row' }) : ''
  return element(
    'g',
    { class: `is-${kind}`, transform: `translate(0 ${top})` },
    `<title>${escape(words)}</title>${ground}${[...lives, ...times, ...shapes].map(draw).join('')}`,
  )
}

const LEGEND_LINE = 24
const MARGIN = 16

/** The legend in lines of the drawing's width; its height. */
function legend({ marks, notes, width }: DiagramLayout): {
  readonly drawn: string
  readonly height: number
} {
  let x = MARGIN
  let y = 18
  const parts: string[] = []
  const place = (size: number) => {
    if (x > MARGIN && x + size > width - MARGIN) {
      x = MARGIN
      y += LEGEND_LINE
    }
    const at = x
    x += size + 20
    return at
  }
  for (const mark of marks) {
    const at = place(36 + textWidth(markWords[mark], 'small'))
    parts.push(
      element(
        'g',
        { transform: `translate(${at} ${y - 11})` },
        legendShapes(mark).map(draw).join(''),
      ),
      draw(line(at + 36, y, [inkText(markWords[mark], 'small', 'muted')])),
    )
  }
  for (const note of notes)
    parts.push(draw(line(place(textWidth(note, 'small')), y, [inkText(note, 'small', 'muted')])))
  return { drawn: parts.join(''), height: parts.length === 0 ? 0 : y + 14 }
}

/** The drawing, for a page that contains `diagramRules` with their colors, and the title, verdict and times. */
export function drawSvg(drawn: Drawn): string {
  const layout = layoutDiagram(drawn)
  const { width, title } = layout
  const { drawn: below, height: legendHeight } = legend(layout)
  const end = HEAD_HEIGHT + layout.height + 16
  const height = end + legendHeight
  const feet = layout.lanes.map(({ x, actor }) => {
    const as = layout.rows
      .at(-1)
      ?.lives.find((shape) => shape.kind === 'path' && shape.actor === actor)
    return draw({
      kind: 'path',
      as: as?.kind === 'path' && as.as === 'ended' ? 'ended' : 'life',
      d: `M${x + 0.5} ${layout.height}v8`,
    })
  })
  const inside = [
    `<title>${escape(title)}</title>`,
    element('rect', { x: 0, y: 0, width, height, class: 'paper' }),
    ...headShapes(layout).map(draw),
    element(
      'g',
      { transform: `translate(0 ${HEAD_HEIGHT})` },
      layout.rows.map((row) => drawRow(row, layout)).join('') + feet.join(''),
    ),
    ...(below === '' ? [] : [element('g', { transform: `translate(0 ${end})` }, below)]),
  ].join('')
  return element(
    'svg',
    { width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', class: 'flow' },
    inside,
  )
}

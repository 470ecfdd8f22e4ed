/** A sequence diagram as an SVG file: self-contained, light or dark like the reader's system, and readable without colors. */
import { diagramColours, diagramRules } from './diagram-css.ts'
import type { DiagramLayout, DiagramRow } from './layout.ts'
import { footShapes, HEAD_HEIGHT, headShapes, rowClasses, rowShapes, type Shape } from './shapes.ts'
import { textWidth } from './text-width.ts'

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes text for XML and drops characters that XML can't contain. */
function escape(text: string): string {
  return text
    .replaceAll(/[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')
}

function attributes(values: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${escape(String(value))}"`))
    .join('')
}

const element = (name: string, values: Readonly<Record<string, string | number | undefined>>, inside = '') =>
  inside === '' ? `<${name}${attributes(values)}/>` : `<${name}${attributes(values)}>${inside}</${name}>`

function draw(shape: Shape): string {
  switch (shape.kind) {
    case 'path':
      return element('path', { d: shape.d, class: shape.as })
    case 'box': {
      const { x, y, width, height, radius, as } = shape
      return element('rect', { x, y, width, height, rx: radius, class: as })
    }
    case 'text': {
      const { x, y, text, mark, as, anchor } = shape
      const glyph = mark === undefined ? '' : element('tspan', { class: 'mark' }, `${mark} `)
      // Readers without Inter use another font, so limit the width of text in boxes and on arrows.
      const fit =
        as === 'label' || as === 'long' || as === 'detail'
          ? {
              textLength: Math.round(textWidth(`${mark === undefined ? '' : `${mark} `}${text}`)),
              lengthAdjust: 'spacingAndGlyphs',
            }
          : {}
      return element('text', { x, y, class: as, 'text-anchor': anchor, ...fit }, glyph + escape(text))
    }
  }
}

function drawRow(row: DiagramRow, layout: DiagramLayout): string {
  const whole = row.detail === null ? row.label : `${row.label}: ${row.detail}`
  return element('g', { class: rowClasses(row) }, `<title>${escape(whole)}</title>${rowShapes(row, layout).map(draw).join('')}`)
}

/** The drawing. `embedded`: for a page that already contains `diagramRules` and its colors. */
export function drawSvg(layout: DiagramLayout, { embedded = false }: { readonly embedded?: boolean } = {}): string {
  const { width, height, top, title } = layout
  const inside = [
    `<title>${escape(title)}</title>`,
    ...(embedded ? [] : [`<style>${diagramColours}${diagramRules}</style>`]),
    element('rect', { x: 0, y: 0, width, height, class: 'paper' }),
    draw({ kind: 'text', as: 'title', x: 20, y: 28, text: title }),
    ...headShapes(layout, top - HEAD_HEIGHT).map(draw),
    ...layout.rows.map((row) => drawRow(row, layout)),
    ...footShapes(layout).map(draw),
  ].join('')
  return element(
    'svg',
    { xmlns: 'http://www.w3.org/2000/svg', width, height, viewBox: `0 0 ${width} ${height}`, role: 'img', class: 'flow' },
    inside,
  )
}

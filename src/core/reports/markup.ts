/**
 * HTML and SVG written so that text cannot become markup: everything put into the template is escaped, and only what this
 * template made goes in as it is.
 */
import { escapeMarkup } from './report-text.ts'

const made = Symbol('markup')

/** A piece of HTML or SVG; made by `html`, or drawn. */
export interface Markup {
  readonly [made]: string
}

/** What may stand between `${` and `}`; null leaves nothing. */
export type MarkupPart = string | number | null | Markup | readonly Markup[]

function isMarkup(part: MarkupPart): part is Markup {
  return typeof part === 'object' && part !== null && made in part
}

function written(part: MarkupPart): string {
  if (part === null) return ''
  if (typeof part === 'string' || typeof part === 'number') return escapeMarkup(String(part))
  return isMarkup(part) ? part[made] : part.map((one) => one[made]).join('')
}

/** Values stand inside elements or inside attributes in double quotes: nowhere else. */
export function html(pieces: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  return { [made]: pieces.map((piece, index) => `${piece}${written(parts[index] ?? null)}`).join('') }
}

/** A sentence of ours that quotes between backticks. */
export function quoted(text: string): Markup {
  const parts = text.split('`')
  if (parts.length % 2 === 0) return html`${text}`
  return html`${parts.map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`
}

/** A drawing of this program's own making, whose texts are escaped already. */
export function drawing(svg: string): Markup {
  return { [made]: svg }
}

export function markupText(markup: Markup): string {
  return markup[made]
}

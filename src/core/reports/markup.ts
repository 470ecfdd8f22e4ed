/** HTML and SVG with escaped text. */
import { printableLines } from '../../shared/text/printable.ts'

/** Escapes characters that confuse terminals or XML parsers, as `\u001b`. */
function reportText(text: string): string {
  return printableLines(text).replace(
    /[\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  )
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escapeMarkup(text: string): string {
  return reportText(text).replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

const content = Symbol('markup')

/** HTML or SVG created by `html`. */
export interface Markup {
  readonly [content]: string
}

/** Value between `${` and `}`; null adds nothing. */
type MarkupPart = string | number | null | Markup | readonly Markup[]

function isMarkup(part: MarkupPart): part is Markup {
  return typeof part === 'object' && part !== null && content in part
}

function textOfPart(part: MarkupPart): string {
  if (part === null) return ''
  if (typeof part === 'string' || typeof part === 'number') return escapeMarkup(String(part))
  return isMarkup(part) ? part[content] : part.map((one) => one[content]).join('')
}

/** Creates HTML or SVG with escaped values, in elements or double-quoted attributes. */
export function html(pieces: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  return {
    [content]: pieces.map((piece, index) => `${piece}${textOfPart(parts[index] ?? null)}`).join(''),
  }
}

/** Renders a sentence with code between backticks. */
export function quoted(text: string): Markup {
  const parts = text.split('`')
  if (parts.length % 2 === 0) return html`${text}`
  return html`${parts.map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`
}

export function markupText(markup: Markup): string {
  return markup[content]
}

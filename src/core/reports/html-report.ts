/**
 * The shell of a report that is one HTML file: it can be mailed, kept as an artifact and opened anywhere. It asks for nothing from
 * anywhere (its own policy forbids that), runs nothing, and looks like the application, dark or light as the reader's system is.
 */
import { hash } from 'node:crypto'
import { glyphText, type Outcome } from '../../shared/model/outcomes.ts'
import { reportCss } from './report-css.ts'
import { printableLines } from '../../shared/text/printable.ts'

// Text in a report. Reports hold responses of strangers' endpoints: whatever would confuse a terminal, an XML parser or a
// reader's eye is spelled out, as `\u001b`.

/** Spells out all that is not a visible character, a line's end or a tab; U+FFFE and U+FFFF too, which XML cannot hold. */
function reportText(text: string): string {
  return printableLines(text).replace(/[\ufffe\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** The same, for the inside of an element or of a quoted attribute, in XML and HTML alike. */
export function escapeMarkup(text: string): string {
  return reportText(text).replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

const made = Symbol('markup')

/** A piece of HTML or SVG; made by `html`, or drawn. */
export interface Markup {
  readonly [made]: string
}

/** What may stand between `${` and `}`; null leaves nothing. */
type MarkupPart = string | number | null | Markup | readonly Markup[]

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

/**
 * HTML and SVG written so that text cannot become markup: everything put into the template is escaped, and only what this
 * template made goes in as it is.
 */
export function markupText(markup: Markup): string {
  return markup[made]
}

interface HtmlReport {
  readonly title: string
  /** One sentence under the title. */
  readonly summary: Markup
  readonly body: Markup
  /** When it was made, in milliseconds since the epoch, and by which version. */
  readonly at: number
  readonly version: string
  /** Rules beside the common ones, for what only this report has. */
  readonly css?: string
}

/** The whole file. */
export function htmlReport({ title, summary, body, at, version, css = '' }: HtmlReport): string {
  const style = `${reportCss}${css}`
  // The hash lets in this style sheet alone; attributes with styles would be refused.
  const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'none'`
  const moment = new Date(at).toISOString()
  const head = markupText(
    html`<meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content="${policy}" />
      <meta name="viewport" content="width=device-width" />
      <meta name="referrer" content="no-referrer" />
      <meta name="color-scheme" content="dark light" />
      <title>${title}</title>`,
  )
  const page = markupText(
    html`<main>
      <header>
        <h1>${title}</h1>
        <p class="summary">${summary}</p>
      </header>
      ${body}
      <footer>Countersign ${version}, <time datetime="${moment}">${moment}</time></footer>
    </main>`,
  )
  // The style sheet stands outside the template: its hash is over these very characters.
  return `<!doctype html>\n<html lang="en">\n<head>\n${head}\n<style>${style}</style>\n</head>\n<body>\n${page}\n</body>\n</html>\n`
}

/** A glyph and a word for how something went, as the application's lists show it. */
export function outcomeMark({ glyph, tone, word }: Outcome): Markup {
  return html`<span class="outcome ${tone}"><span aria-hidden="true">${glyphText[glyph]}</span> ${word}</span>`
}

/** Facts as a list of names and values. */
export function factList(facts: readonly (readonly [name: string, value: string | Markup])[]): Markup {
  return html`<dl>
    ${facts.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`
}

/**
 * The frame of an HTML report: one file that can be mailed, archived and opened anywhere. It loads nothing and runs nothing
 * (enforced by its own CSP), and follows the reader's dark or light theme.
 */
import { hash } from 'node:crypto'
import { glyphText, type Outcome } from '../../shared/model/outcomes.ts'
import { darkReportCss, reportCss } from './report-css.ts'
import { printableLines } from '../../shared/text/printable.ts'

// Escapes text for a report. Responses of unknown endpoints may contain characters that confuse terminals, XML parsers or readers,
// so these are written as `\u001b`.

/** Everything except visible characters, line breaks and tabs, plus U+FFFE and U+FFFF, which XML can't contain. */
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

/** The same for element content and quoted attributes, in XML and HTML. */
export function escapeMarkup(text: string): string {
  return reportText(text).replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

const made = Symbol('markup')

/** A piece of HTML or SVG, created by `html` or drawn here. */
export interface Markup {
  readonly [made]: string
}

/** Allowed between `${` and `}`; null adds nothing. */
type MarkupPart = string | number | null | Markup | readonly Markup[]

function isMarkup(part: MarkupPart): part is Markup {
  return typeof part === 'object' && part !== null && made in part
}

function written(part: MarkupPart): string {
  if (part === null) return ''
  if (typeof part === 'string' || typeof part === 'number') return escapeMarkup(String(part))
  return isMarkup(part) ? part[made] : part.map((one) => one[made]).join('')
}

/** Values may only appear in elements or double-quoted attributes. */
export function html(pieces: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup {
  return {
    [made]: pieces.map((piece, index) => `${piece}${written(parts[index] ?? null)}`).join(''),
  }
}

/** One of our sentences, with code between backticks. */
export function quoted(text: string): Markup {
  const parts = text.split('`')
  if (parts.length % 2 === 0) return html`${text}`
  return html`${parts.map((part, index) => (index % 2 === 0 ? html`${part}` : html`<code>${part}</code>`))}`
}

/** One of our drawings, with its texts already escaped. */
export function drawing(svg: string): Markup {
  return { [made]: svg }
}

/** Template tag for HTML and SVG that can't be injected into: every value is escaped unless this tag created it. */
export function markupText(markup: Markup): string {
  return markup[made]
}

interface HtmlReport {
  readonly title: string
  /** A sentence below the title. */
  readonly summary: Markup
  readonly body: Markup
  /** When the report was written, in milliseconds since the epoch, and by which version. */
  readonly at: number
  readonly version: string
  /** Light for every reader, as on paper; otherwise like the reader's system. */
  readonly isLight?: boolean
  /** Extra CSS for this report. */
  readonly css?: string
}

export function htmlReport({
  title,
  summary,
  body,
  at,
  version,
  isLight = false,
  css = '',
}: HtmlReport): string {
  const style = `${isLight ? '' : darkReportCss}${reportCss}${css}`
  // The CSP allows only this style sheet's hash; style attributes are blocked.
  const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'none'`
  const moment = new Date(at).toISOString()
  const head = markupText(
    html`<meta charset="utf-8" />
      <meta http-equiv="Content-Security-Policy" content="${policy}" />
      <meta name="viewport" content="width=device-width" />
      <meta name="referrer" content="no-referrer" />
      <meta name="color-scheme" content="${isLight ? 'light' : 'dark light'}" />
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
  // The style sheet is inserted outside the template, because its hash covers these exact characters.
  return `<!doctype html>\n<html lang="en">\n<head>\n${head}\n<style>${style}</style>\n</head>\n<body>\n${page}\n</body>\n</html>\n`
}

/** Glyph and word of an outcome, as in the app's lists. */
export function outcomeMark({ glyph, tone, word }: Outcome): Markup {
  return html`<span class="outcome ${tone}"
    ><span aria-hidden="true">${glyphText[glyph]}</span> ${word}</span
  >`
}

/** Facts as a list of names and values. */
export function factList(
  facts: readonly (readonly [name: string, value: string | Markup])[],
): Markup {
  return html`<dl>
    ${facts.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`
}

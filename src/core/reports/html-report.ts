/**
 * The shell of a report that is one HTML file: it can be mailed, kept as an artifact and opened anywhere. It asks for nothing from
 * anywhere (its own policy forbids that), runs nothing, and looks like the application, dark or light as the reader's system is.
 */
import { hash } from 'node:crypto'
import { glyphText, type Outcome } from '../../shared/model/outcomes.ts'
import { html, markupText, type Markup } from './markup.ts'
import { reportCss } from './report-css.ts'

export interface HtmlReport {
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

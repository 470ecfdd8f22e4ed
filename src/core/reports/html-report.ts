/** HTML reports: one file that loads and runs nothing, enforced by its CSP. */
import { hash } from 'node:crypto'
import { glyphText, type Outcome } from '../../shared/model/outcomes.ts'
import { darkReportCss, reportCss } from './report-css.ts'
import { type Markup, markupText, html } from './markup.ts'

interface HtmlReport {
  readonly title: string
  readonly summary: Markup
  readonly body: Markup
  readonly at: number
  readonly version: string
  readonly css?: string
}

export function htmlReport({ title, summary, body, at, version, css = '' }: HtmlReport): string {
  const style = `${darkReportCss}${reportCss}${css}`
  // The CSP allows only this style sheet's hash.
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
  // Outside the template, because the hash covers these exact characters.
  return `<!doctype html>\n<html lang="en">\n<head>\n${head}\n<style>${style}</style>\n</head>\n<body>\n${page}\n</body>\n</html>\n`
}

export function outcomeMark({ glyph, tone, word }: Outcome): Markup {
  return html`<span class="outcome ${tone}"
    ><span aria-hidden="true">${glyphText[glyph]}</span> ${word}</span
  >`
}

export function factList(
  facts: readonly (readonly [name: string, value: string | Markup | null])[],
): Markup {
  return html`<dl>
    ${facts.flatMap(([name, value]) =>
      value === null
        ? []
        : html`<dt>${name}</dt>
            <dd>${value}</dd>`,
    )}
  </dl>`
}

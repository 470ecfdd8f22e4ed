/**
 * The frame of an HTML report: one file that can be mailed, archived and opened anywhere. It loads nothing and runs nothing
 * (enforced by its own CSP), and follows the reader's dark or light theme.
 */
import { hash } from 'node:crypto'
import { glyphText, type Outcome } from '../../shared/model/outcomes.ts'
import { printableLines } from '../../shared/text/printable.ts'

// The CSS of reports. Its colors match the app's (`src/renderer/styles/themes.css`); a test compares them.

export const reportColors = {
  dark: {
    ground: '#0f1115',
    surface: '#14171c',
    raised: '#1b1f26',
    line: '#262b34',
    text: '#e7e9ed',
    'text-muted': '#a6adb9',
    'text-subtle': '#8d95a3',
    accent: '#8aa4ff',
    ok: '#4cc38a',
    bad: '#ff7b7b',
    warn: '#e5a83b',
    'part-body': '#c3a6ff',
    'part-url': '#5cc8d6',
    'part-time': '#d2b48c',
    edge: '#5d6576',
    'bad-wash': '#2b181b',
    'event-auth': '#5cc8d6',
    'event-clearing': '#c3a6ff',
    'event-refund': '#f29bc0',
    'event-card': '#7db4f5',
    'event-location': '#d2b48c',
  },
  light: {
    ground: '#f9fafb',
    surface: '#ffffff',
    raised: '#f3f4f7',
    line: '#dfe2e8',
    text: '#171a20',
    'text-muted': '#48505e',
    'text-subtle': '#5f6775',
    accent: '#2c50cc',
    ok: '#17713f',
    bad: '#bf2531',
    warn: '#8a5200',
    'part-body': '#6a3fc0',
    'part-url': '#0b6775',
    'part-time': '#75582c',
    edge: '#7d8592',
    'bad-wash': '#fdeeee',
    'event-auth': '#0b6775',
    'event-clearing': '#6a3fc0',
    'event-refund': '#ad2866',
    'event-card': '#1d5fae',
    'event-location': '#75582c',
  },
} as const

function variables(colors: Readonly<Record<string, string>>): string {
  return Object.entries(colors)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')
}

/** Follows the reader's system. */
const darkReportCss = `
:root{color-scheme:dark light}
@media screen and (prefers-color-scheme:dark){:root{${variables(reportColors.dark)}}}
`

const reportCss = `
:where(:root){${variables(reportColors.light)}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:450 13px/20px 'Inter Variable',Inter,system-ui,-apple-system,'Segoe UI',sans-serif}
main{max-width:960px;margin:0 auto;padding:32px 24px 48px}
h1{font-size:20px;line-height:28px;font-weight:550;margin:0;overflow-wrap:anywhere}
h2{font-size:15px;line-height:20px;font-weight:550;margin:32px 0 8px}
h3{font-size:13px;font-weight:550;margin:16px 0 4px}
p{margin:4px 0 12px}
.summary{font-size:15px;color:var(--text-muted)}
code,pre,.data{font-family:'JetBrains Mono Variable','JetBrains Mono',ui-monospace,'Cascadia Mono',Menlo,monospace;font-size:12px;font-variant-numeric:tabular-nums}
pre{margin:4px 0 12px;padding:8px 12px;background:var(--raised);border:1px solid var(--line);border-radius:6px;white-space:pre-wrap;overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:4px 16px;margin:4px 0 12px}
dt{color:var(--text-muted)}
dd{margin:0;overflow-wrap:anywhere}
table{width:100%;border-collapse:collapse}
th{font-weight:450;text-align:left;color:var(--text-muted);font-size:12px}
th,td{padding:4px 12px 4px 0;border-bottom:1px solid var(--line);vertical-align:top}
.number{text-align:right;font-variant-numeric:tabular-nums}
details{border-bottom:1px solid var(--line)}
summary{display:flex;gap:12px;padding:4px 0;cursor:pointer;align-items:baseline}
summary:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
summary .outcome{flex:none;min-width:76px}
summary .data{margin-left:auto;color:var(--text-muted);white-space:nowrap}
details>div{padding:4px 0 12px 24px}
.outcome{white-space:nowrap;font-weight:550}
.good{color:var(--ok)}.bad{color:var(--bad)}.warn{color:var(--warn)}.neutral,.active{color:var(--text-subtle)}
.muted{color:var(--text-muted)}
footer{margin-top:48px;font-size:12px;color:var(--text-subtle)}
@media (max-width:600px){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:8px}main{padding:16px}}
@media print{details>div,summary{break-inside:avoid}h2,h3{break-after:avoid}}
`

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
function escapeMarkup(text: string): string {
  return reportText(text).replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

const made = Symbol('markup')

/** A piece of HTML or SVG, created by `html`. */
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

/**
 * Template tag for HTML and SVG that can't be injected into: every value is escaped unless this tag created it. Values may only
 * appear in elements or double-quoted attributes.
 */
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
  readonly css?: string
}

export function htmlReport({ title, summary, body, at, version, css = '' }: HtmlReport): string {
  const style = `${darkReportCss}${reportCss}${css}`
  // The CSP allows only this style sheet's hash; style attributes are blocked.
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
  // The style sheet is inserted outside the template, because its hash covers these exact characters.
  return `<!doctype html>\n<html lang="en">\n<head>\n${head}\n<style>${style}</style>\n</head>\n<body>\n${page}\n</body>\n</html>\n`
}

export function outcomeMark({ glyph, tone, word }: Outcome): Markup {
  return html`<span class="outcome ${tone}"
    ><span aria-hidden="true">${glyphText[glyph]}</span> ${word}</span
  >`
}

/** Facts as a list of names and values, without those that are null. */
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

// JUnit reports, the XML that CI systems read tests from. Uses only what all of them support (`testsuites`, `testsuite`,
// `testcase` with `failure` or `skipped`), and stays valid XML 1.0 whatever an endpoint returned.

export interface JunitCase {
  readonly name: string
  readonly outcome: 'pass' | 'fail' | 'skip'
  /** Duration in milliseconds; null if not measured. */
  readonly ms: number | null
  /** Why the test failed or was skipped, in one line. Not shown for passed tests. */
  readonly message: string
  /** Multi-line details for debugging. */
  readonly details: string
}

export interface JunitSuite {
  readonly name: string
  readonly cases: readonly JunitCase[]
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(
      ([name, value]) =>
        ` ${name}="${escapeMarkup(String(value)).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')}"`,
    )
    .join('')
}

function seconds(cases: readonly JunitCase[]): string {
  return (cases.reduce((sum, { ms }) => sum + (ms ?? 0), 0) / 1_000).toFixed(3)
}

function counts(cases: readonly JunitCase[]): Record<string, string | number> {
  return {
    tests: cases.length,
    failures: cases.filter(({ outcome }) => outcome === 'fail').length,
    errors: 0,
    skipped: cases.filter(({ outcome }) => outcome === 'skip').length,
    time: seconds(cases),
  }
}

function testCase(one: JunitCase, suite: string): string {
  const { name, outcome, message, details } = one
  const head = `    <testcase${attributes({ name, classname: suite, time: seconds([one]) })}`
  if (outcome === 'pass') return `${head}/>\n`
  if (outcome === 'skip')
    return `${head}>\n      <skipped${attributes({ message })}/>\n    </testcase>\n`
  const failure = `<failure${attributes({ message, type: 'failure' })}>${escapeMarkup(details)}</failure>`
  return `${head}>\n      ${failure}\n    </testcase>\n`
}

function testSuite({ name, cases }: JunitSuite, timestamp: string): string {
  const inside = cases.map((one) => testCase(one, name)).join('')
  return `  <testsuite${attributes({ name, ...counts(cases), timestamp })}>\n${inside}  </testsuite>\n`
}

/** `at` is the start, in milliseconds since the epoch. */
export function junitReport({
  name,
  at,
  suites,
}: {
  readonly name: string
  readonly at: number
  readonly suites: readonly JunitSuite[]
}): string {
  const timestamp = new Date(at).toISOString().replace('Z', '')
  const all = suites.flatMap(({ cases }) => cases)
  const inside = suites.map((suite) => testSuite(suite, timestamp)).join('')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${attributes({ name, ...counts(all) })}>\n${inside}</testsuites>\n`
}

import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fc, test as property } from '@fast-check/vitest'
import { expect, test } from 'vitest'
import { checkOutcomes } from '../../shared/model/check-outcomes.ts'
import { prose } from '../../shared/text/delivery-markdown.ts'
import { factList, htmlReport, outcomeMark } from './html-report.ts'
import { reportColors } from './report-css.ts'
import { html, markupText } from './markup.ts'
import { codeInCell, markdownTable } from './markdown-table.ts'
import { junitReport, type JunitCase } from './junit.ts'

const at = Date.UTC(2026, 0, 2, 3, 4, 5)

function one(more: Partial<JunitCase>): JunitCase {
  return { name: 'a case', outcome: 'pass', ms: 12, message: '', details: '', ...more }
}

/** Parses the document with another parser: [tag, attributes, text] in order. */
function readXml(xml: string): [string, Record<string, string>, string | null][] {
  const script =
    'import sys,json,xml.etree.ElementTree as E\nprint(json.dumps([[e.tag,e.attrib,e.text] for e in E.fromstring(sys.stdin.buffer.read()).iter()]))'
  const { stdout, stderr, status } = spawnSync('python3', ['-c', script], {
    input: xml,
    encoding: 'utf8',
    maxBuffer: 1e8,
  })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return JSON.parse(stdout) as ReturnType<typeof readXml>
}

test('a JUnit report counts its cases and names failed and skipped ones', () => {
  const cases = [
    one({}),
    one({
      name: 'second',
      outcome: 'fail',
      ms: 1_500,
      message: 'It answered 500.',
      details: 'line 1\nline 2',
    }),
    one({ name: 'third', outcome: 'skip', ms: null, message: 'left out' }),
  ]
  const xml = junitReport({
    name: 'handler check',
    at,
    suites: [
      { name: 'valid', cases },
      { name: 'forged', cases: [] },
    ],
  })
  const read = readXml(xml)
  const totals = { tests: '3', failures: '1', errors: '0', skipped: '1', time: '1.512' }
  expect(read.map(([tag]) => tag).join(' ')).toBe(
    'testsuites testsuite testcase testcase failure testcase skipped testsuite',
  )
  expect(read[0]?.[1]).toEqual({ name: 'handler check', ...totals })
  expect(read[1]?.[1]).toEqual({ name: 'valid', timestamp: '2026-01-02T03:04:05.000', ...totals })
  expect(read[3]?.[1]).toEqual({ name: 'second', classname: 'valid', time: '1.500' })
  expect(read[4]).toEqual([
    'failure',
    { message: 'It answered 500.', type: 'failure' },
    'line 1\nline 2',
  ])
  expect(read[6]?.[1]).toEqual({ message: 'left out' })
})

test('a JUnit report is valid XML whatever it contains', () => {
  const everyUnit = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).join('')
  const nasty = `]]><x a="'">&amp;\0\u001b[2J\r\n\t${everyUnit}\u{1f600}\u{1ffff}`
  const [, , , failure] = readXml(
    junitReport({
      name: nasty,
      at,
      suites: [
        {
          name: nasty,
          cases: [one({ name: nasty, outcome: 'fail', message: nasty, details: nasty })],
        },
      ],
    }),
  )
  const text = failure?.[2] ?? ''
  expect(text.startsWith(']]><x a="\'">&amp;\\u0000\\u001b[2J\n\t')).toBe(true)
  expect(failure?.[1]['message']).toBe(text)
  expect(text).toContain('\u{1f600}')
  expect(text).toContain('\\ud800')
})

property.prop([fc.string({ unit: 'binary' })])(
  'what is put into markup is never markup',
  (text) => {
    const written = markupText(html`<p title="${text}">${text}</p>`)
    expect(written.slice('<p title="'.length, -'</p>'.length).replace('">', '')).not.toMatch(
      /[<>"]/,
    )
  },
)

const report = htmlReport({
  title: '<script>alert(1)</script>',
  summary: html`${outcomeMark(checkOutcomes.fail)} of ${25}${null}`,
  body: html`<h2>"Group" &amp; more</h2>
    ${factList([['<b>', '</dl><img src=x onerror=alert(1)>']])}`,
  at,
  version: '1.2.3',
})

test('an HTML report has no foreign elements and loads nothing', () => {
  expect(report).toContain('<h1>&lt;script&gt;alert(1)&lt;/script&gt;</h1>')
  expect(report).toMatch(
    /<dt>&lt;b&gt;<\/dt>\s*<dd>&lt;\/dl&gt;&lt;img src=x onerror=alert\(1\)&gt;<\/dd>/,
  )
  expect(report).not.toMatch(
    /<(script|img|link|iframe|object|form|base)\b|\son[a-z]+="|\sstyle=|https?:\/\//,
  )
  expect(report).toContain('<time datetime="2026-01-02T03:04:05.000Z">')
})

test("an HTML report's CSP allows only its own style sheet", () => {
  const style = /<style>([^]*?)<\/style>/.exec(report)?.[1] ?? ''
  const policy = /Content-Security-Policy" content="([^"]*)"/
    .exec(report)?.[1]
    ?.replaceAll('&#39;', "'")
  expect(policy).toBe(
    `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'none'`,
  )
})

test("reports use the app's colors", async () => {
  const css = await readFile(new URL('../../renderer/styles/themes.css', import.meta.url), 'utf8')
  const [dark = '', light = ''] = css.split(":root[data-theme='light']")
  for (const [name, value] of Object.entries(reportColors.dark))
    expect(dark).toContain(`--${name}: ${value};`)
  for (const [name, value] of Object.entries(reportColors.light))
    expect(light).toContain(`--${name}: ${value};`)
})

test('a | in a cell of a Markdown table stays in it', () => {
  const table = markdownTable(['text', 'code'], [[prose('a|b'), codeInCell('a|b')]])
  expect(table).toEqual(['', '| text | code |', '| --- | --- |', '| a\\|b | `a\\|b` |'])
  expect(markdownTable(['text'], [])).toEqual([])
})

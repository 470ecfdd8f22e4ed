/**
 * Reports of a hostile endpoint and of a hostile flow file, as a browser, an XML parser and a
 * reader of Markdown get them: nothing in them runs, and nothing is loaded.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from '@playwright/test'
import { expect, test } from 'vitest'
import { testChromiumArguments, ensureChromium } from '../../scripts/lib/chromium.ts'
import { closeAtEnd, rawEndpoint } from '../support/temporary-folder.ts'
import { cliOfFile } from './cli-fixture.ts'

const cli = cliOfFile()

const AWAY = 'https://away.example'
/** Text with everything that runs or loads in HTML, SVG, CSS, URLs or Markdown. */
const HOSTILE = [
  `"'></title></style></pre></svg></script><script>window.ran=1</script>`,
  `<img src=${AWAY}/1 onerror=window.ran=1><svg onload=window.ran=1><style>@import "${AWAY}/2"</style>`,
  `<base href=${AWAY}/><link rel=stylesheet href=${AWAY}/3><iframe src="javascript:window.ran=1"></iframe>`,
  `<meta http-equiv=refresh content=0;url=${AWAY}/4><form action=${AWAY}/5><input autofocus onfocus=window.ran=1>`,
  `![x](${AWAY}/6) [x](javascript:window.ran=1) \`code\` ]]><x/>&amp;&#x1b;`,
].join(' ')

test('no report of a hostile endpoint or flow runs or loads anything', async () => {
  const body = `${HOSTILE}\u001b]52;c;YQ==\u0007\u0000`
  const endpoint = await rawEndpoint(
    () =>
      `HTTP/1.1 500 ${HOSTILE}\r\nX-Hostile: ${HOSTILE}\r\nLink: <${AWAY}/7>; rel=preload\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  const url = `${endpoint.origin}/'%3Cscript%3E?q=${encodeURIComponent(HOSTILE)}`
  const file = (name: string) => join(cli.folder, name)
  const flow = {
    flow: 1,
    name: 'hostile',
    title: HOSTILE,
    about: HOSTILE,
    sections: ['6.2'],
    steps: [
      { kind: 'trigger', event: 'card.failed', title: HOSTILE, set: { message: HOSTILE } },
      { kind: 'delivery', event: 'card.failed', title: HOSTILE, as: 'failure', schema: 'any' },
      { kind: 'answer', to: 'failure', title: HOSTILE },
    ],
  }
  writeFileSync(file('flow.json'), JSON.stringify(flow))
  const given = ['--secret', 'whsec_reports']
  const checked =
    await cli.run`check ${url} ${given} --rate 10000 --only forged --only time --html ${file('check.html')} --junit ${file('check.xml')} --summary ${file('check.md')}`
  expect([checked.code, checked.stderr]).toEqual([1, ''])
  const ran =
    await cli.run`flow run ${file('flow.json')} --handler ${url} ${given} --html ${file('flow.html')} --junit ${file('flow.xml')}`
  expect([ran.code, ran.stderr]).toEqual([1, ''])

  const executablePath = await ensureChromium()
  if (executablePath === null)
    throw new Error('This test needs a Chromium: install one, or name it in CHROMIUM.')
  const browser = await chromium.launch({
    executablePath,
    chromiumSandbox: false,
    args: [...testChromiumArguments],
  })
  closeAtEnd(() => browser.close())
  for (const name of ['check', 'flow']) {
    const page = await browser.newPage()
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    const address = pathToFileURL(file(`${name}.html`)).href
    await page.goto(address)
    await page.evaluate(
      "document.querySelectorAll('details').forEach((each) => (each.open = true))",
    )
    expect(await page.innerText('body')).toContain('<script>window.ran=1</script>')
    expect(await page.evaluate("'ran' in window")).toBe(false)
    expect(await page.locator('img, iframe, form, link, script, input, base').count()).toBe(0)
    expect([page.url(), requests]).toEqual([address, [address]])

    const xml = readFileSync(file(`${name}.xml`))
    const script =
      'import sys,xml.etree.ElementTree as E\nprint(*{e.tag for e in E.fromstring(sys.stdin.buffer.read()).iter()})'
    const tags = execFileSync('python3', ['-c', script], { input: xml, encoding: 'utf8' })
    expect(tags.trim().split(' ').toSorted()).toEqual(
      expect.arrayContaining(['failure', 'testcase', 'testsuite', 'testsuites']),
    )
    expect(tags).not.toContain('x')
  }
  const summary = readFileSync(file('check.md'), 'utf8')
  // Outside code, Markdown has neither markup nor images nor links.
  expect(summary.replaceAll(/(`+)[^]*?\1/g, '')).not.toMatch(/<\w|!\[|\]\(/)
})

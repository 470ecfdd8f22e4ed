/**
 * Runs every `sh` block of README.md and docs, page by page, each on a new data folder, and
 * compares the output with the page. `test/support/doc-pages.ts` describes the comments before a
 * block.
 *
 * Readers have followed "Get started" and "Your first handler": Countersign is running with the
 * hook "demo" and one delivery of it, and the handler of the docs listens on port 3000. The test
 * uses free ports instead.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writtenPart } from '../../scripts/lib/generated-docs.ts'
import {
  blocksOf,
  docPages,
  fileOf,
  outputPattern,
  readPage,
  type DocBlock,
} from '../support/doc-pages.ts'
import {
  createDocsShell,
  type DocsShell,
  type ShellRun,
  type Started,
} from '../support/docs-shell.ts'
import { freePorts } from '../support/free-ports.ts'
import { linkPackage } from '../support/installed-package.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { cliOfFile, type Serving } from './cli-fixture.ts'

const cli = cliOfFile()

/** Pages that start without a hook. */
const FROM_NOTHING = ['README.md', 'docs/get-started.md']
const HOOK_URL = 'https://127.0.0.1:4783/h/demo'
const SECRET = 'my-first-secret'
const GET_STARTED = `countersign hooks import --event transaction.auth --url ${HOOK_URL} --secret ${SECRET}
countersign trigger transaction.auth`

const folder = temporaryFolder()
const start = process.cwd()
let shell: DocsShell
let ports: ReadonlyMap<string, number>

const onFreePorts = (text: string) =>
  text.replaceAll(/\b(?:478[0-9]|300[0-2])\b/g, (port) => String(ports.get(port) ?? port))

interface RunningCommand {
  readonly place: string
  /** Output as shown on the page. */
  readonly shown: DocBlock | null
  readonly command: Started
}

/** Serves in this process; a separate process for each page would take most of this test's time. */
const serve = (dataFolder: string): Promise<Serving> =>
  cli.serve(
    dataFolder,
    ['--ui-port', '4780', '--receiver-port', '4783', '--sandbox-port', '4784'].map(onFreePorts),
  )

beforeAll(async () => {
  await linkPackage(folder)
  shell = await createDocsShell(cli, folder)
  const shown = ['4780', '4783', '4784', '3000', '3001', '3002']
  const free = await freePorts(shown.length)
  ports = new Map(shown.map((port, index) => [port, free[index] ?? 0]))
})

afterAll(async () => {
  await shell.close()
  process.chdir(start)
})

function outputAfter(blocks: readonly DocBlock[], index: number): DocBlock | null {
  const next = blocks[index + 1]
  return next?.language === 'text' ? next : null
}

function problemOf(
  place: string,
  { code, output }: ShellRun,
  expected: readonly (number | null)[],
  shown: DocBlock | null,
): string[] {
  if (!expected.includes(code))
    return [`${place} exited with ${code}, not with ${expected.join(' or ')}:\n${output}`]
  if (shown === null || outputPattern(shown.code).test(output)) return []
  return [`${place} does not print what line ${shown.line} shows:\n${output}`]
}

async function startHandler(cwd: string, dataFolder: string): Promise<RunningCommand> {
  writeFileSync(
    join(cwd, 'handler.mjs'),
    onFreePorts(fileOf('docs/first-handler.md', 'handler.mjs')),
  )
  const variables = `WEBHOOK_SECRET=${SECRET} WEBHOOK_URL=${onFreePorts(HOOK_URL)}`
  return {
    place: 'handler.mjs',
    shown: null,
    command: await shell.start(`${variables} '${process.execPath}' handler.mjs`, cwd, dataFolder),
  }
}

/** Runs a page from its first block to its last, on a new data folder. Returns its problems. */
async function follow(page: string, blocks: readonly DocBlock[]): Promise<string[]> {
  const cwd = join(folder, page.replaceAll('/', '-'))
  const dataFolder = join(cwd, 'data')
  mkdirSync(dataFolder, { recursive: true })
  process.chdir(cwd)
  const run = (script: string) => shell.run(onFreePorts(script), cwd, dataFolder)
  let instance: Serving | null = null
  const commands: RunningCommand[] = []
  const problems: string[] = []
  const stopInstance = async () => {
    if (instance !== null) expect(await instance.stop()).toBe(0)
    instance = null
  }

  async function runBlock(
    { word, value, code, line }: DocBlock,
    shown: DocBlock | null,
  ): Promise<void> {
    if (word === 'stopped') await stopInstance()
    else instance ??= await serve(dataFolder)
    const place = `${page}:${line}`
    const expected = word === 'exit' ? Number(value) : 0
    if (word === 'serve')
      commands.push({
        place,
        shown,
        command: await shell.start(onFreePorts(code), cwd, dataFolder),
      })
    else problems.push(...problemOf(place, await run(code), [expected], shown))
  }

  try {
    if (!FROM_NOTHING.includes(page)) {
      instance = await serve(dataFolder)
      problems.push(
        ...problemOf(`${page}, before its first block,`, await run(GET_STARTED), [0], null),
      )
    }
    if (!blocks.some(({ value }) => value === 'handler.mjs'))
      commands.push(await startHandler(cwd, dataFolder))
    for (const [index, block] of blocks.entries()) {
      if (block.word === 'file') writeFileSync(join(cwd, block.value), onFreePorts(block.code))
      if (runs(block)) await runBlock(block, outputAfter(blocks, index))
    }
    // Last started first, so that the handler outlives the commands that send to it.
    for (const { place, command, shown } of commands.splice(0).toReversed()) {
      if (shown !== null) await command.until((output) => outputPattern(shown.code).test(output))
      // Our commands exit with 0 on Ctrl+C; others are killed by the signal.
      problems.push(...problemOf(place, await command.stop(), [0, 130, null], shown))
    }
    return problems
  } finally {
    for (const { command } of commands) await command.stop()
    await stopInstance()
  }
}

const pages = docPages()
  // The blocks of the CLI reference are examples of the help pages, which have their own test.
  .filter((page) => page !== 'docs/cli.md')
  .map((page) => [page, blocksOf(readPage(page))] as const)
const runs = ({ language, word }: DocBlock) => language === 'sh' && word !== 'no-run'

test.each(pages.filter(([, blocks]) => blocks.some(runs)))(
  '%s: each command runs and prints the output on the page',
  async (page, blocks) => {
    expect((await follow(page, blocks)).join('\n')).toBe('')
  },
)

test.each(pages)(
  '%s has only known comments before its blocks, and nothing after a fence',
  (_page, blocks) => {
    for (const { language, rest, word, value, line } of blocks) {
      expect(rest, `line ${line}`).toBe('')
      const comment = `${word}: ${value}`
      if (language === 'sh') expect(comment).toMatch(/^(: |serve: |stopped: |exit: \d|no-run: .+)$/)
      // `folders` marks a generated part.
      else expect(comment).toMatch(/^(: |file: .+|folders: )$/)
    }
  },
)

/** Words, without the lines of tables. */
const countOf = (text: string) => text.split(/\s+/).filter((word) => /[^|-]/.test(word)).length

function wordsOf(...of: string[]): number {
  const texts = of.map((page) => writtenPart(readPage(page)).replaceAll(/<!--.*?-->/g, ''))
  return countOf(texts.join(' '))
}

const inDocs = (...names: string[]) => names.map((name) => `docs/${name}.md`)

/** Pages that collect what others leave out. */
const LONG_PAGES: Readonly<Record<string, number>> = {
  'docs/desktop.md': 800,
  'docs/troubleshooting.md': 1_000,
}

test('each page and each group of pages stays within its words', () => {
  const [, tasks = ''] = readPage('docs/README.md').split(/^## /m)
  const taskPages = [...tasks.matchAll(/\]\(([a-z-]+)\.md\)/g)].map(([, name = '']) => name)
  expect(taskPages.length).toBeGreaterThan(10)
  const withoutBlocks = inDocs('troubleshooting', ...taskPages).map((page) => {
    const shown = blocksOf(readPage(page)).map(({ code }) => code)
    return [page, wordsOf(page) - countOf(shown.join(' ')), LONG_PAGES[page] ?? 715] as const
  })
  const reference = inDocs('cli', 'json', 'check-cases', 'diagnosis', 'query', 'shortcuts')
  const others = ['CONTRIBUTING.md', 'CHANGELOG.md', ...docPages()]
  const internals = [
    ...docPages().filter((page) => page.startsWith('docs/contributing/')),
    ...inDocs('reliability', 'security'),
  ]
  const counts = [
    ...withoutBlocks,
    ['README.md', wordsOf('README.md'), 550],
    ['CONTRIBUTING.md', wordsOf('CONTRIBUTING.md'), 610],
    ['the internals', wordsOf(...internals), 4_750],
    ['all but reference', wordsOf(...others.filter((page) => !reference.includes(page))), 23_500],
    ['handwritten reference', wordsOf(...reference), 2_760],
  ] as const
  expect(counts.filter(([, count, most]) => count > most)).toEqual([])
})

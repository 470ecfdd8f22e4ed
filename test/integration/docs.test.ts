/**
 * Runs every `sh` block of README.md and docs and compares the output with the page.
 * `test/support/doc-pages.ts` describes the comments before a block.
 *
 * The pages of the first hour are followed in order, in one data folder. Each other page has a new
 * data folder, whose reader has followed "Get started": Countersign is running with the hook "demo"
 * and one delivery of it. The handler of the docs listens on port 3000. The test uses free ports
 * instead.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { writtenPart } from '../../scripts/lib/generated-docs.ts'
import { blocksOf, docPages, readPage, runsInTest } from '../support/doc-pages.ts'
import { DocsReader } from '../support/docs-reader.ts'
import { createDocsShell, type DocsShell } from '../support/docs-shell.ts'
import { freePorts } from '../support/free-ports.ts'
import { linkPackage } from '../support/installed-package.ts'
import { TEST_TIMEOUT_MS } from '../support/long-form.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { cliOfFile, type Serving } from './cli-fixture.ts'

/** Pages of a reader's first hour, in their order. Their outputs must match exactly. */
const FIRST_HOUR = [
  'README.md',
  'docs/get-started.md',
  'docs/flows.md',
  'docs/first-handler.md',
  'docs/first-real-delivery.md',
  'docs/debug-signature.md',
  'docs/handlers.md',
  'docs/check.md',
  'docs/ci.md',
]

const cli = cliOfFile()
const folder = temporaryFolder()
const start = process.cwd()
let shell: DocsShell
let ports: ReadonlyMap<string, number>

const onFreePorts = (text: string) =>
  text.replaceAll(/\b(?:478[0-9]|300[0-2])\b/g, (port) => String(ports.get(port) ?? port))

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

/** Follows pages in one folder. Returns what differed from them. */
async function follow(
  names: readonly string[],
  { isExact, isPrepared }: { readonly isExact: boolean; readonly isPrepared: boolean },
): Promise<string> {
  const cwd = join(folder, (names[0] ?? '').replaceAll('/', '-'))
  mkdirSync(cwd, { recursive: true })
  process.chdir(cwd)
  const reader = new DocsReader({ shell, serve, onFreePorts, folder: cwd, isExact })
  let problems = ''
  try {
    if (isPrepared) await reader.prepare()
    for (const name of names) await reader.follow(name)
  } finally {
    problems = await reader.close()
  }
  return problems
}

const pages = docPages()
  // The blocks of the CLI reference are examples of the help pages, which have their own test.
  .filter((page) => page !== 'docs/cli.md')
  .map((page) => [page, blocksOf(readPage(page))] as const)

test(
  'the pages of the first hour, in their order: each command runs and prints exactly what they show',
  async () => {
    expect(await follow(FIRST_HOUR, { isExact: true, isPrepared: false })).toBe('')
  },
  FIRST_HOUR.length * TEST_TIMEOUT_MS,
)

test.each(pages.filter(([page, blocks]) => !FIRST_HOUR.includes(page) && blocks.some(runsInTest)))(
  '%s: each command runs and prints the output on the page',
  async (page) => {
    expect(await follow([page], { isExact: false, isPrepared: true })).toBe('')
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

/** Words that a page may have, without its blocks of code, commands and outputs. */
const MOST_WORDS: Readonly<Record<string, number>> = {
  'README.md': 450,
  'CONTRIBUTING.md': 600,
  'docs/README.md': 350,
  // Tutorials
  'docs/get-started.md': 500,
  'docs/first-handler.md': 700,
  'docs/first-real-delivery.md': 700,
  'docs/install.md': 300,
  // Concepts
  'docs/concepts.md': 600,
  'docs/signing.md': 500,
  'docs/live-mode.md': 350,
  // Debug
  'docs/debug-signature.md': 600,
  'docs/deliveries.md': 500,
  'docs/compare.md': 500,
  'docs/shrink.md': 350,
  // Send
  'docs/handlers.md': 300,
  'docs/replay.md': 550,
  'docs/compare-runs.md': 500,
  'docs/forward.md': 500,
  // Test
  'docs/check.md': 400,
  'docs/flows.md': 500,
  'docs/library.md': 900,
  'docs/types.md': 200,
  'docs/ci.md': 400,
  'docs/frameworks.md': 500,
  // Manage
  'docs/hooks.md': 600,
  'docs/public-url.md': 400,
  'docs/search.md': 450,
  'docs/export.md': 550,
  'docs/share.md': 500,
  'docs/setup-file.md': 500,
  'docs/keep.md': 350,
  'docs/desktop.md': 800,
  // Help
  'docs/agents.md': 400,
  'docs/troubleshooting.md': 1_000,
  // Reference
  'docs/cli.md': 470,
  'docs/json.md': 740,
  'docs/query.md': 640,
  'docs/diagnosis.md': 370,
  'docs/check-cases.md': 400,
  'docs/flow-reference.md': 350,
  'docs/sandbox.md': 930,
  'docs/service.md': 1_180,
  'docs/errors.md': 40,
  'docs/shortcuts.md': 40,
  // Trust
  'docs/security.md': 1_300,
  'docs/reliability.md': 800,
  // For contributors
  'docs/contributing/architecture.md': 750,
  'docs/contributing/desktop-internals.md': 700,
  'docs/contributing/performance.md': 400,
  'docs/contributing/release.md': 200,
}
const countOf = (text: string) =>
  text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length

function wordsOf(page: string): number {
  const text = writtenPart(readPage(page)).replaceAll(/<!--.*?-->/g, '')
  return (
    countOf(text) -
    countOf(
      blocksOf(text)
        .map(({ code }) => code)
        .join('\n'),
    )
  )
}

test('each page has a limit of words and stays within it, and all of them within 22,000', () => {
  const written = docPages()
  expect(written.filter((page) => MOST_WORDS[page] === undefined)).toEqual([])
  const counted = [...written, 'CONTRIBUTING.md'].map((page) => ({ page, words: wordsOf(page) }))
  expect(counted.filter(({ page, words }) => words > (MOST_WORDS[page] ?? 0))).toEqual([])
  expect(counted.reduce((sum, { words }) => sum + words, 0)).toBeLessThanOrEqual(22_000)
})

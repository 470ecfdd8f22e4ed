/** A reader of the docs who runs the `sh` blocks of pages, each after the other, and looks. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Serving } from '../integration/cli-fixture.ts'
import {
  blocksOf,
  fileOf,
  outputPattern,
  readPage,
  runsInTest,
  type DocBlock,
  type OutputMatch,
} from './doc-pages.ts'
import type { DocsShell, ShellRun, Started } from './docs-shell.ts'

const HANDLER_PAGE = 'docs/first-handler.md'
const HANDLER_FILE = 'handler.mjs'
const HOOK_URL = 'https://127.0.0.1:4783/h/demo'
const SECRET = 'my-first-secret'
/** Commands that leave behind what "Get started" does: its hook and a delivery. */
const GET_STARTED = `countersign hooks import --event transaction.auth --url ${HOOK_URL} --secret ${SECRET}
countersign trigger transaction.auth`

interface RunningCommand {
  readonly place: string
  /** Output as shown on the page. */
  readonly shown: DocBlock | null
  readonly command: Started
}

export interface DocsReaderSetting {
  readonly shell: DocsShell
  readonly serve: (dataFolder: string) => Promise<Serving>
  /** Replaces the ports of the docs by free ones. */
  readonly onFreePorts: (text: string) => string
  /** Working folder of all pages. It contains the data folder. */
  readonly folder: string
  /** Whether outputs must match the pages exactly, from their first line to the last. */
  readonly isExact: boolean
}

export class DocsReader {
  readonly #setting: DocsReaderSetting
  readonly #problems: string[] = []
  #commands: RunningCommand[] = []
  /** The handler of the docs, if no page has started it. */
  #handler: Started | null = null
  #instance: Serving | null = null

  constructor(setting: DocsReaderSetting) {
    this.#setting = setting
  }

  /** Prepares what readers have after "Get started". */
  async prepare(): Promise<void> {
    await this.#startCountersign()
    this.#check('Get started', await this.#run(GET_STARTED), [0], null)
  }

  /** Runs a page from its first block to its last. */
  async follow(page: string): Promise<void> {
    const blocks = blocksOf(readPage(page))
    await this.#offerHandler(blocks)
    for (const [index, block] of blocks.entries()) {
      if (block.word === 'file') this.#write(block.value, block.code)
      const next = blocks[index + 1]
      if (runsInTest(block))
        await this.#runBlock(page, block, next?.language === 'text' ? next : null)
    }
    for (const { command, shown } of this.#commands)
      if (shown !== null)
        await command.until((output) => this.#patternOf(shown, 'beginning').test(output))
  }

  /** Ends everything that runs. Returns what differed from the pages. */
  async close(): Promise<string> {
    // Last started first, so that the handler outlives the commands that send to it.
    for (const { place, command, shown } of this.#commands.splice(0).toReversed())
      // Our commands exit with 0 on Ctrl+C; others are killed by the signal.
      this.#check(place, await command.stop(), [0, 130, null], shown, 'beginning')
    await this.#handler?.stop()
    await this.#stopCountersign()
    return this.#problems.join('\n')
  }

  async #runBlock(page: string, block: DocBlock, shown: DocBlock | null): Promise<void> {
    const place = `${page}:${block.line}`
    if (block.word === 'stopped') await this.#stopCountersign()
    else await this.#startCountersign()
    if (block.word === 'serve')
      this.#commands.push({ place, shown, command: await this.#start(block.code) })
    else {
      const code = block.word === 'exit' ? Number(block.value) : 0
      this.#check(place, await this.#run(block.code), [code], shown)
    }
  }

  /** Starts the handler of the docs, unless a page has started it or will do so. */
  async #offerHandler(blocks: readonly DocBlock[]): Promise<void> {
    const hasOwn = blocks.some(({ value }) => value === HANDLER_FILE)
    if (hasOwn) {
      await this.#handler?.stop()
      this.#handler = null
    }
    if (hasOwn || this.#handler !== null || this.#commands.length > 0) return
    this.#write(HANDLER_FILE, fileOf(HANDLER_PAGE, HANDLER_FILE))
    this.#handler = await this.#start(
      `WEBHOOK_SECRET=${SECRET} WEBHOOK_URL=${HOOK_URL} '${process.execPath}' ${HANDLER_FILE}`,
    )
  }

  #check(
    place: string,
    { code, output }: ShellRun,
    expected: readonly (number | null)[],
    shown: DocBlock | null,
    match: OutputMatch = 'whole',
  ): void {
    if (!expected.includes(code))
      this.#problems.push(`${place} exited with ${code}, not ${expected.join(' or ')}:\n${output}`)
    else if (shown !== null && !this.#patternOf(shown, match).test(output))
      this.#problems.push(`${place} does not print what line ${shown.line} shows:\n${output}`)
  }

  #patternOf({ code }: DocBlock, match: OutputMatch): RegExp {
    const { isExact, onFreePorts } = this.#setting
    return isExact ? outputPattern(onFreePorts(code), match) : outputPattern(code, 'part')
  }

  #write(name: string, text: string): void {
    writeFileSync(join(this.#setting.folder, name), this.#setting.onFreePorts(text))
  }

  #run(script: string): Promise<ShellRun> {
    const { shell, folder, onFreePorts } = this.#setting
    return shell.run(onFreePorts(script), folder, this.#dataFolder())
  }

  #start(script: string): Promise<Started> {
    const { shell, folder, onFreePorts } = this.#setting
    return shell.start(onFreePorts(script), folder, this.#dataFolder())
  }

  async #startCountersign(): Promise<void> {
    this.#instance ??= await this.#setting.serve(this.#dataFolder())
  }

  async #stopCountersign(): Promise<void> {
    const code = (await this.#instance?.stop()) ?? 0
    if (code !== 0) this.#problems.push(`Countersign exited with ${code}.`)
    this.#instance = null
  }

  #dataFolder(): string {
    const dataFolder = join(this.#setting.folder, 'data')
    mkdirSync(dataFolder, { recursive: true })
    return dataFolder
  }
}

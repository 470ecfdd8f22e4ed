/**
 * The built command line for the tests of a file: in this process if only the command matters, as
 * its own process for signals, pipes and concurrency. The build is a copy with a one-page app, so
 * that these tests don't need the real one. Commands are written as they are typed: run`show latest
 * --json`.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { beforeAll } from 'vitest'
import { builtCli } from '../support/built-cli.ts'
import { closeAtEnd } from '../support/temporary-folder.ts'
import { createInProcess, type RunInProcess } from './cli-in-process.ts'

export interface Ran {
  readonly code: number | null
  readonly stdout: Buffer
  readonly stderr: string
  /** Text of both outputs; of a command in this process, in the order it wrote them. */
  readonly both: Buffer
  /** Standard output as text, without the last line break. */
  readonly text: string
  /** Standard output as one JSON value per line. */
  json(): Record<string, unknown>[]
}

export interface RunOptions {
  /** Standard input of the command; null leaves it open. A stream only for `run`. */
  readonly stdin?: string | Uint8Array | Readable | null
  readonly env?: Readonly<Record<string, string>>
  /** For `run`: whether its outputs are a terminal. */
  readonly isTerminal?: boolean
  /** A command whose subcommands or arguments are typed. */
  readonly command?: string
  /** The data folder, unless the command names one; null for none. By default the test file's. */
  readonly data?: string | null
}

export interface Serving {
  readonly info: {
    readonly ui: string
    readonly receiver: string
    readonly sandbox: string
    readonly ca: string
    readonly data: string
    readonly pid: number
  }
  /** Stops it and resolves with its exit code. */
  stop(): Promise<number | null>
}

export interface ServingProcess extends Serving {
  readonly child: ChildProcess
  stderr(): string
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

type Word = string | number | readonly string[]
type Typed<T> = (parts: TemplateStringsArray, ...values: Word[]) => T

/**
 * Returns the words of a typed command. A value is one word or part of one, whatever it contains; a
 * list is several.
 */
export function wordsOf(parts: readonly string[], values: readonly Word[] = []): string[] {
  const words: string[] = []
  let word: string | null = null
  let quote: string | null = null
  const end = () => {
    if (word !== null) words.push(word)
    word = null
  }
  for (const [index, part] of parts.entries()) {
    for (const character of part)
      if (character === quote || (quote === null && /['"]/.test(character))) {
        quote = quote === null ? character : null
        word ??= ''
      } else if (quote !== null || !/\s/.test(character)) word = (word ?? '') + character
      else end()
    const value = values[index]
    if (typeof value === 'object') words.push(...value)
    else if (value !== undefined) word = (word ?? '') + String(value)
  }
  end()
  return words
}

export const FREE_PORTS = ['--ui-port', '0', '--receiver-port', '0', '--sandbox-port', '0']

/**
 * Returns a user's environment without the variables that would affect the tests, and with a
 * separate home.
 */
function plainEnvironment(
  home: string,
  more: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  const affecting =
    /^(?:COUNTERSIGN_(?:DATA|SECRET|KEY|CLIENT_SECRET)|npm_command|(?:WAYLAND_)?DISPLAY|NO_COLOR|FORCE_COLOR)$/
  const env = Object.entries(process.env).filter(([name]) => !affecting.test(name))
  const share = join(home, 'share')
  return { ...Object.fromEntries(env), HOME: home, XDG_DATA_HOME: share, APPDATA: share, ...more }
}

export function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((done) => {
    if (child.exitCode !== null || child.signalCode !== null) done(child.exitCode)
    else child.once('exit', (code) => done(code))
  })
}

function ranOf(
  code: number | null,
  stdout: Buffer,
  stderr: Buffer,
  both: Buffer = Buffer.concat([stdout, stderr]),
): Ran {
  const text = stdout.toString('utf8').trimEnd()
  const json = () =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  return { code, stdout, stderr: stderr.toString('utf8'), both, text, json }
}

function collect(child: ChildProcess): Promise<Ran> {
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk))
  return new Promise((done, fail) => {
    child.on('error', fail)
    child.on('close', (code) => {
      done(ranOf(code, Buffer.concat(out), Buffer.concat(err)))
    })
  })
}

export type Cli = ReturnType<typeof cliOfFile>

/** Creates the command line of a test file, at whose end its processes and folder are gone. */
export function cliOfFile() {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-cli-'))
  const children = new Set<ChildProcess>()
  const inThisProcess = new Set<Begun>()
  const newDataFolder = () => join(folder, `data-${++folders}`)
  let folders = 0
  const data = newDataFolder()
  let build = ''
  let inProcess: ReturnType<typeof createInProcess> | null = null
  const before = process.cwd()
  closeAtEnd(async () => {
    for (const child of children) child.kill('SIGKILL')
    await Promise.all([...children].map(exitOf))
    for (const begun of inThisProcess) await begun.stop()
    process.chdir(before)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  beforeAll(async () => {
    build = await builtCli(folder)
    inProcess = createInProcess(build)
    process.chdir(folder)
  })

  /** Starts a script; without arguments, a test's own. */
  const startScript = (script: string, options: RunOptions = {}, args: readonly string[] = []) => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: folder,
      env: plainEnvironment(folder, options.env),
      stdio: 'pipe',
    })
    children.add(child)
    child.once('exit', () => children.delete(child))
    // A command that ends before reading its input closes the pipe.
    child.stdin.on('error', () => undefined)
    const { stdin = '' } = options
    if (stdin instanceof Readable) throw new Error('A process takes no stream.')
    if (stdin !== null) child.stdin.end(stdin)
    return child
  }

  /** Commands with these options. */
  const given = (options: RunOptions) => {
    const { stdin, env, isTerminal = false, data: dataFolder = data, command } = options
    const argsOf = (parts: TemplateStringsArray, values: readonly Word[]) => {
      const words = [...(command === undefined ? [] : [command]), ...wordsOf(parts, values)]
      return dataFolder === null || words.includes('--data')
        ? words
        : [...words, '--data', dataFolder]
    }
    const runHere = async (args: readonly string[], more: Partial<RunInProcess>) => {
      if (inProcess === null) throw new Error('No test runs.')
      const { code, stdout, stderr, both } = await inProcess(args, {
        stdin: stdin ?? '',
        env: plainEnvironment(folder, env),
        isTerminal,
        ...more,
      })
      return ranOf(code, stdout, stderr, both)
    }
    const run: Typed<Promise<Ran>> = (parts, ...values) => runHere(argsOf(parts, values), {})
    const begin: Typed<Begun> = (parts, ...values) => {
      const begun = beginCommand((more) => runHere(argsOf(parts, values), more))
      inThisProcess.add(begun)
      void begun.ended.then(() => inThisProcess.delete(begun))
      return begun
    }
    const start: Typed<ChildProcess> = (parts, ...values) =>
      startScript(join(build, 'cli.js'), options, argsOf(parts, values))
    const json: Typed<Promise<Record<string, unknown>[]>> = async (parts, ...values) =>
      (await run`${wordsOf(parts, values)} --json`).json()
    const runProcess: Typed<Promise<Ran>> = (parts, ...values) => collect(start(parts, ...values))
    return {
      /** Runs a command in this process, whose working folder is the fixture's meanwhile. */
      run,
      json,
      begin,
      runProcess,
      start,
    }
  }

  return {
    ...given({}),
    given,
    startScript,
    entry: () => join(build, 'cli.js'),
    folder,
    /** The data folder of commands, which doesn't exist yet. */
    data,
    newDataFolder,
    /** Runs `serve` in this process. */
    async serve(dataFolder = data, args: readonly string[] = []): Promise<Serving> {
      const command = given({ data: dataFolder }).begin`serve --json ${FREE_PORTS} ${args}`
      await Promise.race([command.until(1), command.ended])
      const [line] = command.lines
      if (line === undefined) throw new Error(`serve ended before it served: ${command.said()}`)
      return { info: JSON.parse(line) as Serving['info'], stop: command.stop }
    },
    async serveProcess(
      dataFolder = data,
      args: readonly string[] = [],
      options: RunOptions = {},
    ): Promise<ServingProcess> {
      const child = given({ ...options, data: dataFolder })
        .start`serve --json ${FREE_PORTS} ${args}`
      let said = ''
      child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
      const [line] = await Promise.race([
        (async () => {
          for await (const first of createInterface(child.stdout ?? process.stdin)) return [first]
          return []
        })(),
        exitOf(child).then(() => []),
      ])
      if (line === undefined) throw new Error(`serve ended before it served: ${said}`)
      return {
        info: JSON.parse(line) as Serving['info'],
        child,
        stderr: () => said,
        stop(signal = 'SIGTERM') {
          child.kill(signal)
          return exitOf(child)
        },
      }
    },
  }
}

function createLines() {
  const lines: string[] = []
  let rest = ''
  let wake = () => undefined as void
  return {
    lines,
    add(text: string) {
      const parts = (rest + text).split('\n')
      rest = parts.pop() ?? ''
      lines.push(...parts)
      wake()
    },
    async until(count: number) {
      while (lines.length < count) await new Promise<void>((resolve) => (wake = resolve))
    },
  }
}

export function linesOf(child: ChildProcess) {
  const { lines, add, until } = createLines()
  child.stdout?.on('data', (chunk: Buffer) => {
    add(chunk.toString())
  })
  return { lines, until }
}

/** A command that runs in this process, beside others. */
export interface Begun {
  readonly lines: readonly string[]
  until(count: number): Promise<void>
  said(): string
  /** Resolves when it has written to standard error. */
  readonly hasSaid: Promise<void>
  readonly ended: Promise<Ran>
  /** Stops the command as Ctrl+C does; resolves with its exit code. */
  stop(): Promise<number | null>
}

/** Listeners of the signal, of commands that run in this process. */
const ofCommands = new Set<NodeJS.SignalsListener>()

function beginCommand(run: (more: Partial<RunInProcess>) => Promise<Ran>): Begun {
  const others = process.listeners('SIGINT')
  const own: NodeJS.SignalsListener[] = []
  /**
   * A command listens before it writes. Only it is to hear the signal: a library that another file
   * loaded would exit.
   */
  const claim = () => {
    for (const listener of process.listeners('SIGINT'))
      if (!others.includes(listener) && !ofCommands.has(listener)) {
        own.push(listener)
        ofCommands.add(listener)
      }
  }
  const { lines, add, until } = createLines()
  const { promise: hasSaid, resolve: say } = Promise.withResolvers<void>()
  let said = ''
  const ended = run({
    lasts: true,
    onStdout(text) {
      claim()
      add(text)
    },
    onStderr(text) {
      claim()
      said += text
      say()
    },
  }).finally(() => {
    for (const listener of own) ofCommands.delete(listener)
  })
  return {
    lines,
    until,
    said: () => said,
    hasSaid,
    ended,
    async stop() {
      claim()
      for (const listener of own) listener('SIGINT')
      return (await ended).code
    },
  }
}

/**
 * Runs the built command line in this process, which saves the half second that a new process
 * takes. A command that leaves anything behind in the process fails here, because the next one
 * would find it.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import type * as commandLine from '../../src/cli/command-line.ts'

export interface RunInProcess {
  readonly stdin: string | Uint8Array | Readable
  readonly onStdout?: (text: string) => void
  readonly onStderr?: (text: string) => void
  /** Whether it runs beside other commands, until it is stopped. */
  readonly lasts?: boolean
  readonly env: NodeJS.ProcessEnv
  /** Whether its outputs are a terminal. */
  readonly isTerminal?: boolean
}

export interface RanInProcess {
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: Buffer
  /** Text of both outputs in the order they were written, as a terminal shows it. */
  readonly both: Buffer
}

function collect(
  both: Buffer[],
  onText?: (text: string) => void,
): {
  readonly stream: Writable
  readonly bytes: () => Buffer
} {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      both.push(chunk)
      onText?.(chunk.toString())
      done()
    },
  })
  return { stream, bytes: () => Buffer.concat(chunks) }
}

/** Process state that a command must not change. */
function processContext(): ReadonlyMap<string, unknown> {
  const listeners = process
    .eventNames()
    .map((name) => [`listeners of ${String(name)}`, process.listenerCount(name)] as const)
  const variables = Object.entries(process.env).map(
    ([name, value]) => [`variable ${name}`, value] as const,
  )
  return new Map<string, unknown>([
    ...listeners,
    ...variables,
    ['exit code', process.exitCode],
    ['folder', process.cwd()],
  ])
}

/** Names only: values may be secrets. */
function changesOf(
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  )
}

export function createInProcess(
  build: string,
): (args: readonly string[], options: RunInProcess) => Promise<RanInProcess> {
  // `require` loads the build unchanged; `import` would let the test runner transform it.
  const load = createRequire(import.meta.url)
  const { runCommandLine } = load(join(build, 'command-line.js')) as typeof commandLine
  const buildUrl = pathToFileURL(`${build}/`)
  let running = 0
  /**
   * Starts and ends of commands that last: the listeners that each adds and removes belong to no
   * other command.
   */
  let turns = 0
  return async (args, { stdin, env, isTerminal = false, onStdout, onStderr, lasts = false }) => {
    const before = running === 0 && !lasts ? processContext() : null
    const turn = turns
    if (lasts) turns++
    else running++
    const both: Buffer[] = []
    const [stdout, stderr] = [collect(both, onStdout), collect(both, onStderr)]
    const code = await runCommandLine(args, {
      build: buildUrl,
      env,
      stdin:
        stdin instanceof Readable
          ? stdin
          : Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin)]),
      stdout: Object.assign(stdout.stream, { isTTY: isTerminal }),
      stderr: Object.assign(stderr.stream, { isTTY: isTerminal }),
    }).finally(() => (lasts ? turns++ : running--))
    // Commands running at the same time see each other's listeners.
    const isAlone = before !== null && running === 0 && turn === turns
    const left = isAlone ? changesOf(before, processContext()) : []
    if (left.length > 0)
      throw new Error(`${args.join(' ')} left something behind in the process: ${left.join(', ')}`)
    return { code, stdout: stdout.bytes(), stderr: stderr.bytes(), both: Buffer.concat(both) }
  }
}

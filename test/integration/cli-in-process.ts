/**
 * Runs a command of the built command line in this process: the same code from its first word to its exit code, without the half
 * second and more that a process takes to start. What a command leaves behind in the process is a failure here: the next one
 * would meet it, and in a process of its own nobody would see it.
 */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import type * as commandLine from '../../src/cli/command-line.ts'

export interface RunInProcess {
  readonly stdin: string | Uint8Array
  readonly env: NodeJS.ProcessEnv
  /** Whether its outputs are a terminal. */
  readonly isTerminal?: boolean
}

export interface RanInProcess {
  readonly code: number
  readonly stdout: Buffer
  readonly stderr: Buffer
}

function collect(): { readonly stream: Writable; readonly bytes: () => Buffer } {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk)
      done()
    },
  })
  return { stream, bytes: () => Buffer.concat(chunks) }
}

/** What a command may not change: the process is not its own. */
function surroundings(): ReadonlyMap<string, unknown> {
  const listeners = process.eventNames().map((name) => [`listeners of ${String(name)}`, process.listenerCount(name)] as const)
  const variables = Object.entries(process.env).map(([name, value]) => [`variable ${name}`, value] as const)
  return new Map<string, unknown>([...listeners, ...variables, ['exit code', process.exitCode], ['folder', process.cwd()]])
}

/** Names, never values: among the variables may be secrets. */
function changesOf(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((name) => before.get(name) !== after.get(name))
}

/** Makes a function that runs commands of the build in the folder. */
export function createInProcess(build: string): (args: readonly string[], options: RunInProcess) => Promise<RanInProcess> {
  // `require` leaves the build as it is, where `import` would have the test runner read and change it first.
  const load = createRequire(import.meta.url)
  const { runCommandLine } = load(join(build, 'command-line.js')) as typeof commandLine
  const buildUrl = pathToFileURL(`${build}/`)
  let running = 0
  return async (args, { stdin, env, isTerminal = false }) => {
    const before = running === 0 ? surroundings() : null
    running++
    const [stdout, stderr] = [collect(), collect()]
    const code = await runCommandLine(args, {
      build: buildUrl,
      env,
      stdin: Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin)]),
      stdout: Object.assign(stdout.stream, { isTTY: isTerminal }),
      stderr: Object.assign(stderr.stream, { isTTY: isTerminal }),
    }).finally(() => running--)
    // Of commands that run at once, one sees what the other holds for the time being.
    const left = before === null || running > 0 ? [] : changesOf(before, surroundings())
    if (left.length > 0) throw new Error(`${args.join(' ')} left something behind in the process: ${left.join(', ')}`)
    return { code, stdout: stdout.bytes(), stderr: stderr.bytes() }
  }
}

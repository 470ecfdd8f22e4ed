/**
 * Runs the built command line: in this process if only the command matters, as its own process for signals, pipes and concurrency.
 * The build is a copy with a one-page app, so that these tests don't need the real one.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { secretKey, signDelivery } from '../../src/core/signature/sign.ts'
import { builtCli } from '../support/built-cli.ts'
import { closeAtEnd } from '../support/temporary-folder.ts'
import { createInProcess } from './cli-in-process.ts'

export interface Ran {
  readonly code: number | null
  readonly stdout: Buffer
  readonly stderr: string
  /** Standard output as text, without the last line break. */
  readonly text: string
  /** Standard output as one JSON value per line. */
  json(): Record<string, unknown>[]
}

export interface RunOptions {
  readonly stdin?: string | Uint8Array
  readonly env?: Readonly<Record<string, string>>
  /** For `run`: whether its outputs are a terminal. */
  readonly isTerminal?: boolean
}

export interface ServeInfo {
  readonly ui: string
  readonly receiver: string
  readonly sandbox: string
  readonly ca: string
  readonly data: string
  readonly pid: number
}

export interface Serving {
  readonly info: ServeInfo
  readonly child: ChildProcess
  /** Standard error so far. */
  stderr(): string
  /** Stops it and resolves with its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

export interface Cli {
  readonly entry: string
  /** A data folder that does not exist yet. */
  newDataFolder(): string
  /** Runs a command in this process, whose working folder is the fixture's meanwhile. */
  run(args: readonly string[], options?: RunOptions): Promise<Ran>
  /** Runs a command as its own process. */
  runProcess(args: readonly string[], options?: RunOptions): Promise<Ran>
  /** Starts a command without waiting for it. */
  start(args: readonly string[], options?: RunOptions): ChildProcess
  /** Starts a test script instead of the command. */
  startScript(script: string, options?: RunOptions): ChildProcess
  serve(dataFolder: string, args?: readonly string[], options?: RunOptions): Promise<Serving>
}

/** Options of `serve`. */
export const FREE_PORTS = ['--ui-port', '0', '--receiver-port', '0', '--sandbox-port', '0']

/** A user's environment without the variables that would affect the tests, and with a separate home. */
function plainEnvironment(
  home: string,
  more: Readonly<Record<string, string>> = {},
): NodeJS.ProcessEnv {
  const env = { ...process.env }
  for (const name of [
    'COUNTERSIGN_DATA',
    'COUNTERSIGN_SECRET',
    'COUNTERSIGN_KEY',
    'COUNTERSIGN_CLIENT_SECRET',
    'npm_command',
    'DISPLAY',
    'WAYLAND_DISPLAY',
    'NO_COLOR',
    'FORCE_COLOR',
  ])
    delete env[name]
  return {
    ...env,
    HOME: home,
    XDG_DATA_HOME: join(home, 'share'),
    APPDATA: join(home, 'share'),
    ...more,
  }
}

export function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((done) => {
    if (child.exitCode !== null || child.signalCode !== null) done(child.exitCode)
    else child.once('exit', (code) => done(code))
  })
}

function ranOf(code: number | null, stdout: Buffer, stderr: Buffer): Ran {
  const text = stdout.toString('utf8').trimEnd()
  const json = () =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  return { code, stdout, stderr: stderr.toString('utf8'), text, json }
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

/** Prepares the command line. Its processes and folder are gone when the test ends, or the file if called in a `beforeAll`. */
export async function prepareCli(): Promise<Cli> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-cli-'))
  const build = await builtCli(folder)
  const entry = join(build, 'cli.js')
  const children = new Set<ChildProcess>()
  const inProcess = createInProcess(build)
  const before = process.cwd()
  process.chdir(folder)
  let folders = 0
  closeAtEnd(async () => {
    for (const child of children) child.kill('SIGKILL')
    await Promise.all([...children].map(exitOf))
    process.chdir(before)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })

  const startScript = (
    script: string,
    options: RunOptions = {},
    args: readonly string[] = [],
  ): ChildProcess => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: folder,
      env: plainEnvironment(folder, options.env),
      stdio: 'pipe',
    })
    children.add(child)
    child.once('exit', () => children.delete(child))
    // A command that ends before reading its input closes the pipe.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(options.stdin ?? '')
    return child
  }
  const start = (args: readonly string[], options?: RunOptions) => startScript(entry, options, args)

  return {
    entry,
    newDataFolder: () => join(folder, `data-${++folders}`),
    async run(args, { stdin = '', env, isTerminal = false } = {}) {
      const { code, stdout, stderr } = await inProcess(args, {
        stdin,
        env: plainEnvironment(folder, env),
        isTerminal,
      })
      return ranOf(code, stdout, stderr)
    },
    runProcess: (args, options) => collect(start(args, options)),
    start,
    startScript,
    async serve(dataFolder, args = [], options = {}) {
      const child = start(
        ['serve', '--json', '--data', dataFolder, ...FREE_PORTS, ...args],
        options,
      )
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
        info: JSON.parse(line) as ServeInfo,
        child,
        stderr: () => said,
        async stop(signal = 'SIGTERM') {
          child.kill(signal)
          return exitOf(child)
        },
      }
    },
  }
}

export interface DeliveryToSend {
  readonly url: string
  readonly body: string | Uint8Array
  readonly secret?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a delivery to the receiver, trusting only its CA; signed if a secret is given. Resolves with the status. */
export async function sendDelivery(
  caFile: string,
  { url, body, secret, headers = {} }: DeliveryToSend,
): Promise<number | undefined> {
  const bytes = Buffer.from(body)
  const timestamp = String(Date.now())
  const signed: Record<string, string> =
    secret === undefined
      ? {}
      : {
          'x-service-signature': signDelivery({
            body: bytes,
            url,
            timestamp,
            key: secretKey(secret),
          }).signature,
          'x-service-timestamp': timestamp,
        }
  const ca = await readFile(caFile)
  return new Promise((done, fail) => {
    const sent = request(
      url,
      {
        method: 'POST',
        ca,
        agent: false,
        headers: { 'content-type': 'application/json', ...signed, ...headers },
      },
      (answer) => {
        answer.resume()
        answer.on('end', () => done(answer.statusCode))
      },
    )
    sent.on('error', fail)
    sent.end(bytes)
  })
}

/** Lines of a running command as they arrive. */
export function linesOf(child: ChildProcess): {
  readonly lines: string[]
  until(count: number): Promise<void>
} {
  const lines: string[] = []
  let rest = ''
  let wake = () => undefined as void
  child.stdout?.on('data', (chunk: Buffer) => {
    rest += chunk.toString()
    const parts = rest.split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts)
    wake()
  })
  return {
    lines,
    async until(count) {
      while (lines.length < count) await new Promise<void>((resolve) => (wake = resolve))
    },
  }
}

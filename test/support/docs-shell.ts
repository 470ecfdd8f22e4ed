/**
 * A shell for the commands of the docs: `countersign` and `npx countersign` run in this process.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { exitOf, type Cli } from '../integration/cli-fixture.ts'

export interface ShellRun {
  readonly code: number | null
  readonly output: string
}

export interface Started {
  /** Resolves when the output so far is right, or when the command has ended. */
  until(isRight: (output: string) => boolean): Promise<void>
  stop(): Promise<ShellRun>
}

export interface DocsShell {
  run(script: string, folder: string, dataFolder: string): Promise<ShellRun>
  /** Starts a command as a process; resolves once it has printed something. */
  start(script: string, folder: string, dataFolder: string): Promise<Started>
  close(): Promise<void>
}

/**
 * Shell functions that start no process: the test gets the words over a connection, input and
 * outputs as files, because variables can't have every byte.
 */
const FUNCTIONS = `countersign() {
  local call="$DOCS_CALLS/$$-$RANDOM-$RANDOM" code
  [ /dev/stdin -ef /dev/null ] || cat > "$call.in"
  exec 9<> "/dev/tcp/127.0.0.1/$DOCS_PORT"
  printf '%s\\0' "$call" "$COUNTERSIGN_DATA" "\${COUNTERSIGN_SECRET-}" "$#" "$@" >&9
  read -r code <&9
  exec 9>&-
  if [ /dev/stdout -ef /dev/stderr ]; then cat "$call.both"
  else cat "$call.out"; cat "$call.err" >&2; fi
  return "$code"
}
npx() {
  [ "$1" = countersign ] || { echo "npx $1 does not run in a test" >&2; return 127; }
  shift
  countersign "$@"
}
`

/** Writes `countersign` and `npx` for programs that start them, such as `xargs`. */
function writeTools(folder: string, scriptOf: (name: string) => string): string {
  mkdirSync(folder)
  for (const name of ['countersign', 'npx']) {
    writeFileSync(join(folder, name), `#!/usr/bin/env bash\n${scriptOf(name)}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

/** Returns the fields of a call, each ended by a null byte; null while some are missing. */
function fieldsOf(received: string) {
  const [call = '', data = '', secret = '', count, ...words] = received.split('\0').slice(0, -1)
  return count === undefined || words.length < Number(count) ? null : { call, data, secret, words }
}

export async function createDocsShell(cli: Cli, folder: string): Promise<DocsShell> {
  const calls = join(folder, 'calls')
  mkdirSync(calls)
  const inTest = writeTools(join(folder, 'in-test'), (name) => `${FUNCTIONS}${name} "$@"`)
  const own = `'${process.execPath}' '${cli.entry()}'`
  const asProcess = writeTools(join(folder, 'as-process'), (name) =>
    name === 'npx' ? `shift; exec ${own} "$@"` : `exec ${own} "$@"`,
  )
  async function run({ call, data, secret, words }: NonNullable<ReturnType<typeof fieldsOf>>) {
    const env = {
      COUNTERSIGN_DATA: data,
      ...(secret === '' ? {} : { COUNTERSIGN_SECRET: secret }),
    }
    const stdin = existsSync(`${call}.in`) ? readFileSync(`${call}.in`) : ''
    // Requests of a check are limited per second, and a page shows no rate.
    const quick = words[0] === 'check' && !words.includes('--rate') ? ['--rate', '10000'] : []
    const { code, stdout, stderr, both } = await cli.given({ stdin, env, data: null })
      .run`${words} ${quick}`
    writeFileSync(`${call}.out`, stdout)
    writeFileSync(`${call}.err`, stderr)
    writeFileSync(`${call}.both`, both)
    return code
  }
  const server = createServer((socket) => {
    let received = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      const fields = fieldsOf((received += text))
      if (fields === null) return
      run(fields)
        .catch((error: unknown) => {
          for (const output of ['out', 'err', 'both'])
            writeFileSync(`${fields.call}.${output}`, output === 'out' ? '' : String(error))
          return 70
        })
        .then(
          (code) => socket.end(`${code}\n`),
          (error: unknown) => socket.destroy(error as Error),
        )
    })
    socket.on('error', () => undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  function bash(
    script: string,
    tools: string,
    cwd: string,
    dataFolder: string,
  ): { child: ChildProcess; output: () => string } {
    const functions = tools === inTest ? FUNCTIONS : ''
    const child = spawn('bash', ['-euo', 'pipefail', '-c', `exec 2>&1\n${functions}${script}`], {
      cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        HOME: folder,
        NO_COLOR: '1',
        PATH: tools + delimiter + (process.env['PATH'] ?? ''),
        COUNTERSIGN_DATA: dataFolder,
        DOCS_PORT: String(port),
        DOCS_CALLS: calls,
        no_proxy: '*',
      },
    })
    let text = ''
    child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()))
    return { child, output: () => text }
  }

  return {
    async run(script, cwd, dataFolder) {
      const { child, output } = bash(script, inTest, cwd, dataFolder)
      const [code] = (await once(child, 'close')) as [number | null]
      return { code, output: output() }
    },
    async start(script, cwd, dataFolder) {
      const { child, output } = bash(script, asProcess, cwd, dataFolder)
      const ended = exitOf(child)
      await Promise.race([once(child.stdout ?? process.stdin, 'data'), ended])
      if (child.exitCode !== null)
        throw new Error(`It ended at once with ${child.exitCode}:\n${output()}`)
      return {
        async until(isRight) {
          while (!isRight(output()) && child.exitCode === null)
            await Promise.race([once(child.stdout ?? process.stdin, 'data'), ended])
        },
        async stop() {
          // Stops the shell and the command, as Ctrl+C does.
          if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT')
          return { code: await ended, output: output() }
        },
      }
    },
    async close() {
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

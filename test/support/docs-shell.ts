/**
 * A shell for the commands of the docs: `countersign` and `npx countersign` run in this process, on the page's data folder, like
 * `cli.run` in the integration tests. Everything else, such as `curl` and `openssl`, is the computer's own.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { exitOf, type Cli } from '../integration/cli-fixture.ts'

export interface ShellRun {
  readonly code: number | null
  /** Both outputs, as in a terminal. */
  readonly output: string
}

export interface Started {
  /** The output so far. */
  output(): string
  stop(): Promise<ShellRun>
}

export interface DocsShell {
  run(script: string, folder: string, dataFolder: string): Promise<ShellRun>
  /** Starts a command as a process; resolves once it has printed something. */
  start(script: string, folder: string, dataFolder: string): Promise<Started>
  close(): Promise<void>
}

// Both outputs are in one response: the exit code, the errors in Base64, and the data in Base64.
const IN_TEST = `#!/usr/bin/env bash
encode() { base64 | tr -d '\\n'; }
curl -sS --data-binary @- -H 'expect:' -H "x-words: $(printf '%s\\0' "$@" | encode)" -H "x-data: $COUNTERSIGN_DATA" \\
  -H "x-secret: $(printf %s "\${COUNTERSIGN_SECRET-}" | encode)" "$DOCS_SHELL" |
  { read -r code; read -r errors; base64 -d; printf %s "$errors" | base64 -d >&2; exit "$code"; }
`
const npx = (countersign: string) => `#!/usr/bin/env bash
[ "$1" = countersign ] || { echo "npx $1 does not run in a test" >&2; exit 127; }
shift
exec '${countersign}' "$@"
`

function writeTools(folder: string, countersign: string): string {
  mkdirSync(folder)
  for (const [name, script] of [
    ['countersign', countersign],
    ['npx', npx(join(folder, 'countersign'))],
  ] as const) {
    writeFileSync(join(folder, name), script)
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

const decoded = (header: string | string[] | undefined) =>
  Buffer.from(String(header ?? ''), 'base64').toString()

export async function createDocsShell(cli: Cli, folder: string): Promise<DocsShell> {
  const inTest = writeTools(join(folder, 'in-test'), IN_TEST)
  const asProcess = writeTools(
    join(folder, 'as-process'),
    `#!/usr/bin/env bash\nexec '${process.execPath}' '${cli.entry()}' "$@"\n`,
  )
  const server = createServer((request, response) => {
    const run = async () => {
      const words = decoded(request.headers['x-words']).split('\0').slice(0, -1)
      const secret = decoded(request.headers['x-secret'])
      const env = {
        COUNTERSIGN_DATA: String(request.headers['x-data']),
        ...(secret === '' ? {} : { COUNTERSIGN_SECRET: secret }),
      }
      // Its requests are limited per second, and a page shows no rate.
      const quick = words[0] === 'check' && !words.includes('--rate') ? ['--rate', '10000'] : []
      const ran = await cli.given({ stdin: await buffer(request), env, data: null })
        .run`${words} ${quick}`
      return [
        String(ran.code),
        Buffer.from(ran.stderr).toString('base64'),
        ran.stdout.toString('base64'),
      ].join('\n')
    }
    run().then(
      (text) => response.end(`${text}\n`),
      (error: unknown) => response.end(`70\n${Buffer.from(String(error)).toString('base64')}\n\n`),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

  function bash(
    script: string,
    tools: string,
    cwd: string,
    dataFolder: string,
  ): { child: ChildProcess; output: () => string } {
    const child = spawn('bash', ['-euo', 'pipefail', '-c', `exec 2>&1\n${script}`], {
      cwd,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        HOME: folder,
        NO_COLOR: '1',
        PATH: tools + delimiter + (process.env['PATH'] ?? ''),
        COUNTERSIGN_DATA: dataFolder,
        DOCS_SHELL: address,
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
        output,
        async stop() {
          // Stops the shell and the command, as Ctrl+C does.
          if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT')
          return { code: await ended, output: output() }
        },
      }
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The child process of `test/e2e/hosts/server.ts`: runs the built `serve` in turn. */
import { createRequire } from 'node:module'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { ServeReport, ServeRequest } from '../e2e/hosts/server.ts'
import type * as commandLine from '../../src/cli/command-line.ts'
import { ALLOCATOR_VARIABLES } from '../../src/cli/memory-tuning.ts'

const build = new URL('../../out/node/', import.meta.url)
// `serve` also removes these from its environment.
for (const name of Object.keys(ALLOCATOR_VARIABLES)) Reflect.deleteProperty(process.env, name)
const load = createRequire(import.meta.url)
const { runCommandLine } = load(
  fileURLToPath(new URL('command-line.js', build)),
) as typeof commandLine

function collect(onText: (text: string) => void): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      onText(chunk.toString())
      done()
    },
  })
}

async function serve(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const report = (what: ServeReport) => process.send?.(what)
  for (const name of Object.keys(process.env))
    if (!(name in env)) Reflect.deleteProperty(process.env, name)
  Object.assign(process.env, env)
  let line = ''
  let stderr = ''
  const stdout = collect((text) => {
    if (line.includes('\n')) return
    line += text
    if (line.includes('\n')) report({ line: line.slice(0, line.indexOf('\n')) })
  })
  const code = await runCommandLine(args, {
    build,
    env,
    stdin: Readable.from([]),
    stdout,
    stderr: collect((text) => (stderr += text)),
  })
  report({ code, stderr })
}

process.on('message', (request: ServeRequest) => {
  if ('serve' in request) void serve(request.serve, request.env)
  else process.emit('SIGTERM', 'SIGTERM')
})
process.on('disconnect', () => {
  process.exit()
})

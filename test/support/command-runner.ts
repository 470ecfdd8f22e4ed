/** The child process of `test/e2e/hosts/commands.ts`: runs built commands in turn. */
import { fileURLToPath } from 'node:url'
import { createInProcess } from '../integration/cli-in-process.ts'

const run = createInProcess(fileURLToPath(new URL('../../out/node', import.meta.url)))
let last: Promise<unknown> = Promise.resolve()

process.on('message', ({ id, args }: { id: number; args: readonly string[] }) => {
  last = last
    .then(() => run(args, { stdin: '', env: process.env }))
    .then(({ code, stdout, stderr }) =>
      process.send?.({ id, code, stdout: stdout.toString(), stderr: stderr.toString() }),
    )
    .catch((error: unknown) =>
      process.send?.({ id, code: null, stdout: '', stderr: String(error) }),
    )
})

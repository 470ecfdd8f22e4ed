/** Entry of the `countersign` command: runs it in the surroundings of this process, and ends the process with its exit code. */
import { runCommandLine } from './command-line.ts'
import { EXIT } from './failure.ts'

let endsUnread = true

/**
 * Whoever reads our output may have had enough (`| head`): that is no failure, and nothing to talk about. What only tells has nothing
 * left to do then; what answers with its exit code, or does something, goes on to its end.
 */
function heedClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
      if (endsUnread) process.exit(EXIT.done)
    })
  }
}

heedClosedPipes()
const { env, stdin, stdout, stderr } = process
const exitCode = await runCommandLine(process.argv.slice(2), {
  build: new URL('./', import.meta.url),
  env,
  stdin,
  stdout,
  stderr,
  goOnUnread() {
    endsUnread = false
  },
})
// What is still on its way to a slow reader is let through before the process ends.
await Promise.all([stdout, stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))))
process.exit(exitCode)

/** Entry of the `countersign` command: runs it in the surroundings of this process, and ends the process with its exit code. */
import { enableCompileCache, getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { beginLean } from './lean-process.ts'

let endsUnread = true
let isCutOff = false

/**
 * Whoever reads our output may have had enough (`| head`): that is no failure, and nothing to talk about. What only tells has nothing
 * left to do then; what answers with its exit code, or does something, goes on to its end. Where the output cannot be written for
 * another reason, as on a full disk, what was asked for could not be done. Of standard error that can be told nowhere.
 */
function heedOutput(): void {
  const heed = (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      if (endsUnread) process.exit(EXIT.done)
      return
    }
    isCutOff = true
    const sentence = explain(aboutFile(error, 'standard output'))
    process.stderr.write(`${sentence ?? ''}\n`)
    if (endsUnread) process.exit(EXIT.failed)
  }
  process.stdout.on('error', heed)
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') heed(error)
  })
}

// Modules that one command compiled are read from disk by the next, and by its threads, which look for the variable.
enableCompileCache()
const cacheFolder = getCompileCacheDir()
if (cacheFolder !== undefined) process.env['NODE_COMPILE_CACHE'] ??= dirname(cacheFolder)
// These run for long, or go through much: they take care of memory.
if (['serve', 'import'].some((command) => process.argv.includes(command))) beginLean(import.meta.url)
// Loaded only now: a process that begins anew above would have loaded them in vain.
const [{ runCommandLine }, { aboutFile, EXIT, explain }] = await Promise.all([
  import('./command-line.ts'),
  import('./failure.ts'),
])
heedOutput()
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
process.exit(isCutOff ? EXIT.failed : exitCode)

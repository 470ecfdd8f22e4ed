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

// Caches compiled modules on disk for the next command. Threads find the cache through the variable.
enableCompileCache()
const cacheFolder = getCompileCacheDir()
if (cacheFolder !== undefined) process.env['NODE_COMPILE_CACHE'] ??= dirname(cacheFolder)
// These run for a long time or process a lot of data, so they limit memory.
if (['serve', 'import'].some((command) => process.argv.includes(command))) beginLean(import.meta.url)
// Loaded only now: a process that restarts above doesn't need them.
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

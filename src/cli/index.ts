/** Runs the `countersign` command in this process and exits with its code. */
import { enableCompileCache } from 'node:module'
import { privateFolder } from '../core/base/private-folder.ts'
import { beginLean, restart } from './memory-tuning.ts'

let endsUnread = true
let isCutOff = false

/**
 * Exits quietly at a closed pipe (`| head`) if the command only prints; others finish.
 * Other output errors, such as a full disk, are failures, except of stderr.
 */
function heedOutput(): void {
  const heed = (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      if (endsUnread) process.exit(EXIT.done)
      return
    }
    if (isCutOff) return
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

// Caches compiled modules privately, because Node runs whatever a cache contains. Threads find it
// through the variable; a process with another cache restarts.
const compiled = privateFolder('compiled') ?? ''
const given = process.env['NODE_COMPILE_CACHE']
process.env['NODE_COMPILE_CACHE'] = compiled
if (given && given !== compiled) restart(import.meta.url)
if (compiled) enableCompileCache(compiled)
// These commands run long or process a lot of data, so they limit memory.
if (['serve', 'import'].some((command) => process.argv.includes(command)))
  beginLean(import.meta.url)
// Loaded only now: a process that restarts above doesn't need them.
const [{ runCommandLine }, { aboutFile, EXIT, explain }] = await Promise.all([
  import('./command-line.ts'),
  import('./context.ts'),
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
// A slow reader must receive all output before the process ends.
await Promise.all(
  [stdout, stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))),
)
process.exit(isCutOff ? EXIT.failed : exitCode)

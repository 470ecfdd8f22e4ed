/** Entry of the `countersign` command: runs it in this process and exits with its code. */
import { enableCompileCache } from 'node:module'
import { privateFolder } from '../core/base/private-folder.ts'
import { beginLean, restart } from './memory-tuning.ts'

let endsUnread = true
let isCutOff = false

/**
 * A closed pipe (`| head`) is not a failure. Commands that only print then exit; all others finish, because their exit code or
 * effect counts. Any other output error, such as a full disk, is a failure. An error of stderr can't be reported anywhere.
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

// Caches compiled modules for the next command. Node runs whatever a cache contains, so this one is
// private. Threads find it through the variable; a process that began with another cache restarts.
const compiled = privateFolder('compiled') ?? ''
const given = process.env['NODE_COMPILE_CACHE']
process.env['NODE_COMPILE_CACHE'] = compiled
if (given && given !== compiled) restart(import.meta.url)
if (compiled) enableCompileCache(compiled)
// These run for a long time or process a lot of data, so they limit memory.
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
// Lets a slow reader receive all output before the process ends.
await Promise.all(
  [stdout, stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))),
)
process.exit(isCutOff ? EXIT.failed : exitCode)

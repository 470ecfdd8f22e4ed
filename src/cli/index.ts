/** Runs the `countersign` command in this process and exits with its code. */
import { enableCompileCache } from 'node:module'
import { privateFolder } from '../core/base/private-folder.ts'
import { applyMemorySettings, restart } from './memory-tuning.ts'

let mayEndUnread = true
let hasOutputFailed = false

/**
 * Exits quietly at a closed pipe (`| head`) if the command only prints; others finish.
 * Other output errors, such as a full disk, are failures, except of stderr.
 */
function handleOutputErrors(): void {
  const onError = (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') {
      if (mayEndUnread) process.exit(EXIT.done)
      return
    }
    if (hasOutputFailed) return
    hasOutputFailed = true
    const sentence = explainError(withFilePath(error, 'standard output'))
    process.stderr.write(`${sentence ?? ''}\n`)
    if (mayEndUnread) process.exit(EXIT.failed)
  }
  process.stdout.on('error', onError)
  process.stderr.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') onError(error)
  })
}

// Caches compiled modules privately, because Node runs whatever a cache contains. Threads find it
// through the variable; a process with another cache restarts.
const cacheFolder = privateFolder('compiled') ?? ''
const inheritedCache = process.env['NODE_COMPILE_CACHE']
process.env['NODE_COMPILE_CACHE'] = cacheFolder
if (inheritedCache && inheritedCache !== cacheFolder) restart(import.meta.url)
if (cacheFolder) enableCompileCache(cacheFolder)
// These commands run long or process a lot of data, so they limit memory.
if (['serve', 'import'].some((command) => process.argv.includes(command)))
  applyMemorySettings(import.meta.url)
// Loaded only now: a process that restarts above doesn't need them.
const [{ runCommandLine }, { withFilePath, EXIT, explainError }] = await Promise.all([
  import('./command-line.ts'),
  import('./context.ts'),
])
handleOutputErrors()
const { env, stdin, stdout, stderr } = process
const exitCode = await runCommandLine(process.argv.slice(2), {
  build: new URL('./', import.meta.url),
  env,
  stdin,
  stdout,
  stderr,
  ignoreClosedPipe() {
    mayEndUnread = false
  },
})
// A slow reader must receive all output before the process ends.
await Promise.all(
  [stdout, stderr].map((stream) => new Promise((resolve) => stream.write('', resolve))),
)
process.exit(hasOutputFailed ? EXIT.failed : exitCode)

/** Runs a command in place of this process: same terminal, forwarded signals, same exit code. */
import { spawn } from 'node:child_process'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * If npm started this process, it may be killed without its children; the child then gets a signal too, so it isn't left running.
 */
function stopWithNpm(child) {
  if (process.env.npm_command === undefined) return
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref()
}

/** Starts `command`. Ends this process with the child's exit code, or the signal that ended the child. */
export function passOn(command, args, env = process.env) {
  const child = spawn(command, args, { stdio: 'inherit', env })
  for (const signal of signals)
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the child too; a second one would mean "immediately".
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  stopWithNpm(child)
  child.on('error', (error) => {
    console.error(`Couldn't start ${command}: ${error.message}`)
    process.exit(3)
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 3)
    for (const passed of signals) process.removeAllListeners(passed)
    process.kill(process.pid, signal)
  })
  return child
}

/** Runs a command in place of this process: same terminal, forwarded signals, same exit code. */
import { spawn } from 'node:child_process'

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** Signals the child if npm, which started this process, is killed. */
function stopWithNpm(child) {
  if (process.env.npm_command === undefined) return
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref()
}

/** Starts `command`; this process ends as the child does, by exit code or signal. */
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

/**
 * Commands of the command line beside an application under test. They run in one process for all tests of a worker: what a command
 * does takes a twentieth of what a process takes to start. It is a process of its own, since Playwright would compile anew what it loads.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface Commands {
  /** Gives what the command prints; rejects with what it complains of where it does not end with 0. */
  run(args: readonly string[]): Promise<string>
  close(): void
}

interface Answer {
  readonly id: number
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export function startCommands(): Commands {
  const child = fork(fileURLToPath(new URL('../../support/command-runner.ts', import.meta.url)), { execArgv: [] })
  const waiting = new Map<number, (answer: Answer) => void>()
  let asked = 0
  const end = (id: number, answer: Answer) => {
    waiting.get(id)?.(answer)
    waiting.delete(id)
  }
  child.on('message', (answer: Answer) => {
    end(answer.id, answer)
  })
  child.on('exit', () => {
    for (const id of waiting.keys()) end(id, { id, code: null, stdout: '', stderr: 'The process of the commands has ended.' })
  })
  return {
    async run(args) {
      const id = ++asked
      const { code, stdout, stderr } = await new Promise<Answer>((resolve) => {
        waiting.set(id, resolve)
        child.send({ id, args })
      })
      if (code !== 0) throw new Error(`countersign ${args.join(' ')} ended with ${code}: ${stderr}`)
      return stdout
    },
    close() {
      child.kill()
    },
  }
}

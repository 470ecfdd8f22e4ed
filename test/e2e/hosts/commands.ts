/**
 * Runs command line commands next to an application under test. One process serves all tests of a
 * worker, because starting a process takes twenty times as long as a command. It is a separate
 * process because Playwright would recompile everything it loads.
 */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface Commands {
  /** Returns what the command prints; rejects with its error output if it doesn't exit with 0. */
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
  const child = fork(fileURLToPath(new URL('../../support/command-runner.ts', import.meta.url)), {
    execArgv: [],
  })
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
    for (const id of waiting.keys())
      end(id, { id, code: null, stdout: '', stderr: 'The process of the commands has ended.' })
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

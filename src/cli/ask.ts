/** Asks a question in the terminal. */
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { AppError } from '../shared/contract/errors.ts'
import type { CommandContext } from './context.ts'

/** Output that shows nothing of what is typed. */
const hidden = () => new Writable({ write: (_chunk, _encoding, done) => done() })

type Terminal = Pick<CommandContext, 'stdin' | 'output'>

/** Whether someone can answer. */
export const canAsk = ({ stdin }: Pick<Terminal, 'stdin'>): boolean => stdin.isTTY === true

/** Resolves with the answers in order, none of which is shown. Rejects with `CANCELLED`. */
export async function askAll({ stdin, output }: Terminal, questions: readonly string[]) {
  const lines = createInterface({ input: stdin, output: hidden(), terminal: true })
  const answers: string[] = []
  try {
    const typed = lines[Symbol.asyncIterator]()
    for (const question of questions) {
      output.note(question)
      const line = await typed.next()
      if (line.done === true) throw new AppError('CANCELLED', 'Cancelled. Nothing was changed.')
      answers.push(line.value.trim())
    }
    return answers
  } finally {
    lines.close()
  }
}

/** Asks questions in the terminal. */
import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { AppError } from '../shared/contract/errors.ts'
import type { CommandContext } from './context.ts'

/** Creates an output that shows no typed text. */
const hidden = () => new Writable({ write: (_chunk, _encoding, done) => done() })

/** Asks one question after the other, with answers that stay hidden. */
export class Questions {
  readonly #context: Pick<CommandContext, 'stdin' | 'output'>
  #lines: Interface | null = null
  #typed: AsyncIterator<string> | null = null

  constructor(context: Pick<CommandContext, 'stdin' | 'output'>) {
    this.#context = context
  }

  /** Whether someone can answer. */
  get canAsk(): boolean {
    return this.#context.stdin.isTTY === true
  }

  /** Resolves with the answer. Rejects with `CANCELLED` at the end of the input. */
  async ask(question: string): Promise<string> {
    const { stdin, output } = this.#context
    this.#lines ??= createInterface({ input: stdin, output: hidden(), terminal: true })
    this.#typed ??= this.#lines[Symbol.asyncIterator]()
    output.note(question)
    const line = await this.#typed.next()
    if (line.done === true) throw new AppError('CANCELLED', 'Cancelled. Nothing was changed.')
    return line.value.trim()
  }

  close(): void {
    this.#lines?.close()
  }
}

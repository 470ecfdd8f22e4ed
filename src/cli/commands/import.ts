/** `countersign import`: takes the deliveries of a JSON Lines export, as the evidence that they are. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { printableText } from '../../core/printable-text.ts'
import { importLines, type ImportOutcome } from '../../shared/exchange/import-lines.ts'
import { dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { EXIT } from '../failure.ts'
import { withStop } from '../lifetime.ts'
import { withCore } from '../session.ts'

interface ImportOptions extends DataOption {
  readonly json?: true
}

const TELL_MS = 2_000

/** The lines of a file, or of standard input for `-`. It is opened when they are asked for: lines that come before are lost. */
async function* linesOf({ stdin }: CommandContext, file: string): AsyncGenerator<string> {
  const input = file === '-' ? stdin : createReadStream(file)
  yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
}

export function addImport(program: Command, context: CommandContext): void {
  program
    .command('import')
    .summary('take the deliveries of an export')
    .description(
      'Takes the deliveries of a JSON Lines export as they were received: bytes, headers, id, verdict and answer. What is known by its id is left as it is. They are passed on to nobody.',
    )
    .argument('<file>', 'a file of "export --format jsonl", or - for standard input')
    .option('--json', 'print one JSON object')
    .action(async (file: string, _own: unknown, command: Command) => {
      const options: ImportOptions = command.optsWithGlobals()
      const { output } = context
      // Before anything is made or opened for it.
      if (file !== '-') await stat(file)
      const outcome = await withCore(context, dataFolderOf(context, options), ({ client }) =>
        withStop(context.env, async (stopped) => {
          const stopping = new AbortController()
          void stopped.then(() => {
            stopping.abort()
          })
          let toldAt = context.now()
          let last: ImportOutcome | null = null
          for await (const so of importLines(client, linesOf(context, file), stopping.signal)) {
            last = so
            if (context.now() - toldAt < TELL_MS) continue
            toldAt = context.now()
            output.note(`${so.lines.toLocaleString('en')} lines read`)
          }
          return last
        }),
      )
      const { imported = 0, known = 0, refused = 0, problems = [] } = outcome ?? {}
      if (options.json === true) output.json({ imported, known, refused, problems })
      else
        output.line(
          `Took ${imported.toLocaleString('en')} ${imported === 1 ? 'delivery' : 'deliveries'}; ${known.toLocaleString('en')} known before, ${refused.toLocaleString('en')} refused.`,
        )
      for (const { line, reason } of problems) output.note(printableText(`${file}, line ${line}: ${reason}`))
      if (refused > problems.length) output.note(`And ${(refused - problems.length).toLocaleString('en')} more.`)
      if (refused > 0) context.exit(EXIT.failed)
    })
}

/** `countersign import`: imports the deliveries of a JSON Lines export. */
import { stat } from 'node:fs/promises'
import { counted, deliveryCount } from '../../shared/text/english.ts'
import { limitYoungGeneration } from '../../core/base/threads/memory.ts'
import { AppError } from '../../shared/contract/errors.ts'
import {
  furtherRejectedText,
  type ImportOutcome,
  NOTHING_IMPORTED,
} from '../../shared/model/import-outcome.ts'
import { importFile } from '../../shared/import-export/import-file.ts'
import { defineCommand } from '../command.ts'
import { EXIT, isDisconnected } from '../context.ts'
import { readPieces } from '../file-pieces.ts'
import { withStop } from '../lifetime.ts'
import { readPassphrase } from '../passphrase.ts'
import { argument, nonBlankOption } from '../options/input.ts'
import { createProgress } from '../print.ts'

function importedText({ imported, known }: Pick<ImportOutcome, 'imported' | 'known'>): string {
  const taken = `${deliveryCount(imported)} imported`
  return `${taken}; ${known.toLocaleString('en')} already known. Import the file again to continue: nothing is imported twice.`
}

/** Groups consecutive lines that were rejected for the same reason. */
function groupProblems(
  problems: ImportOutcome['problems'],
): { readonly lines: string; readonly reason: string }[] {
  const groups: { first: number; last: number; reason: string }[] = []
  for (const { line, reason } of problems) {
    const before = groups.at(-1)
    if (before?.reason === reason && before.last === line - 1) before.last = line
    else groups.push({ first: line, last: line, reason })
  }
  return groups.map(({ first, last, reason }) => ({
    lines: first === last ? `line ${first}` : `lines ${first} to ${last}`,
    reason,
  }))
}

export const add = defineCommand({
  description:
    'Import the deliveries of a JSON Lines export unchanged: bytes, headers, ID, verdict and response. Known deliveries are skipped. Copied requests (HAR, curl, raw HTTP, an export of another tool) are verified and kept as reported. Nothing is forwarded.',
  exits: { 3: 'a line was rejected' },
  examples: [
    ['Import an export', 'import captures.jsonl'],
    ['Import from standard input', 'import - < captures.jsonl'],
    ['Keep the signed requests of a HAR file', 'import recorded.har'],
  ],
  args: {
    file: argument('<file>', 'export, or a file with copied requests; - for standard input'),
  },
  options: {
    passphraseFile: nonBlankOption(
      '<file>',
      'file with the passphrase of an encrypted shareable capture',
    ),
  },
  async run({ file, passphraseFile }, run) {
    const { output } = run
    limitYoungGeneration()
    // Fails before anything is created.
    if (file !== '-') await stat(file)
    const passphrase = readPassphrase(passphraseFile)
    const source = file === '-' ? 'Standard input' : file
    let outcome = NOTHING_IMPORTED
    await withStop(run.env, async (signal) => {
      const { client } = await run.openData()
      const progress = createProgress(run)
      try {
        const pieces = readPieces(run, file, signal)
        for await (const currentOutcome of importFile(client, pieces, { signal, passphrase })) {
          outcome = currentOutcome
          progress(() => `${counted(currentOutcome.lines, 'line')} read`)
        }
      } catch (error) {
        if (!signal.aborted && !isDisconnected(error)) throw error
        // An aborted call leaves unknown whether the last piece was imported.
        if (!signal.aborted)
          throw new AppError(
            'DISCONNECTED',
            `Countersign stopped during the import: at least ${importedText(outcome)}`,
          )
      }
      if (signal.aborted)
        throw new AppError('CANCELLED', `Import stopped: ${importedText(outcome)}`)
    })
    const { imported, known, refused, problems, further } = outcome
    output.result(
      { imported, known, refused, problems, further },
      `Imported ${deliveryCount(imported)}; ${known.toLocaleString('en')} already known, ${refused.toLocaleString('en')} rejected.`,
    )
    for (const { lines, reason } of groupProblems(problems))
      output.note(`${source}, ${lines}: ${reason}`)
    const furtherNote = furtherRejectedText(outcome)
    if (furtherNote !== null) output.note(furtherNote)
    if (imported + known + refused === 0)
      output.note(`${source} has no deliveries. Choose an export or a file with copied requests.`)
    return refused === 0 ? EXIT.done : EXIT.failed
  },
})

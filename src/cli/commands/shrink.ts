/** `countersign shrink`: finds the smallest body that a handler still fails on. */
import { shrinkCommands } from '../../shared/contract/nouns/shrink.ts'
import { counted } from '../../shared/text/english.ts'
import {
  neededWords,
  type ShrinkOutcome,
  type ShrinkResult,
  type ShrinkRun,
} from '../../shared/model/shrink.ts'
import { defineCommand } from '../command.ts'
import { EXIT, type ExitCode } from '../context.ts'
import { followRun } from '../lifetime.ts'
import { nonBlankOption } from '../options/input.ts'
import { noteEndpoint } from '../endpoint-note.ts'
import { optionsOf } from '../options/field-options.ts'
import { deliveryId } from '../options/delivery-arguments.ts'
import { createColumns, type Output } from '../print.ts'
import { writeOutput } from '../output-file.ts'
import { checkReportFiles } from '../report-files.ts'
import { NOTHING_CAPTURED, SENDING, type Session } from '../session.ts'

const exitCodes: Record<ShrinkOutcome, ExitCode> = {
  smallest: EXIT.done,
  limit: EXIT.done,
  passes: EXIT.negative,
  flaky: EXIT.negative,
  cancelled: EXIT.failed,
  unreachable: EXIT.failed,
  broken: EXIT.failed,
}
const withBody: readonly (ShrinkOutcome | null)[] = ['smallest', 'limit', 'cancelled']

const SENDS_PER_NOTE = 50

export function followShrink(
  session: Session,
  { id: runId }: ShrinkRun,
  tell: (progress: string) => void,
): Promise<ShrinkResult> {
  const { client } = session
  let reportedAt = 0
  return followRun(session, {
    event: 'shrink.changed',
    async read() {
      const result = await client.call('shrink.get', { runId })
      const { sends, size, originalSize, outcome } = result.run
      if (outcome !== null) return result
      if (sends >= reportedAt + SENDS_PER_NOTE) {
        reportedAt = sends
        tell(`${counted(sends, 'send')}: ${size} of ${originalSize} bytes`)
      }
      return undefined
    },
    cancel: () => client.call('shrink.cancel', { runId }),
    gone: () => 'Countersign stopped while shrinking. Start it, then shrink again.',
  })
}

function note(output: Output, { run, removed, fields, failure }: ShrinkResult): void {
  const { kind, originalSize, size, sends, message } = run
  output.note(message ?? '')
  if (!withBody.includes(run.outcome)) return
  const what = kind === 'json' ? 'fields and items' : 'bytes'
  output.note(
    `${counted(originalSize, 'byte')} became ${size}: ${removed} ${what} less, after ${counted(sends, 'send')}.`,
  )
  const rows = fields.map(({ path, value, needed }) => [
    neededWords(run.outcome, needed),
    path,
    value,
  ])
  for (const line of createColumns(output)(rows)) output.note(`  ${line}`)
  if (failure !== null && run.failure !== null && failure.answer !== run.failure.answer)
    output.note(
      'The response differs from the one to the full body, so this may be another failure. To keep the original one, add --answer TEXT.',
    )
}

export const add = defineCommand({
  description:
    'Find the smallest body that your handler still fails on, by sending ever smaller bodies, re-signed.',
  exits: {
    1: 'your handler does not fail, or not always in the same way',
    3: "it can't be reached",
  },
  examples: [
    [
      'Find the smallest body that fails',
      'shrink latest --to http://127.0.0.1:3000/webhooks -o smallest.json',
    ],
  ],
  args: { id: deliveryId() },
  options: {
    ...optionsOf(shrinkCommands['shrink.start'].input),
    output: nonBlankOption(
      '-o, --output <file>',
      'write the smallest body to a file instead of standard output',
    ),
  },
  async run(input, run) {
    const { output } = run
    const { output: out, ...startInput } = input
    await checkReportFiles([out])
    const session = await run.needData(NOTHING_CAPTURED, SENDING)
    const { run: started } = await session.client.call('shrink.start', startInput)
    await noteEndpoint(run, session, 'Shrinking against', started, input.to)
    const result = await followShrink(session, started, (progress) => {
      if (!output.asJson) output.note(progress)
    })
    const { outcome, kind } = result.run
    const body = Buffer.from(result.base64, 'base64')
    const hasBody = withBody.includes(outcome)
    if (hasBody && out !== undefined) await writeOutput(out, body, 'private')
    const { base64, ...rest } = result
    const bodyJson = hasBody ? { body: kind === 'json' ? body.toString('utf8') : null, base64 } : {}
    output.result({ ...rest, ...bodyJson }, () => note(output, result))
    if (hasBody && out === undefined && !output.asJson) await output.bytes(body)
    return exitCodes[outcome ?? 'broken']
  },
})

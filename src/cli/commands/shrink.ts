/** `countersign shrink`: finds the smallest body that a handler still fails on. */
import { writeFile } from 'node:fs/promises'
import { Option } from 'commander'
import {
  type Command,
  type CommandContext,
  type DataOption,
  EXIT,
  type ExitCode,
  SENDING,
  NOTHING_CAPTURED,
  withKeptData,
  type Session,
} from '../context.ts'
import { counted } from '../../shared/text/counted.ts'
import { AppError } from '../../shared/contract/errors.ts'
import {
  neededWords,
  type ShrinkOutcome,
  type ShrinkResult,
  type ShrinkRun,
} from '../../shared/model/shrink.ts'
import {
  readCountBetween,
  readDeliveryRef,
  readFilled,
  readMaxTime,
  readOnce,
  readSpeed,
  addTargetOptions,
  endpointNote,
  readTargetOptions,
  type TargetOptions,
} from '../arguments.ts'
import { cancellable } from '../lifetime.ts'
import { createColumns, type Output } from '../output.ts'
import { checkReportFiles } from '../report-files.ts'

interface ShrinkOptions extends DataOption, TargetOptions {
  readonly to?: string
  readonly registeredUrl?: string
  readonly hook?: string
  readonly answer?: string
  readonly maxSends: number
  readonly maxTime: number
  readonly rate?: number
  readonly output?: string
}

const exitCodes: Record<ShrinkOutcome, ExitCode> = {
  smallest: EXIT.done,
  limit: EXIT.done,
  passes: EXIT.no,
  flaky: EXIT.no,
  cancelled: EXIT.failed,
  unreachable: EXIT.failed,
  broken: EXIT.failed,
}
/** Other outcomes have no body. */
const withBody: readonly (ShrinkOutcome | null)[] = ['smallest', 'limit', 'cancelled']

async function begin({ client }: Session, id: string, options: ShrinkOptions): Promise<ShrinkRun> {
  const { to, registeredUrl, hook, answer, maxSends, maxTime, rate } = options
  const { run } = await client.call('shrink.start', {
    id,
    to: to ?? null,
    registeredUrl: registeredUrl ?? null,
    hookId: hook ?? null,
    answerHolds: answer ?? null,
    maxSends,
    maxSeconds: maxTime / 1_000,
    rate: rate ?? null,
    ...(await readTargetOptions(options)),
  })
  return run
}

/** Waits for the end; the first Ctrl+C cancels. */
async function follow(
  { client, closed }: Session,
  { id }: ShrinkRun,
  onProgress: (run: ShrinkRun) => void,
): Promise<ShrinkResult> {
  let wake: () => void = () => undefined
  let isGone = false
  const stop = client.on('shrink.changed', ({ run }) => {
    if (run.id !== id) return
    onProgress(run)
    wake()
  })
  void closed.then(() => {
    isGone = true
    wake()
  })
  const cancel = () => void client.call('shrink.cancel', { runId: id }).catch(() => undefined)
  const untilEnded = async () => {
    for (;;) {
      if (isGone)
        throw new AppError(
          'DISCONNECTED',
          'Countersign stopped while shrinking. Start it, then shrink again.',
        )
      const changed = new Promise<void>((resolve) => {
        wake = resolve
      })
      const result = await client.call('shrink.get', { runId: id })
      if (result.run.outcome !== null) return result
      await changed
    }
  }
  try {
    return await cancellable(cancel, untilEnded)
  } finally {
    stop()
  }
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
    { text: neededWords(run.outcome, needed) },
    { text: path },
    { text: value },
  ])
  for (const line of createColumns(output)(rows)) output.note(`  ${line}`)
  if (failure !== null && run.failure !== null && failure.answer !== run.failure.answer)
    output.note(
      'The response differs from the one to the full body, so this may be another failure. To keep the original one, add --answer TEXT.',
    )
}

export function add(command: Command, context: CommandContext): void {
  command
    .description(
      'Find the smallest body that your handler still fails on, by sending ever smaller bodies, re-signed.',
    )
    .exitsWith(1, 'your handler does not fail, or not always in the same way')
    .exitsWith(3, "it can't be reached")
    .example(
      'Find the smallest body that fails',
      'shrink latest --to http://127.0.0.1:3000/webhooks -o smallest.json',
    )
    .argument(
      '<id>',
      'delivery ID (8 or more characters), latest, latest~N or latest:EVENT',
      readDeliveryRef,
    )
    .option(
      '--to <url>',
      "your endpoint: a URL or @NAME (default: your current handler, else the registered URL of the delivery's hook)",
      readOnce,
    )
    .option('--registered-url <url>', "URL to sign (default: the hook's registered URL)", readOnce)
    .option('--hook <id>', "hook whose secret signs (default: the delivery's hook)", readOnce)
    .option('--answer <text>', 'count only failures whose response contains this text', readOnce)
    .option('--max-sends <n>', 'max sends, 10 or more', readCountBetween(10, 100_000), 500)
    .addOption(
      new Option('--max-time <seconds>', 'max seconds')
        .argParser(readMaxTime)
        .default(600_000, '600'),
    )
    .option('--rate <n>', 'max sends per second', readSpeed)
  addTargetOptions(command, "allow signing with a live hook's secret")
    .option(
      '-o, --output <file>',
      'write the smallest body to a file instead of standard output',
      readFilled,
    )
    .printsJson()
    .run(async (id: string, options: ShrinkOptions) => {
      const { output } = context
      await checkReportFiles([options.output])
      const work = async (session: Session) => {
        let toldAt = 0
        const run = await begin(session, id, options)
        const where = await endpointNote(session, 'Shrinking against', run, options)
        if (where !== null) output.note(where)
        return follow(session, run, ({ sends, size, originalSize }) => {
          if (options.json === true || sends < toldAt + 50) return
          toldAt = sends
          output.note(`${counted(sends, 'send')}: ${size} of ${originalSize} bytes`)
        })
      }
      const result = await withKeptData(context, options, NOTHING_CAPTURED, work, SENDING)
      const { outcome } = result.run
      const body = Buffer.from(result.base64, 'base64')
      const isFound = withBody.includes(outcome)
      if (isFound && options.output !== undefined) await writeFile(options.output, body)
      if (options.json === true) {
        const { base64, ...rest } = result
        output.json({
          ...rest,
          ...(isFound
            ? { body: result.run.kind === 'json' ? body.toString('utf8') : null, base64 }
            : {}),
        })
      } else {
        note(output, result)
        if (isFound && options.output === undefined) await output.bytes(body)
      }
      context.exit(exitCodes[outcome ?? 'broken'])
    })
}

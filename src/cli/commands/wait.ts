/** `countersign wait`: waits for deliveries that arrive from now on; what was captured before does not count. */
import { type Command, dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { readCount, readOnce, readSeconds } from '../arguments.ts'
import { followDeliveries, fetchNewestSeq } from '../delivery-feed.ts'
import { EXIT } from '../failure.ts'
import { checkGivenQuery, addViewOption, searchOf, type ViewOption } from '../saved-view.ts'
import { withInstance } from '../session.ts'
import { createDeliveryPrinter, stoppedError } from './deliveries.ts'

interface WaitOptions extends DataOption, ViewOption {
  readonly query?: string
  readonly count: number
  readonly timeout?: number
  readonly includeSecrets?: true
  readonly json?: true
}

export function addWait(waitCommand: Command, context: CommandContext): void {
  const waiting = waitCommand
    .description(
      'Waits until deliveries have arrived that match, prints them, and ends with 0; with 1 where the time runs out first. Only deliveries that arrive after the command said that it waits are counted; of imported ones, those whose signature is verified here.',
    )
    .option('--query <query>', 'count only those that match', readOnce)
    .option('--count <n>', 'how many to wait for', readCount, 1)
    .option('--timeout <seconds>', 'how long to wait (default: until stopped)', readSeconds)
    .option('--include-secrets', 'show secrets and the values of custom headers')
    .option('--json', 'print one JSON object a line')
    .run(async (options: WaitOptions) => {
      const { output } = context
      const print = createDeliveryPrinter(context, options.json === true)
      // A query that cannot be read is told before the wait, and whether or not anything runs.
      checkGivenQuery(context.output, options.query ?? '')
      await withInstance(dataFolderOf(context, options), 'Waiting for deliveries', async (session) => {
        const query = await searchOf(session.client, options.query ?? '', options.view)
        const after = await fetchNewestSeq(session.client)
        const signal = options.timeout === undefined ? new AbortController().signal : AbortSignal.timeout(options.timeout)
        output.note(`Waiting for ${options.count === 1 ? 'a delivery' : `${options.count} deliveries`}…`)
        let missing = options.count
        const wanted = {
          query,
          masked: options.includeSecrets !== true,
          after,
          signal,
          identified: true,
          verified: true,
        } as const
        const outcome = await followDeliveries(session, wanted, (deliveries) => {
          const counted = deliveries.slice(0, missing)
          print(counted)
          missing -= counted.length
          return missing === 0
        })
        if (outcome === 'gone') throw stoppedError()
        if (outcome === 'aborted') {
          output.note(`The time is up: ${options.count - missing} of ${options.count} arrived.`)
          context.exit(EXIT.no)
        }
      })
    })
  addViewOption(waiting)
}

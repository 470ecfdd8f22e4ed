/** `countersign wait`: waits for new deliveries. */
import {
  type Command,
  type CommandContext,
  type DataOption,
  EXIT,
  withInstance,
} from '../context.ts'
import {
  readCount,
  readSeconds,
  addQueryOption,
  givenQuery,
  takeQuery,
  type QueryOption,
  checkGivenQuery,
  addViewOption,
  noteHidden,
  searchOf,
  type ViewOption,
} from '../arguments.ts'
import { bothOf } from '../../shared/query/terms.ts'
import { maskingUnless } from '../delivery-body.ts'
import { followDeliveries, fetchNewestSeq } from '../delivery-feed.ts'
import { createDeliveryPrinter, stoppedError } from './deliveries.ts'

interface WaitOptions extends DataOption, QueryOption, ViewOption {
  readonly count: number
  readonly timeout?: number
  readonly includeSecrets?: true
}

export function add(command: Command, context: CommandContext): void {
  const waiting = command
    .description(
      'Wait for new deliveries and print them. Imported deliveries count if their signature is verified here.',
    )
    .requiresRunning()
    .exitsWith(1, 'the time runs out first')
    .example(
      'Wait up to 30 seconds for two valid deliveries',
      "wait --query 'event:transaction.auth is:valid' --count 2 --timeout 30",
    )
    .argument('[query]', 'count only deliveries that match (see docs/query.md)')
    .option('--count <n>', 'number of deliveries to wait for', readCount, 1)
    .option('--timeout <seconds>', 'max time to wait (default: until stopped)', readSeconds)
    .option('--include-secrets', 'show credentials')
    .printsJson('lines')
    .run(async (argument: string | undefined, options: WaitOptions) => {
      const given = givenQuery(argument, options) ?? ''
      const { output } = context
      const print = createDeliveryPrinter(context, options.json === true)
      // An invalid query is an error before the wait, even if Countersign isn't running.
      checkGivenQuery(context.output, given)
      await withInstance(context, options, 'Waiting for deliveries', async (session) => {
        const query = await searchOf(session.client, given, options.view)
        const after = await fetchNewestSeq(session.client)
        const signal =
          options.timeout === undefined
            ? new AbortController().signal
            : AbortSignal.timeout(options.timeout)
        output.note(
          `Waiting for ${options.count === 1 ? 'a delivery' : `${options.count} deliveries`}…`,
        )
        const begunAt = context.now()
        let missing = options.count
        const wanted = {
          query,
          masked: maskingUnless(options.includeSecrets),
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
          output.note(`Timed out: ${options.count - missing} of ${options.count} arrived.`)
          const since = new Date(begunAt).toISOString()
          await noteHidden(session.client, bothOf(query, `after:${since}`), output)
          context.exit(EXIT.no)
        }
      })
    })
  takeQuery(addViewOption(addQueryOption(waiting)))
}

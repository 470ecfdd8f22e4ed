/** `countersign mark`: pins deliveries and sets notes. */
import {
  type Command,
  type CommandContext,
  type DataOption,
  UsageError,
  NOTHING_CAPTURED,
  withKeptData,
} from '../context.ts'
import { deliveryCount } from '../../shared/text/counted.ts'
import { NOTE_LENGTH, type MarksChange } from '../../shared/model/keeping.ts'
import { given, readDeliveryRefs } from '../arguments.ts'

interface MarkOptions extends DataOption {
  readonly pin?: true
  readonly unpin?: true
  readonly note?: string
}

function changeOf({ pin, unpin, note }: MarkOptions): MarksChange {
  if (pin === true && unpin === true) throw new UsageError('Use either --pin or --unpin.')
  if (note !== undefined && note.trim().length > NOTE_LENGTH)
    throw new UsageError(
      `The note has ${note.trim().length.toLocaleString('en')} characters. Use at most ${NOTE_LENGTH.toLocaleString('en')}.`,
    )
  const change: MarksChange = {
    ...(pin === true || unpin === true ? { pinned: pin === true } : {}),
    ...given({ note }),
  }
  if (Object.keys(change).length === 0)
    throw new UsageError('Nothing to change. Use --pin or --unpin, or --note TEXT.')
  return change
}

export function add(command: Command, context: CommandContext): void {
  command
    .description('Pin deliveries to protect them from clearing and limits, or set a note.')
    .example(
      'Pin a delivery and add a note',
      "mark latest --pin --note 'Nadia asked about this refund'",
    )
    .example('Unpin it', 'mark latest --unpin')
    .argument(
      '<id...>',
      'delivery IDs (8 or more characters), latest, latest~N or latest:EVENT',
      readDeliveryRefs,
    )
    .option('--pin', 'pin')
    .option('--unpin', 'unpin')
    .option(
      '--note <text>',
      `note of up to ${NOTE_LENGTH.toLocaleString('en')} characters; '' removes it`,
    )
    .printsJson()
    .run(async (ids: readonly string[], options: MarkOptions) => {
      const marks = changeOf(options)
      const { count } = await withKeptData(context, options, NOTHING_CAPTURED, ({ client }) =>
        client.call('marks.set', { ids: [...ids], marks }),
      )
      if (options.json === true) context.output.json({ count })
      else context.output.line(`Marked ${deliveryCount(count)}.`)
    })
}

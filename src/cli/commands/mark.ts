/** `countersign mark`: pins deliveries, and gives them a note or a colour. */
import { Option } from 'commander'
import { type Command, dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { deliveryCount } from '../../shared/text/counted.ts'
import { colourSchema, NOTE_LENGTH, type MarkColour, type MarksChange } from '../../shared/model/marks.ts'
import { readDeliveryRefs } from '../arguments.ts'
import { UsageError } from '../failure.ts'
import { NOTHING_CAPTURED, withKeptData } from '../session.ts'

interface MarkOptions extends DataOption {
  readonly pin?: true
  readonly unpin?: true
  readonly note?: string
  readonly colour?: MarkColour | 'none'
  readonly json?: true
}

function changeOf({ pin, unpin, note, colour }: MarkOptions): MarksChange {
  if (pin === true && unpin === true) throw new UsageError('--pin and --unpin do not go together. Give one of them.')
  if (note !== undefined && note.trim().length > NOTE_LENGTH)
    throw new UsageError(`A note has at most ${NOTE_LENGTH.toLocaleString('en')} characters; this one has ${note.trim().length}.`)
  const change: MarksChange = {
    ...(pin === true || unpin === true ? { pinned: pin === true } : {}),
    ...(note === undefined ? {} : { note }),
    ...(colour === undefined ? {} : { colour: colour === 'none' ? null : colour }),
  }
  if (Object.keys(change).length === 0) throw new UsageError('Say what to change: --pin or --unpin, --note TEXT, --colour NAME.')
  return change
}

export function addMark(markCommand: Command, context: CommandContext): void {
  markCommand
    .description('Pins deliveries, so that clearing and retention spare them, and gives them a note or a colour to be found by.')
    .argument('<id...>', 'ids of deliveries, "latest", or "latest:EVENT"', readDeliveryRefs)
    .option('--pin', 'pin them')
    .option('--unpin', 'take the pin off')
    .option('--note <text>', `the note, up to ${NOTE_LENGTH.toLocaleString('en')} characters; '' takes it off`)
    .addOption(new Option('--colour <name>', 'the colour; none takes it off').choices([...colourSchema.options, 'none']))
    .option('--json', 'print one JSON object')
    .run(async (ids: readonly string[], options: MarkOptions) => {
      const marks = changeOf(options)
      const { count } = await withKeptData(context, dataFolderOf(context, options), NOTHING_CAPTURED, ({ client }) =>
        client.call('marks.set', { ids: [...ids], marks }),
      )
      if (options.json === true) context.output.json({ count })
      else context.output.line(`Marked ${deliveryCount(count)}.`)
    })
}

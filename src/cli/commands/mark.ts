/** `countersign mark`: pins deliveries and sets notes. */
import { deliveryCount } from '../../shared/text/english.ts'
import { NOTE_LENGTH } from '../../shared/model/marks.ts'
import { defineCommand } from '../command.ts'
import { UsageError } from '../context.ts'
import { flagOption, omitUndefined, Input } from '../options/input.ts'
import { deliveryIds } from '../options/delivery-arguments.ts'
import { NOTHING_CAPTURED } from '../session.ts'

export const add = defineCommand({
  description: 'Pin deliveries to protect them from clearing and limits, or set a note.',
  examples: [
    ['Pin a delivery and add a note', "mark latest --pin --note 'Nadia asked about this refund'"],
    ['Unpin it', 'mark latest --unpin'],
  ],
  args: { ids: deliveryIds('<id...>') },
  options: {
    pin: flagOption('pin').conflicts('unpin'),
    unpin: flagOption('unpin'),
    note: new Input<string | undefined>(
      '<text>',
      `note of up to ${NOTE_LENGTH.toLocaleString('en')} characters; '' removes it`,
      undefined,
    ),
  },
  async run({ ids, pin, unpin, note }, { needData, output }) {
    if (note !== undefined && note.trim().length > NOTE_LENGTH)
      throw new UsageError(
        `The note has ${note.trim().length.toLocaleString('en')} characters. Use at most ${NOTE_LENGTH.toLocaleString('en')}.`,
      )
    if (!pin && !unpin && note === undefined)
      throw new UsageError('Nothing to change. Use --pin or --unpin, or --note TEXT.')
    const marks = omitUndefined({ pinned: pin || unpin ? pin : undefined, note })
    const { client } = await needData(NOTHING_CAPTURED)
    const { count } = await client.call('marks.set', { ids, marks })
    output.result({ count }, `Marked ${deliveryCount(count)}.`)
  },
})

/** `countersign compact`: frees the disk space of deleted deliveries. */
import { type Command, dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { byteSize } from '../../shared/text/counted.ts'
import type { Compaction } from '../../shared/model/keeping.ts'
import { cancellable } from '../lifetime.ts'
import { noDataYet, NOTHING_CAPTURED, withExistingData } from '../session.ts'

interface CompactOptions extends DataOption {
  readonly json?: true
}

export function addCompact(compactCommand: Command, context: CommandContext): void {
  compactCommand
    .description(
      'Shrink the database file after deletions. Receiving continues meanwhile. Ctrl+C stops safely.',
    )
    .example('Free disk space', 'compact')
    .option('--json', 'print a JSON object')
    .run(async (options: CompactOptions) => {
      const { output } = context
      const dataFolder = dataFolderOf(context, options)
      const done = await withExistingData(context, dataFolder, async ({ client }) => {
        const note = (text: string) => {
          if (options.json !== true) output.note(text)
        }
        note('Removes deleted data, then shrinks the files.')
        let known: Compaction | null = null
        let toldAt = 0
        const stop = client.on('storage.compacted', (compaction) => {
          if (compaction.state !== 'running') return
          if (compaction.whole && known?.whole !== true)
            note(
              'Upgrading the whole database once, because an older version created it. It stays unchanged until this finishes.',
            )
          const percent = Math.floor(compaction.done * 100)
          if (percent < (known?.done ?? 0) * 100 - 1) {
            toldAt = 0
            note('New data arrived. Starting over.')
          }
          known = compaction
          if (percent < toldAt + 10) return
          toldAt = percent
          note(`${percent} %`)
        })
        const cancel = () => {
          note('Stopping…')
          void client.call('storage.cancelCompaction', {})
        }
        try {
          const { state, whole, freed } = await cancellable(cancel, () =>
            client.call('storage.compact', {}),
          )
          return { state, whole, freed, ...(await client.call('storage.get', {})).storage }
        } finally {
          stop()
        }
      })
      if (done === null) {
        output.note(noDataYet(NOTHING_CAPTURED, dataFolder))
        return
      }
      if (options.json === true) output.json(done)
      else
        output.line(
          done.state === 'cancelled'
            ? done.whole
              ? 'Stopped. The database is unchanged.'
              : `Stopped after freeing ${byteSize(done.freed)}.`
            : `Freed ${byteSize(done.freed)}. The database is now ${byteSize(done.database)}.`,
        )
    })
}

/** `countersign compact`: gives the room of what was deleted back to the disk. */
import type { Command } from 'commander'
import { dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { byteSize } from '../../shared/byte-size.ts'
import { noDataYet, NOTHING_CAPTURED, withExistingData } from '../session.ts'

interface CompactOptions extends DataOption {
  readonly json?: true
}

export function addCompact(program: Command, context: CommandContext): void {
  program
    .command('compact')
    .summary('give the room of deleted deliveries back to the disk')
    .description('Makes the database file smaller by what was deleted. A running instance goes on receiving meanwhile.')
    .option('--json', 'print one JSON object')
    .action(async (_own: unknown, command: Command) => {
      const options: CompactOptions = command.optsWithGlobals()
      const { output } = context
      const dataFolder = dataFolderOf(context, options)
      const done = await withExistingData(context, dataFolder, async ({ client }) => {
        let toldAt = 0
        if (options.json !== true) output.note('First what was deleted is taken out; then its room is given back.')
        const stop = client.on('storage.compacted', ({ state, done: part }) => {
          const percent = Math.floor(part * 100)
          if (options.json === true || state !== 'running' || percent < toldAt + 10) return
          toldAt = percent
          output.note(`${percent} %`)
        })
        try {
          const { state, freed } = await client.call('storage.compact', {})
          return { state, freed, ...(await client.call('storage.get', {})).storage }
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
            ? `Stopped after giving back ${byteSize(done.freed)}.`
            : `Gave back ${byteSize(done.freed)}. The database takes ${byteSize(done.database)}.`,
        )
    })
}

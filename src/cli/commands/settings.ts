/** `countersign settings`: what is set for the data folder, and changing it. */
import type { Command } from 'commander'
import type { SettingsChange } from '../../shared/model/settings.ts'
import { readSize } from '../arguments.ts'
import { dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { createColumns } from '../output.ts'
import { withCore } from '../session.ts'

interface SettingsOptions extends DataOption {
  readonly bodyLimit?: number
  readonly json?: true
}

export function addSettings(program: Command, context: CommandContext): void {
  program
    .command('settings')
    .summary('show or change what is set for the data folder')
    .description('Shows what is set for the data folder, and changes what is named. A running instance takes a change at once.')
    .option('--body-limit <size>', 'bytes kept of a body, from 1KiB to 100MiB; a longer one is answered 413', readSize)
    .option('--json', 'print one JSON object')
    .action(async (_own: unknown, command: Command) => {
      const options: SettingsOptions = command.optsWithGlobals()
      const { output } = context
      const change: SettingsChange = options.bodyLimit === undefined ? {} : { bodyLimit: options.bodyLimit }
      await withCore(context, dataFolderOf(context, options), async ({ client }) => {
        const settings = await (Object.keys(change).length === 0
          ? client.call('settings.get', {})
          : client.call('settings.set', change))
        if (options.json === true) {
          output.json(settings)
          return
        }
        const rows = [['body limit', `${settings.bodyLimit.toLocaleString('en')} bytes`]]
        for (const line of createColumns(output)(rows.map((row) => row.map((text) => ({ text }))))) output.line(line)
      })
    })
}

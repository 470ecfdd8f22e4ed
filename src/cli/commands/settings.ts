/** `countersign settings`: what is set for the data folder, and changing it. */
import type { Command } from 'commander'
import { DEFAULT_SETTINGS, type SettingsChange } from '../../shared/model/settings.ts'
import { readBodyLimit, readCountOrOff, readDaysOrOff, readKeptSizeOrOff } from '../arguments.ts'
import { dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { createColumns } from '../output.ts'
import { withCore, withExistingData } from '../session.ts'

interface SettingsOptions extends DataOption {
  readonly bodyLimit?: number
  readonly keepDays?: number | 'off'
  readonly keepDeliveries?: number | 'off'
  readonly keepSize?: number | 'off'
  readonly json?: true
}

/** What is named on the command line, and nothing else. */
function changeOf({ bodyLimit, keepDays, keepDeliveries, keepSize }: SettingsOptions): SettingsChange {
  const limit = (value: number | 'off') => (value === 'off' ? null : value)
  const retention = {
    ...(keepDays === undefined ? {} : { days: limit(keepDays) }),
    ...(keepDeliveries === undefined ? {} : { deliveries: limit(keepDeliveries) }),
    ...(keepSize === undefined ? {} : { bytes: limit(keepSize) }),
  }
  return {
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    ...(Object.keys(retention).length === 0 ? {} : { retention }),
  }
}

export function addSettings(program: Command, context: CommandContext): void {
  program
    .command('settings')
    .summary('show or change what is set for the data folder')
    .description('Shows what is set for the data folder, and changes what is named. A running instance takes a change at once.')
    .option('--body-limit <size>', 'bytes kept of a body, from 1KiB to 100MiB; a longer one is answered 413', readBodyLimit)
    .option('--keep-days <n>', 'remove deliveries that are older than so many days; off: keep them', readDaysOrOff)
    .option('--keep-deliveries <n>', 'remove the oldest of more than so many; off: keep them', readCountOrOff)
    .option('--keep-size <size>', 'remove the oldest while the database uses more, from 10MiB; off: keep them', readKeptSizeOrOff)
    .option('--json', 'print one JSON object')
    .action(async (_own: unknown, command: Command) => {
      const options: SettingsOptions = command.optsWithGlobals()
      const { output } = context
      const change = changeOf(options)
      const dataFolder = dataFolderOf(context, options)
      const settings =
        Object.keys(change).length > 0
          ? await withCore(context, dataFolder, ({ client }) => client.call('settings.set', change))
          : ((await withExistingData(context, dataFolder, ({ client }) => client.call('settings.get', {}))) ?? DEFAULT_SETTINGS)
      if (options.json === true) {
        output.json(settings)
        return
      }
      const { days, deliveries, bytes } = settings.retention
      const limit = (value: number | null, unit: string) =>
        value === null ? 'everything' : `${value.toLocaleString('en')} ${unit}`
      const rows = [
        ['body limit', `${settings.bodyLimit.toLocaleString('en')} bytes`],
        ['keep by age', limit(days, days === 1 ? 'day' : 'days')],
        ['keep by number', limit(deliveries, deliveries === 1 ? 'delivery' : 'deliveries')],
        ['keep by size', limit(bytes, 'bytes')],
      ]
      for (const line of createColumns(output)(rows.map((row) => row.map((text) => ({ text }))))) output.line(line)
    })
}

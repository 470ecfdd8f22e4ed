/** `countersign settings`: shows and changes the settings of the data folder. */
import { type Command, dataFolderOf, type CommandContext, type DataOption } from '../context.ts'
import { z } from 'zod'
import { LEAST_KEPT_BYTES } from '../../shared/model/keeping.ts'
import { BODY_LIMITS, DEFAULT_SETTINGS, type SettingsChange } from '../../shared/model/settings.ts'
import { digitsAsNumber, readWith } from '../arguments.ts'
import { createColumns } from '../output.ts'
import { withCore, withExistingData } from '../session.ts'

const UNIT_BYTES = { B: 1, kB: 1_000, KiB: 1_024, MB: 1_000_000, MiB: 1_048_576, GB: 1_000_000_000, GiB: 1_073_741_824 } as const
/** A size with its unit, or in bytes, as bytes. */
const size = () =>
  z
    .string()
    .regex(/^\d+(\.\d+)? ?(B|kB|KiB|MB|MiB|GB|GiB)?$/)
    .transform((text) => {
      const unit = (/[A-Za-z]+$/.exec(text)?.[0] ?? 'B') as keyof typeof UNIT_BYTES
      return Math.round(Number.parseFloat(text) * UNIT_BYTES[unit])
    })
const readBodyLimit = readWith(
  () => size().pipe(z.number().min(BODY_LIMITS.least).max(BODY_LIMITS.most)),
  'a size from 1KiB to 100MiB, like 20MiB, 512kB or 10485760',
)
/** A limit or `off`. Not null, because commander reads null as an empty text. */
function readLimit(read: (text: string) => number): (text: string) => number | 'off' {
  return (text) => (text === 'off' ? text : read(text))
}
const readCountOrOff = readLimit(
  readWith(() => digitsAsNumber().pipe(z.number().int().min(1).max(1_000_000_000)), 'an integer from 1 to 1000000000, or off'),
)
const readDaysOrOff = readLimit(
  readWith(() => digitsAsNumber().pipe(z.number().int().min(1).max(36_500)), 'days from 1 to 36500, or off'),
)
const readKeptSizeOrOff = readLimit(
  readWith(
    () => size().pipe(z.number().min(LEAST_KEPT_BYTES).max(Number.MAX_SAFE_INTEGER)),
    'a size of 10MiB or more, like 2GiB or 500MB, or off',
  ),
)

interface SettingsOptions extends DataOption {
  readonly bodyLimit?: number
  readonly keepDays?: number | 'off'
  readonly keepDeliveries?: number | 'off'
  readonly keepSize?: number | 'off'
  readonly json?: true
}

/** Only the settings given. */
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

export function addSettings(settingsCommand: Command, context: CommandContext): void {
  settingsCommand
    .description('Show or change the settings of the data folder. Changes apply immediately, also while Countersign runs.')
    .example('Show the settings', 'settings')
    .example(
      'Delete deliveries after 30 days, or earlier if the database uses more than 2 GiB',
      'settings --keep-days 30 --keep-size 2GiB',
    )
    .option('--body-limit <size>', 'max body size to store, from 1KiB to 100MiB; larger bodies get a 413', readBodyLimit)
    .option('--keep-days <n>', 'delete deliveries older than this many days; off keeps them', readDaysOrOff)
    .option('--keep-deliveries <n>', 'keep only this many deliveries, besides pinned ones; off keeps all', readCountOrOff)
    .option(
      '--keep-size <size>',
      'delete the oldest deliveries if the database uses more than this (10MiB or more); off keeps all',
      readKeptSizeOrOff,
    )
    .option('--json', 'print a JSON object')
    .run(async (options: SettingsOptions) => {
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
        value === null ? 'no limit' : `${value.toLocaleString('en')} ${unit}`
      const rows = [
        ['body limit', `${settings.bodyLimit.toLocaleString('en')} bytes`],
        ['max age', limit(days, days === 1 ? 'day' : 'days')],
        ['max deliveries', limit(deliveries, deliveries === 1 ? 'delivery' : 'deliveries')],
        ['max size', limit(bytes, 'bytes')],
      ]
      for (const line of createColumns(output)(rows.map((row) => row.map((text) => ({ text }))))) output.line(line)
    })
}

/** `countersign settings`: shows and changes the settings of the data folder. */
import {
  type Command,
  type CommandContext,
  type DataOption,
  type Session,
  withCore,
  withExistingData,
} from '../context.ts'
import { z } from 'zod'
import { LEAST_KEPT_BYTES } from '../../shared/model/keeping.ts'
import {
  BODY_LIMITS,
  DEFAULT_SETTINGS,
  onCloseSchema,
  portIn,
  themeSchema,
  type OnClose,
  type Theme,
  type PortName,
  type SettingsChange,
} from '../../shared/model/settings.ts'
import { given, readCountBetween, readWith } from '../arguments.ts'

const UNIT_BYTES = {
  B: 1,
  kB: 1_000,
  KiB: 1_024,
  MB: 1_000_000,
  MiB: 1_048_576,
  GB: 1_000_000_000,
  GiB: 1_073_741_824,
} as const
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
  readCountBetween(1, 1_000_000_000, 'an integer from 1 to 1000000000, or off'),
)
const readDaysOrOff = readLimit(readCountBetween(1, 36_500, 'days from 1 to 36500, or off'))
const readKeptSizeOrOff = readLimit(
  readWith(
    () => size().pipe(z.number().min(LEAST_KEPT_BYTES).max(Number.MAX_SAFE_INTEGER)),
    'a size of 10MiB or more, like 2GiB or 500MB, or off',
  ),
)

const readPortNumber = readCountBetween(1, 65_535, 'a port from 1 to 65535')
const readPortOrDefault = (text: string) => (text === 'default' ? text : readPortNumber(text))
const readPortOrOff = readLimit(readPortNumber)
const readSwitch = readWith(() => z.enum(['on', 'off']), 'on or off')
const readTheme = readWith(() => themeSchema, themeSchema.options.join(', '))
const readOnClose = readWith(() => onCloseSchema, onCloseSchema.options.join(', '))

/** The switches of the desktop app: the setting, its option, and its help. */
const switches = [
  ['notifyInvalid', 'notify-invalid', 'desktop: notify if a signature is invalid; on or off'],
  ['notifyHandler', 'notify-handler', 'desktop: notify if a forward target fails; on or off'],
  ['notifyFlow', 'notify-flow', 'desktop: notify if a flow fails; on or off'],
  ['checkUpdates', 'check-updates', 'desktop: check for updates once a day; on or off'],
] as const

type Switches = { readonly [Name in (typeof switches)[number][0]]?: 'on' | 'off' }

interface SettingsOptions extends DataOption, Switches {
  readonly receiverPort?: number | 'default'
  readonly receiverHttpPort?: number | 'off'
  readonly sandboxPort?: number | 'default'
  readonly uiPort?: number | 'default'
  readonly onClose?: OnClose
  readonly theme?: Theme
  readonly wrap?: 'on' | 'off'
  readonly singleKeys?: 'on' | 'off'
  readonly bodyLimit?: number
  readonly keepDays?: number | 'off'
  readonly keepDeliveries?: number | 'off'
  readonly keepSize?: number | 'off'
}

/** Only the settings given. */
function changeOf(options: SettingsOptions): SettingsChange {
  const {
    bodyLimit,
    keepDays,
    keepDeliveries,
    keepSize,
    receiverPort,
    receiverHttpPort,
    sandboxPort,
    uiPort,
    onClose,
  } = options
  const orNull = (value: number | 'off' | 'default' | undefined) =>
    typeof value === 'string' ? null : value
  const isOn = (value: 'on' | 'off' | undefined) => value && value === 'on'
  const retention = given({
    days: orNull(keepDays),
    deliveries: orNull(keepDeliveries),
    bytes: orNull(keepSize),
  })
  const ports = given({
    receiver: orNull(receiverPort),
    receiverHttp: orNull(receiverHttpPort),
    sandbox: orNull(sandboxPort),
    ui: orNull(uiPort),
  })
  const chosen = Object.fromEntries(switches.map(([name]) => [name, isOn(options[name])]))
  const desktop = given({ onClose, ...chosen })
  const { theme, wrap, singleKeys } = options
  const window = given({
    theme,
    wrap: isOn(wrap),
    singleKeys: isOn(singleKeys),
  })
  const group = <Values extends object>(values: Values) =>
    Object.keys(values).length === 0 ? undefined : values
  return given({
    bodyLimit,
    retention: group(retention),
    ports: group(ports),
    desktop: group(desktop),
    window: group(window),
  })
}

export function add(command: Command, context: CommandContext): void {
  command
    .description(
      'Show or change the settings of the data folder. Changes apply immediately, ports at the next start.',
    )
    .example('Show the settings', 'settings')
    .example('Change the receiver port', 'settings --receiver-port 4790')
    .example(
      'Delete deliveries after 30 days, or earlier if the database uses more than 2 GiB',
      'settings --keep-days 30 --keep-size 2GiB',
    )
    .option(
      '--body-limit <size>',
      'max body size to store, from 1KiB to 100MiB; larger bodies get a 413',
      readBodyLimit,
    )
    .option(
      '--keep-days <n>',
      'delete deliveries older than this many days; off keeps them',
      readDaysOrOff,
    )
    .option(
      '--keep-deliveries <n>',
      'keep only this many deliveries, besides pinned ones; off keeps all',
      readCountOrOff,
    )
    .option(
      '--keep-size <size>',
      'delete the oldest deliveries if the database uses more than this (10MiB or more); off keeps all',
      readKeptSizeOrOff,
    )
    .option('--receiver-port <n>', 'receiver port, HTTPS; default is 4783', readPortOrDefault)
    .option(
      '--receiver-http-port <n>',
      'also receive over plain HTTP on this port, for tunnels; or off',
      readPortOrOff,
    )
    .option('--sandbox-port <n>', 'sandbox port; default is 4784', readPortOrDefault)
    .option('--ui-port <n>', 'app port in the browser; default is 4780', readPortOrDefault)
    .option('--theme <theme>', 'window theme: system, dark or light', readTheme)
    .option('--wrap <on|off>', 'wrap long lines in bodies and raw requests', readSwitch)
    .option('--single-keys <on|off>', 'single-key shortcuts, such as j', readSwitch)
    .option(
      '--on-close <action>',
      'desktop: when the window closes: ask, background or quit',
      readOnClose,
    )
  for (const [, option, help] of switches) command.option(`--${option} <on|off>`, help, readSwitch)
  command.printsJson().run(async (options: SettingsOptions) => {
    const { output } = context
    const change = changeOf(options)
    const changes = Object.keys(change).length > 0
    const read = async ({ client }: Session) => ({
      settings: await (changes
        ? client.call('settings.set', change)
        : client.call('settings.get', {})),
      status: await client.call('app.status', {}),
    })
    const { settings, status } = (changes
      ? await withCore(context, options, read)
      : await withExistingData(context, options, null, read)) ?? {
      settings: DEFAULT_SETTINGS,
      status: null,
    }
    if (options.json === true) {
      output.json(settings)
      return
    }
    const { days, deliveries, bytes } = settings.retention
    const limit = (value: number | null, unit: string) =>
      value === null ? 'no limit' : `${value.toLocaleString('en')} ${unit}`
    const shown = (value: string | boolean | undefined) =>
      value === undefined ? 'not set' : typeof value === 'string' ? value : value ? 'on' : 'off'
    /** The port of the setting, and the one in use if another was chosen at the start. */
    const port = (name: PortName, url: string | null | undefined) => {
      const set = portIn(settings.ports, name)
      const used = url == null ? set : Number(new URL(url).port)
      return `${set ?? 'off'}${used === set ? '' : ` (now ${used})`}`
    }
    const rows = [
      ['body limit', `${settings.bodyLimit.toLocaleString('en')} bytes`],
      ['max age', limit(days, days === 1 ? 'day' : 'days')],
      ['max deliveries', limit(deliveries, deliveries === 1 ? 'delivery' : 'deliveries')],
      ['max size', limit(bytes, 'bytes')],
      ['receiver port', port('receiver', status?.receiver.url)],
      ['plain HTTP port', port('receiverHttp', status?.receiver.httpUrl)],
      ['sandbox port', port('sandbox', status?.sandbox)],
      ['app port', String(portIn(settings.ports, 'ui'))],
      ['theme', shown(settings.window.theme)],
      ['wrap long lines', shown(settings.window.wrap)],
      ['single-key shortcuts', shown(settings.window.singleKeys)],
    ]
    output.table(rows.map((row) => row.map((text) => ({ text }))))
  })
}

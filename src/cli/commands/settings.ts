/** `countersign settings`: shows and changes the settings of the data folder. */
import { z } from 'zod'
import { LEAST_KEPT_BYTES } from '../../shared/model/keeping.ts'
import {
  BODY_LIMITS,
  DEFAULT_SETTINGS,
  onCloseSchema,
  portIn,
  themeSchema,
  type PortName,
  type Settings,
  settingsChangeSchema,
  type SettingsChange,
} from '../../shared/model/settings.ts'
import type { AppStatus } from '../../shared/model/status.ts'
import { defineCommand } from '../command.ts'
import { json, readCountBetween, readWith, valued, type ValuesOf } from '../options.ts'

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

/** An option for a setting. The word `empty` stands for null, which commander can't hold, so the value is in an object. */
function setting<Value>(
  flags: string,
  help: string,
  read: (text: string) => Value,
  empty?: 'off' | 'default',
) {
  return valued(flags, help, (text) => ({ value: text === empty ? null : read(text) }))
}

/** A setting that is on or off. */
const switched = (flags: string, help: string) =>
  setting(
    `${flags} <on|off>`,
    help,
    readWith(() => z.enum(['on', 'off']).transform((text) => text === 'on'), 'on or off'),
  )

const readPort = readCountBetween(1, 65_535, 'a port from 1 to 65535')

/** By the setting's place: the path of its name. */
const settingOptions = {
  bodyLimit: setting(
    '<size>',
    'max body size to store, from 1KiB to 100MiB; larger bodies get a 413',
    readWith(
      () => size().pipe(z.number().min(BODY_LIMITS.least).max(BODY_LIMITS.most)),
      'a size from 1KiB to 100MiB, like 20MiB, 512kB or 10485760',
    ),
  ),
  'retention.days': setting(
    '--keep-days <n>',
    'delete deliveries older than this many days; off keeps them',
    readCountBetween(1, 36_500, 'days from 1 to 36500, or off'),
    'off',
  ),
  'retention.deliveries': setting(
    '--keep-deliveries <n>',
    'keep only this many deliveries, besides pinned ones; off keeps all',
    readCountBetween(1, 1_000_000_000, 'an integer from 1 to 1000000000, or off'),
    'off',
  ),
  'retention.bytes': setting(
    '--keep-size <size>',
    'delete the oldest deliveries if the database uses more than this (10MiB or more); off keeps all',
    readWith(
      () => size().pipe(z.number().min(LEAST_KEPT_BYTES).max(Number.MAX_SAFE_INTEGER)),
      'a size of 10MiB or more, like 2GiB or 500MB, or off',
    ),
    'off',
  ),
  'ports.receiver': setting(
    '--receiver-port <n>',
    'receiver port, HTTPS; default is 4783',
    readPort,
    'default',
  ),
  'ports.receiverHttp': setting(
    '--receiver-http-port <n>',
    'also receive over plain HTTP on this port, for tunnels; or off',
    readPort,
    'off',
  ),
  'ports.sandbox': setting(
    '--sandbox-port <n>',
    'sandbox port; default is 4784',
    readPort,
    'default',
  ),
  'ports.ui': setting(
    '--ui-port <n>',
    'app port in the browser; default is 4780',
    readPort,
    'default',
  ),
  'window.theme': setting(
    '--theme <theme>',
    'window theme: system, dark or light',
    readWith(() => themeSchema, themeSchema.options.join(', ')),
  ),
  'window.wrap': switched('--wrap', 'wrap long lines in bodies and raw requests'),
  'window.singleKeys': switched('--single-keys', 'single-key shortcuts, such as j'),
  'desktop.onClose': setting(
    '--on-close <action>',
    'desktop: when the window closes: ask, background or quit',
    readWith(() => onCloseSchema, onCloseSchema.options.join(', ')),
  ),
  'desktop.notifyInvalid': switched(
    '--notify-invalid',
    'desktop: notify if a signature is invalid; on or off',
  ),
  'desktop.notifyHandler': switched(
    '--notify-handler',
    'desktop: notify if a forward target fails; on or off',
  ),
  'desktop.notifyFlow': switched('--notify-flow', 'desktop: notify if a flow fails; on or off'),
  'desktop.checkUpdates': switched(
    '--check-updates',
    'desktop: check for updates once a day; on or off',
  ),
}

/** Only the settings given. */
function changeOf(input: ValuesOf<typeof settingOptions>): SettingsChange {
  const change: Record<string, unknown> = {}
  for (const [place, given] of Object.entries(input)) {
    const [group = '', name] = place.split('.')
    if (given === undefined) continue
    if (name === undefined) change[group] = given.value
    else change[group] = { ...(change[group] as object | undefined), [name]: given.value }
  }
  return settingsChangeSchema.parse(change)
}

function rowsOf(
  { bodyLimit, retention, ports, window }: Settings,
  status: AppStatus | undefined,
): [string, string][] {
  const { days, deliveries, bytes } = retention
  const limit = (value: number | null, unit: string) =>
    value === null ? 'no limit' : `${value.toLocaleString('en')} ${unit}`
  /** The port of the setting, and the one in use if another was chosen at the start. */
  const port = (name: PortName, url?: string | null) => {
    const set = portIn(ports, name)
    const used = url == null ? set : Number(new URL(url).port)
    return `${set ?? 'off'}${used === set ? '' : ` (now ${used})`}`
  }
  const shown = (value: string | boolean = 'not set') =>
    typeof value === 'string' ? value : value ? 'on' : 'off'
  return [
    ['body limit', `${bodyLimit.toLocaleString('en')} bytes`],
    ['max age', limit(days, days === 1 ? 'day' : 'days')],
    ['max deliveries', limit(deliveries, deliveries === 1 ? 'delivery' : 'deliveries')],
    ['max size', limit(bytes, 'bytes')],
    ['receiver port', port('receiver', status?.receiver.url)],
    ['plain HTTP port', port('receiverHttp', status?.receiver.httpUrl)],
    ['sandbox port', port('sandbox', status?.sandbox)],
    ['app port', port('ui')],
    ['theme', shown(window.theme)],
    ['wrap long lines', shown(window.wrap)],
    ['single-key shortcuts', shown(window.singleKeys)],
  ]
}

export const add = defineCommand({
  description:
    'Show or change the settings of the data folder. Changes apply immediately, ports at the next start.',
  examples: [
    ['Show the settings', 'settings'],
    ['Change the receiver port', 'settings --receiver-port 4790'],
    [
      'Delete deliveries after 30 days, or earlier if the database uses more than 2 GiB',
      'settings --keep-days 30 --keep-size 2GiB',
    ],
  ],
  options: { ...settingOptions, json: json() },
  async run({ json: _, ...input }, { openData, findData, output }) {
    const change = changeOf(input)
    const isChange = Object.keys(change).length > 0
    const session = isChange ? await openData() : await findData(null)
    const settings =
      session === null
        ? DEFAULT_SETTINGS
        : isChange
          ? await session.client.call('settings.set', change)
          : await session.client.call('settings.get', {})
    const status = await session?.client.call('app.status', {})
    output.result(settings, () => output.table(rowsOf(settings, status)))
  },
})

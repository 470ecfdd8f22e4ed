/** Settings of a data folder, each with a default and its words. */
import { z } from 'zod'
import { listColumnsSchema } from './body-columns.ts'
import { withoutDefault, updateSchemaOf, type OptionWords } from './field-words.ts'
import { KEEP_ALL, retentionSchema } from './retention.ts'

const MIB = 1_048_576

export const BODY_LIMITS = { least: 1_024, most: 100 * MIB } as const

/** Words of a setting, for the settings screen and `countersign settings`. */
export interface SettingWords extends OptionWords {
  /** Meaning of null. */
  readonly empty?: 'off' | 'default'
  /** Title of its row in `countersign settings`. */
  readonly row?: string
  readonly screen?: {
    readonly section: 'receiver' | 'appearance' | 'keyboard' | 'desktop'
    readonly group?: string
    readonly title: string
    readonly hint?: string
    readonly label?: string
    /** Further words that the search on the screen finds. */
    readonly words?: string
    readonly choices?: Readonly<Record<string, string>>
    readonly host?: 'desktop' | 'browser'
  }
}

const settingWords = z.registry<SettingWords>()

/** `ask` until the user has chosen; `background` keeps capturing without a window. */
const onCloseSchema = z.enum(['ask', 'background', 'quit'])
export type OnClose = z.infer<typeof onCloseSchema>

function notification(option: string, help: string, title: string, hint: string) {
  return z
    .boolean()
    .default(false)
    .register(settingWords, {
      option,
      help: `desktop: notify if ${help}; on or off`,
      screen: {
        section: 'desktop',
        host: 'desktop',
        group: 'Notifications while the window is in the background',
        title,
        hint,
        label: `Notify: ${title}`,
      },
    })
}

export const desktopSettingsSchema = z.object({
  onClose: onCloseSchema.default('ask').register(settingWords, {
    option: '--on-close <action>',
    help: 'desktop: when the window closes: ask, background or quit',
    screen: {
      section: 'desktop',
      host: 'desktop',
      title: 'When the window closes',
      hint: 'If you keep capturing, open the window again from the tray.',
      choices: { ask: 'Ask', background: 'Keep capturing', quit: 'Quit' },
    },
  }),
  notifyInvalid: notification(
    '--notify-invalid',
    'a signature is invalid',
    'Invalid signature',
    "A delivery's signature doesn't match its hook's secret.",
  ),
  notifyHandler: notification(
    '--notify-handler',
    'a forward target fails',
    'Handler failing',
    'A forward target stops acknowledging deliveries.',
  ),
  notifyFlow: notification(
    '--notify-flow',
    'a flow fails',
    'Flow failed',
    'A flow run ends with a failed step.',
  ),
  checkUpdates: z
    .boolean()
    .default(false)
    .register(settingWords, {
      option: '--check-updates',
      help: 'desktop: check for updates once a day; on or off',
      screen: {
        section: 'desktop',
        host: 'desktop',
        group: 'Updates',
        title: 'Check for updates',
        hint: "At the start and once a day, only from the app's update server. Sends your operating system, but no ID and no version.",
        label: 'Check for updates once a day',
      },
    }),
})
export type DesktopSettings = z.infer<typeof desktopSettingsSchema>

/**
 * Creates the setting of a port, used from the next start on. Null means the default, or off for
 * plain HTTP.
 */
function portSetting(
  option: string,
  words: Pick<SettingWords, 'help' | 'empty' | 'row'>,
  screen: Omit<NonNullable<SettingWords['screen']>, 'section' | 'group'>,
) {
  return z
    .number()
    .int()
    .min(1)
    .max(65_535)
    .nullable()
    .default(null)
    .register(settingWords, {
      option: `--${option} <n>`,
      expected: 'a port from 1 to 65535',
      ...words,
      screen: {
        section: 'receiver',
        group: 'Ports',
        ...screen,
        words: `${screen.words ?? ''} serve --${option} listen`,
      },
    })
}

const portSettingsSchema = z.object({
  receiver: portSetting(
    'receiver-port',
    {
      help: 'receiver port, HTTPS; default is 4783',
      empty: 'default',
      row: 'receiver port',
    },
    { title: 'HTTPS port', hint: 'Deliveries arrive here.', words: 'receiver' },
  ),
  receiverHttp: portSetting(
    'receiver-http-port',
    {
      help: 'also receive over plain HTTP on this port, for tunnels; or off',
      empty: 'off',
      row: 'plain HTTP port',
    },
    {
      title: 'HTTP port',
      hint: 'For tunnels that need plain HTTP. Leave it empty to turn it off.',
      words: 'tunnel',
    },
  ),
  sandbox: portSetting(
    'sandbox-port',
    { help: 'sandbox port; default is 4784', empty: 'default', row: 'sandbox port' },
    { title: 'Sandbox port', hint: 'The sandbox plays the service here.', words: 'service' },
  ),
  ui: portSetting(
    'ui-port',
    { help: 'app port in the browser; default is 4780', empty: 'default', row: 'app port' },
    {
      title: 'App port',
      hint: 'Opens Countersign in the browser.',
      words: 'window browser',
      host: 'browser',
    },
  ),
})
export type PortSettings = z.infer<typeof portSettingsSchema>
export type PortName = keyof PortSettings

export const DEFAULT_PORTS = { ui: 4780, receiver: 4783, sandbox: 4784 } as const

export function portIn(ports: PortSettings, name: PortName): number | null {
  return ports[name] ?? (name === 'receiverHttp' ? null : DEFAULT_PORTS[name])
}

export const themeSchema = z.enum(['system', 'dark', 'light'])
export type Theme = z.infer<typeof themeSchema>

/** Settings shared by all windows; a missing one was never chosen. */
const windowSettingsSchema = z.object({
  theme: themeSchema.optional().register(settingWords, {
    option: '--theme <theme>',
    help: 'window theme: system, dark or light',
    row: 'theme',
    screen: {
      section: 'appearance',
      title: 'Theme',
      words: 'color dark light system',
      choices: { system: 'System', dark: 'Dark', light: 'Light' },
    },
  }),
  wrap: z
    .boolean()
    .optional()
    .register(settingWords, {
      option: '--wrap',
      help: 'wrap long lines in bodies and raw requests',
      row: 'wrap long lines',
      screen: {
        section: 'appearance',
        title: 'Wrap long lines',
        hint: 'In bodies and raw requests',
      },
    }),
  singleKeys: z
    .boolean()
    .optional()
    .register(settingWords, {
      option: '--single-keys',
      help: 'single-key shortcuts, such as j',
      row: 'single-key shortcuts',
      screen: {
        section: 'keyboard',
        title: 'Single-key shortcuts',
        hint: 'Keys such as j and o, without Ctrl or ⌘. Off while you type.',
      },
    }),
  limitDismissed: z.boolean().optional(),
  /** JSON paths that the list shows as columns. */
  bodyColumns: listColumnsSchema.optional(),
})
export type WindowSettings = z.infer<typeof windowSettingsSchema>

const BYTES = ['byte', 'bytes'] as const
settingWords.add(retentionSchema.shape.days, {
  option: '--keep-days <n>',
  help: 'delete deliveries older than this many days; off keeps them',
  expected: 'days from 1 to 36500, or off',
  empty: 'off',
  unit: ['day', 'days'],
  row: 'max age',
})
settingWords.add(retentionSchema.shape.deliveries, {
  option: '--keep-deliveries <n>',
  help: 'keep only this many deliveries, besides pinned ones; off keeps all',
  expected: 'an integer from 1 to 1000000000, or off',
  empty: 'off',
  unit: ['delivery', 'deliveries'],
  row: 'max deliveries',
})
settingWords.add(retentionSchema.shape.bytes, {
  option: '--keep-size <size>',
  help: 'delete the oldest deliveries if the database uses more than this (10MiB or more); off keeps all',
  expected: 'a size of 10MiB or more, like 2GiB or 500MB, or off',
  empty: 'off',
  unit: BYTES,
  row: 'max size',
})

export const settingsSchema = z.object({
  bodyLimit: z
    .number()
    .int()
    .min(BODY_LIMITS.least)
    .max(BODY_LIMITS.most)
    .default(10 * MIB)
    .register(settingWords, {
      option: '--body-limit <size>',
      help: 'max body size to store, from 1KiB to 100MiB; larger bodies get a 413',
      expected: 'a size from 1KiB to 100MiB, like 20MiB, 512kB or 10485760',
      unit: BYTES,
      row: 'body limit',
      screen: {
        section: 'receiver',
        group: 'Capture',
        title: 'Body size limit',
        hint: 'Larger bodies get a 413. The start is kept and the signature is still checked.',
        words: 'largest maximum 100 MiB',
      },
    }),
  retention: retentionSchema.default(KEEP_ALL),
  desktop: desktopSettingsSchema.default(desktopSettingsSchema.parse({})),
  ports: portSettingsSchema.default(portSettingsSchema.parse({})),
  window: windowSettingsSchema.default({}),
})
export type Settings = z.infer<typeof settingsSchema>

const { bodyLimit, retention, desktop, ports, window } = settingsSchema.shape

export const settingsChangeSchema = z.object({
  bodyLimit: withoutDefault(bodyLimit).optional(),
  retention: updateSchemaOf(withoutDefault(retention)).optional(),
  desktop: updateSchemaOf(withoutDefault(desktop)).optional(),
  /** Rejected with `PORT_IN_USE` if a new port isn't free. */
  ports: updateSchemaOf(withoutDefault(ports)).optional(),
  window: updateSchemaOf(withoutDefault(window)).optional(),
})
export type SettingsChange = z.infer<typeof settingsChangeSchema>

export const DEFAULT_SETTINGS: Settings = settingsSchema.parse({})

/** Setting with words; its name is null if it is alone in its group. */
export interface SettingField {
  readonly group: keyof Settings
  readonly name: string | null
  readonly schema: z.ZodType
  readonly words: SettingWords
}

export function settingFields(): readonly SettingField[] {
  const groups = Object.entries(settingsSchema.shape) as [keyof Settings, z.ZodDefault][]
  return groups.flatMap(([group, field]) => {
    const inner = withoutDefault(field)
    const named = inner instanceof z.ZodObject ? Object.entries(inner.shape) : [[null, field]]
    return (named as [string | null, z.ZodType][]).flatMap(([name, schema]) => {
      const words = settingWords.get(schema)
      return words === undefined ? [] : { group, name, schema: withoutDefault(schema), words }
    })
  })
}

export function settingIn(settings: Settings, { group, name }: SettingField): unknown {
  const value: unknown = settings[group]
  return name === null ? value : (value as Record<string, unknown>)[name]
}

export function withSetting(
  change: SettingsChange,
  { group, name }: SettingField,
  value: unknown,
): SettingsChange {
  const before: Readonly<Record<string, unknown>> = change
  const others = before[group] as object | undefined
  return { ...change, [group]: name === null ? value : { ...others, [name]: value } }
}

/** `countersign settings`: shows and changes the settings of the data folder. */
import { z } from 'zod'
import { valueType } from '../../shared/model/field-words.ts'
import {
  DEFAULT_SETTINGS,
  portIn,
  settingFields,
  settingIn,
  type PortName,
  type Settings,
  type SettingField,
  type SettingsChange,
  withSetting,
} from '../../shared/model/settings.ts'
import type { AppStatus } from '../../shared/model/status.ts'
import { defineCommand } from '../command.ts'
import { readerOf, valued } from '../options.ts'

/** A setting as given. Null is a value of it, and commander can't hold that. */
interface Given {
  readonly value: unknown
}

/** The option of a setting. The word `empty` stands for null. */
function optionOf({ schema, words }: SettingField) {
  const { option, help, empty } = words
  const isSwitch = valueType(schema) instanceof z.ZodBoolean
  const read = readerOf(schema, words)
  return valued<Given>(isSwitch ? `${option} <on|off>` : option, help, (text) => ({
    value: text === empty ? null : read(text),
  }))
}

/** The value of a setting in the table: a port with the one in use, if another was chosen at the start. */
function shownValue(
  settings: Settings,
  field: SettingField,
  status: AppStatus | undefined,
): string {
  if (field.group === 'ports') {
    const name = field.name as PortName
    const set = portIn(settings.ports, name)
    const urls = {
      receiver: status?.receiver.url,
      receiverHttp: status?.receiver.httpUrl,
      sandbox: status?.sandbox,
      ui: null,
    }
    const url = urls[name]
    const used = url == null ? set : Number(new URL(url).port)
    return `${set ?? 'off'}${used === set ? '' : ` (now ${used})`}`
  }
  const value = settingIn(settings, field)
  if (value === null) return 'no limit'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value !== 'number') return typeof value === 'string' ? value : 'not set'
  const [one, many] = field.words.unit ?? ['', '']
  return `${value.toLocaleString('en')} ${value === 1 ? one : many}`
}

const fields = settingFields().map((field) => ({
  ...field,
  key: `${field.group} ${field.name ?? ''}`,
}))

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
  options: {
    ...Object.fromEntries(fields.map((field) => [field.key, optionOf(field)])),
  },
  async run(input, { openData, findData, output, typed }) {
    const given: Readonly<Record<string, unknown>> = input
    const changed = fields.filter(({ key }) => typed.includes(key))
    const change = changed.reduce<SettingsChange>(
      (others, field) => withSetting(others, field, (given[field.key] as Given).value),
      {},
    )
    const isChange = changed.length > 0
    const session = isChange ? await openData() : await findData(null)
    const settings =
      session === null
        ? DEFAULT_SETTINGS
        : isChange
          ? await session.client.call('settings.set', change)
          : await session.client.call('settings.get', {})
    const status = await session?.client.call('app.status', {})
    const rows = fields.flatMap((field) =>
      field.words.row === undefined ? [] : [[field.words.row, shownValue(settings, field, status)]],
    )
    output.result(settings, () => output.table(rows))
  },
})

/** `countersign settings`: shows and changes the settings of the data folder. */
import { z } from 'zod'
import type { KeptConsent } from '../../shared/model/consent.ts'
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
import { flagOption, parsedOption } from '../options/input.ts'
import { readerOf } from '../options/value-readers.ts'

/** A setting as given; wrapped because commander can't hold the value null. */
interface TypedSetting {
  readonly value: unknown
}

/** Returns the option of a setting; its word `empty` stands for null. */
function optionOf({ schema, words }: SettingField) {
  const { option, help, empty } = words
  const isSwitch = valueType(schema) instanceof z.ZodBoolean
  const read = readerOf(schema, words)
  return parsedOption<TypedSetting>(isSwitch ? `${option} <on|off>` : option, help, (text) => ({
    value: text === empty ? null : read(text),
  }))
}

/** Returns a setting's value for the table; a port with the one in use, if it differs. */
function shownValue(
  settings: Settings,
  field: SettingField,
  status: AppStatus | undefined,
): string {
  if (field.group === 'ports') {
    const name = field.name as PortName
    const configuredPort = portIn(settings.ports, name)
    const urls = {
      receiver: status?.receiver.url,
      receiverHttp: status?.receiver.httpUrl,
      sandbox: status?.sandbox,
      ui: null,
    }
    const url = urls[name]
    const usedPort = url == null ? configuredPort : Number(new URL(url).port)
    return `${configuredPort ?? 'off'}${usedPort === configuredPort ? '' : ` (now ${usedPort})`}`
  }
  const value = settingIn(settings, field)
  if (value === null) return 'no limit'
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  if (typeof value !== 'number') return typeof value === 'string' ? value : 'not set'
  const [singular, plural] = field.words.unit ?? ['', '']
  return `${value.toLocaleString('en')} ${value === 1 ? singular : plural}`
}

const namesOf = (consents: readonly KeptConsent[]) =>
  consents.map(({ about, name }) => (about === 'host' ? name : `${name} (live)`)).join(', ')

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
    ['Revoke what the window was allowed', 'settings --forget-consent'],
  ],
  options: {
    ...Object.fromEntries(fields.map((field) => [field.key, optionOf(field)])),
    forgetConsent: flagOption(
      'revoke what the window was allowed: remote hosts, live environments',
    ),
  },
  async run({ forgetConsent, ...input }, { openData, findData, output, typed }) {
    const given: Readonly<Record<string, unknown>> = input
    const changed = fields.filter(({ key }) => typed.includes(key))
    const change = changed.reduce<SettingsChange>(
      (others, field) => withSetting(others, field, (given[field.key] as TypedSetting).value),
      {},
    )
    const isChange = changed.length > 0 || forgetConsent
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
    if (forgetConsent) {
      const { consents } = (await session?.client.call('consent.forget', {})) ?? { consents: [] }
      output.note(consents.length === 0 ? 'Nothing was allowed.' : `Revoked: ${namesOf(consents)}.`)
    }
    const { consents } = (await session?.client.call('consent.list', {})) ?? { consents: [] }
    output.result({ ...settings, consents }, () =>
      output.table([...rows, ...(consents.length === 0 ? [] : [['allowed', namesOf(consents)]])]),
    )
  },
})

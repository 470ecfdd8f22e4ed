import type { ReactNode } from 'react'
import {
  type PortName,
  portIn,
  type SettingField,
  settingFields,
  settingIn,
} from '../../../shared/model/settings.ts'
import { keyLines } from '../../key-map.ts'
import type { AppState } from '../../ui-state/store.ts'
import { keyCaps } from '../../ui/keys.tsx'
import { ConsentList } from './consent-list.tsx'
import { EnvironmentList } from './environment-list.tsx'
import { type SettingsSection, settingsSections } from '../../ui-state/routes.ts'
import { RetentionLimits, StorageSizes } from './storage-section.tsx'
import { SectionLink } from '../../ui/reference-page.tsx'
import { SetupFile } from './setup-file.tsx'
import { ShortcutTable } from './shortcut-table.tsx'
import {
  binarySize,
  BodyLimit,
  PublicUrl,
  CurrentHandler,
  ValueControl,
  CopiedFact,
  SecretStorage,
  ActionButton,
  type WindowChoice,
} from './setting-controls.tsx'
import { PortField } from './port-field.tsx'

export interface Setting {
  readonly name: string
  readonly section: SettingsSection
  readonly group?: string
  readonly hint?: string | undefined
  /** Arguments of the command line, without `countersign`. */
  readonly cli: string
  readonly words?: string
  /** Whether the control takes the whole width, below the name. */
  readonly isWide?: boolean
  readonly control: ReactNode
  readonly below?: ReactNode
}

type SettingsFacts = Pick<AppState['core'], 'status' | 'settings' | 'handlers'> &
  Pick<AppState['settings'], 'isDesktop'> &
  Pick<AppState['preferences'], WindowChoice>

/** Parts of settings beyond their words, by name. */
const extras: Readonly<Record<string, Partial<Setting>>> = {
  bodyLimit: { control: <BodyLimit /> },
  singleKeys: {
    words: keyLines
      .map(
        ({ meaning, keys }) =>
          `${meaning} ${keys.flatMap((one) => [one, ...keyCaps(one)]).join(' ')}`,
      )
      .join(' '),
    below: <ShortcutTable />,
  },
}

/**
 * Returns a setting of the data folder; false if this host lacks it or the screen shows it
 * otherwise.
 */
function settingOf(field: SettingField, facts: SettingsFacts): Setting | false {
  const { group, name, words } = field
  const { settings, isDesktop } = facts
  if (words.screen === undefined || (words.screen.host ?? hostOf(isDesktop)) !== hostOf(isDesktop))
    return false
  const { title, hint, label = title, choices = {}, ...texts } = words.screen
  const port = group === 'ports' ? (name as PortName) : null
  // The window's own choice applies unless the data folder has one.
  const value =
    port !== null
      ? (portIn(settings.ports, port) ?? 'off')
      : group === 'window'
        ? facts[name as WindowChoice]
        : settingIn(settings, field)
  const word = typeof value === 'boolean' ? (value ? 'on' : 'off') : value
  const isSize = words.unit?.[0] === 'byte'
  return {
    ...texts,
    name: title,
    hint,
    cli: `settings ${words.option.split(' ')[0]} ${isSize ? binarySize(Number(value), '') : String(word)}`,
    control:
      port === null ? (
        <ValueControl field={field} label={label} value={value} choices={choices} />
      ) : (
        <PortField name={port} label={title} />
      ),
    ...extras[name ?? group],
  }
}

const hostOf = (isDesktop: boolean) => (isDesktop ? 'desktop' : 'browser')

function connectionSettings({ handlers }: SettingsFacts): readonly (Setting | false)[] {
  const currentHandler = handlers.find(({ current }) => current)
  return [
    {
      section: 'environments',
      name: 'Saved environments',
      cli: 'environments',
      words:
        'add update use remove environment key secret bearer token prefix proxy timeout acknowledge live test',
      isWide: true,
      control: <EnvironmentList />,
    },
    {
      section: 'receiver',
      group: 'Ports',
      name: 'Public URL',
      hint: "Your tunnel's URL. New hooks use it.",
      cli: 'tunnel use URL',
      words: 'ngrok cloudflared',
      control: <PublicUrl />,
    },
    {
      section: 'handlers',
      name: 'Current handler',
      hint: 'Where Replay sends deliveries. The first saved handler becomes current.',
      cli: `handlers use ${currentHandler?.name ?? 'NAME'}`,
      words: 'endpoint default',
      control: <CurrentHandler />,
    },
  ]
}

function secretSettings({ status }: SettingsFacts): readonly (Setting | false)[] {
  return [
    {
      section: 'secrets',
      name: 'Secret storage',
      cli: 'doctor',
      words: 'vault keyring encryption',
      control: <SecretStorage />,
    },
    status !== null && {
      section: 'secrets',
      name: 'Local CA',
      hint: "Valid for this computer only. Give it to clients, but don't add it to the system's trust store.",
      cli: 'doctor',
      words: 'certificate tls https',
      control: <CopiedFact text={status.caFile} label="certificate path" file="ca" />,
    },
    {
      section: 'safety',
      name: 'Allowed hosts and live environments',
      cli: 'settings --forget-consent',
      words: 'consent confirm remote live revoke',
      isWide: true,
      control: <ConsentList />,
    },
  ]
}

function dataSettings({ status }: SettingsFacts): readonly (Setting | false)[] {
  return [
    status !== null && {
      section: 'storage',
      name: 'Data folder',
      hint: status.store.problem ?? 'Deliveries, settings and secrets.',
      cli: 'serve --data DIR',
      words: 'database path',
      control: <CopiedFact text={status.dataFolder} label="data folder" file="data" />,
    },
    {
      section: 'storage',
      name: 'Space used',
      cli: 'doctor --vacuum',
      words: 'disk size database search index log',
      control: <StorageSizes />,
    },
    {
      section: 'storage',
      name: 'Setup file',
      hint: 'Environments, hooks, handlers and settings to share, without secrets.',
      cli: 'apply',
      words: 'countersign.json setup share team repository',
      control: <SetupFile />,
    },
    {
      section: 'retention',
      name: 'Limits',
      cli: 'settings --keep-days N --keep-deliveries N --keep-size SIZE',
      words: 'delete old days size keep',
      isWide: true,
      control: <RetentionLimits />,
    },
    {
      section: 'transfer',
      name: 'Export deliveries',
      hint: 'JSON Lines, HAR or cURL, with secrets masked unless you include them.',
      cli: 'export [QUERY] --format jsonl',
      words: 'har curl share include secrets',
      control: (
        <ActionButton
          label="Export…"
          run={({ exporting }) => exporting.open({ query: '', seqs: null })}
        />
      ),
    },
    {
      section: 'transfer',
      name: 'Import deliveries',
      hint: 'From an export or a HAR file.',
      cli: 'import FILE',
      control: <ActionButton label="Import…" run={({ importing }) => importing.open()} />,
    },
  ]
}

function accessSettings({ isDesktop }: SettingsFacts): readonly (Setting | false)[] {
  return [
    {
      section: 'remote',
      name: 'Listening host',
      hint: 'Reachable from this computer only, unless you start it with another host.',
      cli: 'serve --host IP --dangerously-bind',
      words: 'network bind',
      control: null,
    },
    {
      section: 'remote',
      name: 'Allowed hosts of the app',
      hint: 'None, unless you start it with some. For containers and port forwarding.',
      cli: 'serve --allow-ui-host HOST:PORT',
      words: 'docker origin',
      control: null,
    },
    !isDesktop && {
      section: 'remote',
      name: 'Signed-in browsers',
      hint: 'A browser stays signed in when Countersign restarts.',
      cli: 'open --sign-out',
      control: (
        <ActionButton
          label="Sign out other browsers"
          run={({ settings }) => settings.signOutOthers()}
        />
      ),
    },
  ]
}

function aboutSettings({ status, isDesktop }: SettingsFacts): readonly (Setting | false)[] {
  return [
    status !== null && {
      section: 'about',
      name: 'Version',
      hint: `${status.host === 'electron' ? 'Desktop app' : 'Browser app'}, process ${status.pid}`,
      cli: '--version',
      control: (
        <p className="flex min-h-7 items-center gap-3">
          <span className="data select-text">{status.version}</span>
          {isDesktop && (
            <ActionButton
              label="Check for updates…"
              run={({ settings }) => settings.openUpdates()}
            />
          )}
        </p>
      ),
    },
    {
      section: 'about',
      name: 'Diagnostics',
      hint: 'A file for bug reports, without secrets or deliveries.',
      cli: 'doctor --json',
      words: 'bug report log',
      control: (
        <ActionButton
          label="Save diagnostics…"
          run={({ settings }) => settings.saveDiagnostics()}
        />
      ),
    },
    {
      section: 'about',
      name: 'Documentation',
      hint: isDesktop
        ? 'Press F1 for all pages.'
        : '`countersign --help` names the folder with all pages.',
      cli: '--help',
      words: 'manual spec',
      control: (
        <p className="leading-7 [&>button]:text-accent">
          <SectionLink section="1">Service reference</SectionLink>
        </p>
      ),
    },
    {
      section: 'about',
      name: 'License',
      hint: isDesktop ? 'For its libraries, choose Help, Licenses.' : undefined,
      cli: '--version',
      control: (
        <p className="flex gap-3 leading-7">
          MIT
          {!isDesktop && (
            <a
              href="licenses.txt"
              target="_blank"
              className="text-accent underline decoration-dotted underline-offset-2"
            >
              Licenses of libraries
            </a>
          )}
        </p>
      ),
    },
    {
      section: 'about',
      name: 'Quick tour',
      hint: '2 minutes, from a first sample to a flow.',
      cli: 'flow run purchase-visa',
      words: 'help start',
      control: <ActionButton label="Start" run={({ tour }) => tour.begin()} />,
    },
  ]
}

/** Returns all settings of this host, in the order of the sections. */
export function listSettings(facts: SettingsFacts): readonly Setting[] {
  // Settings of a group come before those without.
  const fields = settingFields().toSorted(
    (one, other) => Number(one.name === null) - Number(other.name === null),
  )
  const all = [
    ...fields.map((field) => settingOf(field, facts)),
    ...connectionSettings(facts),
    ...secretSettings(facts),
    ...dataSettings(facts),
    ...accessSettings(facts),
    ...aboutSettings(facts),
  ].filter((setting) => setting !== false)
  return settingsSections.flatMap((section) => {
    const sectionSettings = all.filter((setting) => setting.section === section)
    return [...Map.groupBy(sectionSettings, ({ group }) => group).values()].flat()
  })
}

/** Returns the settings that contain each word of the search in any of their texts. */
export function matchingSettings(settings: readonly Setting[], search: string): readonly Setting[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return settings.filter(({ name, hint = '', cli, words: moreWords = '', section, group = '' }) => {
    const text = `${name} ${hint} ${cli} ${moreWords} ${section} ${group}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

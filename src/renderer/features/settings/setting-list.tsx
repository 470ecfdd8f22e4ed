/** Every setting: its section, name, command-line name and control. The screen shows a section of them, or those a search finds. */
import type { ReactNode } from 'react'
import { BODY_LIMITS, portIn, type PortName } from '../../../shared/model/settings.ts'
import { shellWord } from '../../../shared/snippets/curl.ts'
import { keyLines } from '../../state/key-map.ts'
import type { AppState } from '../../state/store.ts'
import { keyCaps } from '../../ui/keys.tsx'
import { TourOffer } from '../tour/index.ts'
import { EnvironmentList } from './environments-section.tsx'
import {
  binarySize,
  BodyLimit,
  CurrentHandler,
  DesktopSetting,
  DiagnosticsButton,
  CopiedFact,
  PortField,
  PreferenceSwitch,
  ThemeChoice,
  PublicUrl,
  TransferButton,
  UpdatesButton,
  SecretStorage,
  WhenClosed,
} from './setting-controls.tsx'
import { ShortcutTable } from './shortcut-table.tsx'
import type { SettingsSection } from '../../state/routes.ts'
import { KeepingLimits, StorageSizes } from './storage-section.tsx'

export interface Setting {
  /** Unique. */
  readonly name: string
  readonly section: SettingsSection
  readonly group?: string
  readonly hint?: string
  /** What the command line accepts for it, without `countersign`. */
  readonly cli: string
  /** More words that a search finds. */
  readonly words?: string
  /** The control takes the whole width, below the text. */
  readonly isWide?: true
  readonly control: ReactNode
}

const notifications = [
  [
    'notifyInvalid',
    'Invalid signature',
    "A delivery's signature doesn't match its hook's secret.",
    'notify-invalid',
  ],
  [
    'notifyHandler',
    'Handler failing',
    'A forward target stops acknowledging deliveries.',
    'notify-handler',
  ],
  ['notifyFlow', 'Flow failed', 'A flow run ends with a failed step.', 'notify-flow'],
] as const

/** What the settings' texts show. */
type SettingsFacts = Pick<AppState['core'], 'status' | 'settings' | 'handlers'> &
  Pick<AppState['settings'], 'isDesktop'> &
  Pick<AppState['preferences'], 'theme' | 'wrap' | 'singleKeys'>

/** All settings of this host, in the order of the sections. */
export function listSettings(facts: SettingsFacts): readonly Setting[] {
  const { status, settings, handlers, isDesktop, theme, wrap, singleKeys } = facts
  const port = (
    name: PortName,
    label: string,
    hint: string,
    option: string,
    words: string,
  ): Setting => ({
    section: 'receiver',
    group: 'Ports',
    name: label,
    hint,
    cli: `settings --${option} ${portIn(settings.ports, name) ?? 'off'}`,
    words: `${words} serve --${option} listen`,
    control: <PortField name={name} label={label} />,
  })
  const onOff = (on: boolean) => (on ? 'on' : 'off')
  const chosen = handlers.find(({ current }) => current)
  const all: readonly (Setting | false)[] = [
    {
      section: 'environments',
      name: 'Service accounts',
      hint: 'Each has a mode, a base URL and credentials.',
      cli: 'environments add | update | use | remove',
      words: 'environment key secret bearer token prefix proxy timeout acknowledge live test',
      isWide: true,
      control: <EnvironmentList />,
    },
    port(
      'receiver',
      'HTTPS port',
      `The receiver listens on ${status?.receiver.url ?? 'no port yet'}.`,
      'receiver-port',
      'receiver',
    ),
    port(
      'receiverHttp',
      'HTTP port',
      'For tunnels that need plain HTTP. Leave it empty to turn it off.',
      'receiver-http-port',
      'tunnel',
    ),
    port(
      'sandbox',
      'Sandbox port',
      `The sandbox listens on ${status?.sandbox ?? 'no port yet'}.`,
      'sandbox-port',
      'service',
    ),
    !isDesktop &&
      port('ui', 'App port', 'Opens Countersign in the browser.', 'ui-port', 'window browser'),
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
      section: 'receiver',
      group: 'Capture',
      name: 'Body size limit',
      hint: 'Larger bodies get a 413. The start is kept and the signature is still checked.',
      cli: `settings --body-limit ${binarySize(settings.bodyLimit, '')}`,
      words: `largest maximum ${binarySize(BODY_LIMITS.most)}`,
      control: <BodyLimit />,
    },
    {
      section: 'handlers',
      name: 'Current handler',
      hint: 'Where Replay sends deliveries. The first saved handler becomes current.',
      cli: `handlers use ${chosen?.name ?? 'NAME'}`,
      words: 'endpoint default',
      control: <CurrentHandler />,
    },
    {
      section: 'appearance',
      name: 'Theme',
      cli: `settings --theme ${theme}`,
      words: 'color dark light system',
      control: <ThemeChoice />,
    },
    {
      section: 'appearance',
      name: 'Wrap long lines',
      hint: 'In bodies and raw requests',
      cli: `settings --wrap ${onOff(wrap)}`,
      control: <PreferenceSwitch name="wrap" label="Wrap long lines" />,
    },
    {
      section: 'keyboard',
      name: 'Single-key shortcuts',
      hint: 'Keys such as j and o, without Ctrl or ⌘. Off while you type.',
      cli: `settings --single-keys ${onOff(singleKeys)}`,
      words: keyLines
        .map(
          ({ meaning, keys }) =>
            `${meaning} ${keys.flatMap((one) => [one, ...keyCaps(one)]).join(' ')}`,
        )
        .join(' '),
      isWide: true,
      control: (
        <>
          <PreferenceSwitch name="singleKeys" label="Single-key shortcuts" />
          <ShortcutTable />
        </>
      ),
    },
    isDesktop && {
      section: 'desktop',
      name: 'When the window closes',
      hint: 'If you keep capturing, open the window again from the tray.',
      cli: `settings --on-close ${settings.desktop.onClose}`,
      control: <WhenClosed />,
    },
    ...notifications.map(
      ([name, label, hint, option]): Setting | false =>
        isDesktop && {
          section: 'desktop',
          group: 'Notifications while the window is in the background',
          name: label,
          hint,
          cli: `settings --${option} ${onOff(settings.desktop[name])}`,
          control: <DesktopSetting name={name} label={`Notify: ${label}`} />,
        },
    ),
    isDesktop && {
      section: 'desktop',
      group: 'Updates',
      name: 'Check for updates',
      hint: "At the start and once a day, only from the app's update server. Sends your operating system, but no ID and no version.",
      cli: `settings --check-updates ${onOff(settings.desktop.checkUpdates)}`,
      control: <DesktopSetting name="checkUpdates" label="Check for updates once a day" />,
    },
    {
      section: 'secrets',
      name: 'Secret storage',
      cli: 'doctor',
      words: 'vault keyring encryption',
      isWide: true,
      control: <SecretStorage />,
    },
    status !== null && {
      section: 'secrets',
      name: 'Local CA',
      hint: "Valid for this computer only. Give it to clients, but don't add it to the system's trust store.",
      cli: 'doctor',
      words: 'certificate tls https',
      isWide: true,
      control: <CopiedFact text={status.caFile} label="certificate path" file="ca" />,
    },
    status !== null && {
      section: 'secrets',
      name: 'curl command',
      hint: 'Trusts the local CA.',
      words: 'certificate',
      cli: 'sign --secret S --url U',
      isWide: true,
      control: (
        <CopiedFact
          text={`curl -sS --cacert ${shellWord(status.caFile)} ${status.receiver.url ?? ''}`}
          label="curl command"
        />
      ),
    },
    status !== null && {
      section: 'storage',
      name: 'Data folder',
      hint: status.store.problem ?? `${status.store.deliveries.toLocaleString('en')} deliveries`,
      cli: 'serve --data DIR',
      words: 'database path',
      isWide: true,
      control: <CopiedFact text={status.dataFolder} label="data folder" file="data" />,
    },
    {
      section: 'storage',
      name: 'Space used',
      cli: 'doctor --vacuum',
      words: 'disk size database search index log',
      isWide: true,
      control: <StorageSizes />,
    },
    {
      section: 'retention',
      name: 'Limits',
      cli: 'settings --keep-days N --keep-deliveries N --keep-size SIZE',
      words: 'delete old days size keep',
      isWide: true,
      control: <KeepingLimits />,
    },
    {
      section: 'transfer',
      name: 'Export deliveries',
      hint: 'JSON Lines, HAR or cURL, with secrets masked unless you include them.',
      cli: 'export [QUERY] --format jsonl',
      words: 'har curl share include secrets',
      control: <TransferButton what="export" />,
    },
    {
      section: 'transfer',
      name: 'Import deliveries',
      hint: 'From an export or a HAR file.',
      cli: 'import FILE',
      control: <TransferButton what="import" />,
    },
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
      hint: 'For containers and port forwarding.',
      cli: 'serve --allow-ui-host HOST:PORT',
      words: 'docker origin',
      control: null,
    },
    status !== null && {
      section: 'about',
      name: `Countersign ${status.version}`,
      hint: `${status.host === 'electron' ? 'Desktop app' : 'Browser app'}, process ${status.pid}`,
      cli: '--version',
      words: 'version',
      control: isDesktop ? <UpdatesButton /> : null,
    },
    {
      section: 'about',
      name: 'Diagnostics',
      hint: 'A file for bug reports, without secrets or deliveries',
      cli: 'doctor --json',
      words: 'bug report log',
      control: <DiagnosticsButton />,
    },
    {
      section: 'about',
      name: 'Quick tour',
      hint: 'From a first sample to a flow, in five steps',
      cli: 'flow run purchase-visa',
      words: 'help start',
      control: <TourOffer />,
    },
  ]
  return all.filter((setting) => setting !== false)
}

/** The settings that contain each word of the search, in any of their texts. */
export function foundSettings(settings: readonly Setting[], search: string): readonly Setting[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return settings.filter(({ name, hint = '', cli, words: more = '', section, group = '' }) => {
    const text = `${name} ${hint} ${cli} ${more} ${section} ${group}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

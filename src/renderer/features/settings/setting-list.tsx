/** Every setting: its section, name, command-line name and control. The screen shows a section of them, or those a search finds. */
import { type ReactNode, useState } from 'react'
import {
  type PortName,
  portIn,
  type SettingField,
  settingFields,
  settingIn,
  type Theme,
  withSetting,
} from '../../../shared/model/settings.ts'
import { shellWord } from '../../../shared/snippets/curl.ts'
import { type KeyScope, keyLines } from '../../ui-state/key-map.ts'
import type { AppState } from '../../ui-state/store.ts'
import { Keys, keyCaps } from '../../ui/keys.tsx'
import { TourOffer } from '../tour/index.ts'
import { ConsentList } from './consent-list.tsx'
import { EnvironmentList } from './environments-section.tsx'
import { type SettingsSection, settingsSections } from '../../ui-state/routes.ts'
import { KeepingLimits, StorageSizes } from './storage-section.tsx'
import { FolderOpen, ShieldAlert, ShieldCheck } from 'lucide-react'
import { useApp, useAppParts, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { CheckField, Select, controlStyle } from '../../ui/field.tsx'
import { Segments } from '../../ui/segments.tsx'

export interface Setting {
  /** Unique. */
  readonly name: string
  readonly section: SettingsSection
  readonly group?: string
  readonly hint?: string | undefined
  /** What the command line accepts for it, without `countersign`. */
  readonly cli: string
  /** More words that a search finds. */
  readonly words?: string
  /** The control takes the whole width, below the text. */
  readonly isWide?: true
  readonly control: ReactNode
  readonly below?: ReactNode
}

/** Settings that the window keeps too. */
type WindowChoice = 'theme' | 'wrap' | 'singleKeys'

/** What the settings' texts show. */
type SettingsFacts = Pick<AppState['core'], 'status' | 'settings' | 'handlers'> &
  Pick<AppState['settings'], 'isDesktop'> &
  Pick<AppState['preferences'], WindowChoice>

/** What a setting of the data folder has besides its words. */
const extras: Readonly<Record<string, Partial<Setting>>> = {
  bodyLimit: { control: <BodyLimit /> },
  singleKeys: {
    words: keyLines
      .map(
        ({ meaning, keys }) =>
          `${meaning} ${keys.flatMap((one) => [one, ...keyCaps(one)]).join(' ')}`,
      )
      .join(' '),
    isWide: true,
    below: <ShortcutTable />,
  },
}

/** A setting of the data folder; false if this host doesn't have it, or the screen shows it otherwise. */
function settingOf(field: SettingField, facts: SettingsFacts): Setting | false {
  const { group, name, words } = field
  const { status, settings, isDesktop } = facts
  if (words.screen === undefined || (words.screen.host ?? hostOf(isDesktop)) !== hostOf(isDesktop))
    return false
  const { title, hint, label = title, choices = {}, ...its } = words.screen
  const port = group === 'ports' ? (name as PortName) : null
  // The window has chosen where the data folder hasn't.
  const value =
    port !== null
      ? (portIn(settings.ports, port) ?? 'off')
      : group === 'window'
        ? facts[name as WindowChoice]
        : settingIn(settings, field)
  const word = typeof value === 'boolean' ? (value ? 'on' : 'off') : value
  const isSize = words.unit?.[0] === 'byte'
  const url = port === 'receiver' ? status?.receiver.url : status?.sandbox
  return {
    ...its,
    name: title,
    hint: hint?.replace('{url}', url ?? 'no port yet'),
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

/** All settings of this host, in the order of the sections. */
export function listSettings(facts: SettingsFacts): readonly Setting[] {
  const { status, handlers, isDesktop } = facts
  const chosen = handlers.find(({ current }) => current)
  const others: readonly (Setting | false)[] = [
    {
      section: 'environments',
      name: 'Service accounts',
      hint: 'Each has a mode, a base URL and credentials.',
      cli: 'environments add | update | use | remove',
      words: 'environment key secret bearer token prefix proxy timeout acknowledge live test',
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
      cli: `handlers use ${chosen?.name ?? 'NAME'}`,
      words: 'endpoint default',
      control: <CurrentHandler />,
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
    {
      section: 'safety',
      name: 'Allowed hosts and live environments',
      hint: 'Countersign asks once for each. Changing the URL of an environment or handler revokes it.',
      cli: 'settings --forget-consent',
      words: 'consent confirm remote live revoke',
      isWide: true,
      control: <ConsentList />,
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
    !isDesktop && {
      section: 'remote',
      name: 'Signed-in browsers',
      hint: 'A browser stays signed in when Countersign restarts.',
      cli: 'open --sign-out',
      control: <SignOutButton />,
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
  // Settings of a group come before those without.
  const fields = settingFields().toSorted(
    (one, other) => Number(one.name === null) - Number(other.name === null),
  )
  const all = [...fields.map((field) => settingOf(field, facts)), ...others].filter(
    (setting) => setting !== false,
  )
  return settingsSections.flatMap((section) => {
    const its = all.filter((setting) => setting.section === section)
    return [...Map.groupBy(its, ({ group }) => group).values()].flat()
  })
}

/** The settings that contain each word of the search, in any of their texts. */
export function foundSettings(settings: readonly Setting[], search: string): readonly Setting[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return settings.filter(({ name, hint = '', cli, words: more = '', section, group = '' }) => {
    const text = `${name} ${hint} ${cli} ${more} ${section} ${group}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

// The controls of the Settings screen that are a field, a switch or a button.

const MIB = 1_048_576
const OFFERED = [1, 10, 25, 50, 100].map((size) => size * MIB)

/** A size in the units of the limits, as the command line reads it. */
export function binarySize(bytes: number, space = ' '): string {
  return bytes >= MIB
    ? `${Number((bytes / MIB).toFixed(1))}${space}MiB`
    : `${Number((bytes / 1_024).toFixed(1))}${space}KiB`
}

/** The body size limit: some common sizes, plus the current one. */
export function BodyLimit() {
  const { bodyLimit, change } = useAppParts((state) => ({
    bodyLimit: state.core.settings.bodyLimit,
    change: state.settings.change,
  }))
  const sizes = [...new Set([...OFFERED, bodyLimit])].toSorted((a, b) => a - b)
  return (
    <Segments
      label="Body size limit"
      options={sizes.map((size) => ({ value: String(size), label: binarySize(size) }))}
      value={String(bodyLimit)}
      onChange={(value) => void change({ bodyLimit: Number(value) })}
    />
  )
}

function listeningPort(state: AppState, name: PortName): number | null {
  const { status } = state.core
  const url = {
    receiver: status?.receiver.url,
    receiverHttp: status?.receiver.httpUrl,
    sandbox: status?.sandbox,
    ui: state.settings.isDesktop ? null : location.origin,
  }[name]
  return url == null ? null : Number(new URL(url).port)
}

/** A port: saved on Enter or when the field loses the focus. */
export function PortField({ name, label }: { readonly name: PortName; readonly label: string }) {
  const { ports, actual, isChanged, setPort } = useAppParts((state) => ({
    ports: state.core.settings.ports,
    actual: listeningPort(state, name),
    isChanged: state.settings.changedPorts.includes(name),
    setPort: state.settings.setPort,
  }))
  const [draft, setDraft] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const usual = portIn({ ...ports, [name]: null }, name)
  const wanted = portIn(ports, name)
  const save = async () => {
    if (draft === null) return
    const text = draft.trim()
    const port = text === '' ? null : Number(text)
    if (port !== null && !(/^\d+$/.test(text) && port >= 1 && port <= 65_535)) {
      setProblem('Enter a port from 1 to 65535, or leave it empty.')
      return
    }
    const outcome = port === ports[name] ? null : await setPort(name, port)
    setProblem(outcome?.ok === false ? (outcome.problem?.message ?? null) : null)
    if (outcome?.ok !== false) setDraft(null)
  }
  const needsRestart = (isChanged || ports[name] !== null) && actual !== wanted
  const note = `port-${name}`
  return (
    <div className="flex max-w-72 flex-col items-end gap-1 text-right">
      <input
        aria-label={label}
        aria-describedby={note}
        aria-invalid={problem !== null}
        inputMode="numeric"
        autoComplete="off"
        placeholder={usual === null ? 'Off' : String(usual)}
        value={draft ?? ports[name]?.toString() ?? ''}
        onChange={(event) => setDraft(event.currentTarget.value)}
        onBlur={() => void save()}
        onKeyDown={(event) => {
          if (event.key === 'Enter') void save()
        }}
        className={`${controlStyle} data w-[88px]! text-right`}
      />
      <p id={note} role="status" className="text-small text-balance empty:hidden">
        {problem !== null ? (
          <span className="text-bad">{problem}</span>
        ) : needsRestart ? (
          <span className="text-warn">
            {wanted === null
              ? 'Restart Countersign to turn it off.'
              : `Restart Countersign to use port ${wanted}.`}
          </span>
        ) : null}
      </p>
    </div>
  )
}

export function PublicUrl() {
  const { url, openOverlay } = useAppParts((state) => ({
    url: state.core.status?.receiver.publicUrl ?? null,
    openOverlay: state.navigation.openOverlay,
  }))
  return (
    <span className="flex min-w-0 items-center gap-3">
      <span className="data min-w-0 truncate text-muted" title={url ?? ''}>
        {url ?? 'Not set'}
      </span>
      <Button onClick={() => openOverlay('public-address')}>
        {url === null ? 'Set public URL…' : 'Change public URL…'}
      </Button>
    </span>
  )
}

export function CurrentHandler() {
  const { handlers, makeCurrent, edit } = useAppParts((state) => ({
    handlers: state.core.handlers,
    makeCurrent: state.handlers.use,
    edit: state.handlers.edit,
  }))
  if (handlers.length === 0) return <Button onClick={() => edit({})}>Add handler…</Button>
  return (
    <Select
      aria-label="Current handler"
      data
      className="w-44!"
      choices={[
        ...(handlers.some(({ current }) => current) ? [] : [{ value: '', label: 'None' }]),
        ...handlers.map((handler) => ({ value: handler.id, label: handlerRef(handler) })),
      ]}
      value={handlers.find(({ current }) => current)?.id ?? ''}
      onChange={(id) => {
        if (id !== '') void makeCurrent(id)
      }}
    />
  )
}

/** A setting that is on or off, or has a few choices. */
function ValueControl({
  field,
  label,
  value,
  choices,
}: {
  readonly field: SettingField
  readonly label: string
  readonly value: unknown
  readonly choices: Readonly<Record<string, string>>
}) {
  const { change, choose } = useAppParts((state) => ({
    change: state.settings.change,
    choose: state.preferences.set,
  }))
  const set = (next: boolean | string) => {
    if (field.group === 'window') choose(field.name as WindowChoice, next as boolean | Theme)
    else void change(withSetting({}, field, next))
  }
  return typeof value === 'boolean' ? (
    <CheckField label={label} checked={value} onChange={set} />
  ) : (
    <Segments
      label={label}
      options={Object.entries(choices).map(([choice, name]) => ({ value: choice, label: name }))}
      value={String(value)}
      onChange={set}
    />
  )
}

/** A fact to copy, and to show in the file manager if it is a file. */
export function CopiedFact({
  text,
  label,
  file,
}: {
  readonly text: string
  readonly label: string
  readonly file?: 'data' | 'ca'
}) {
  const { canShowInFolder, showInFolder } = useParts('settings', 'canShowInFolder', 'showInFolder')
  return (
    <div className="flex items-center gap-2">
      <span className="data min-w-0 flex-1 wrap-anywhere">{text}</span>
      <CopyButton text={text} label={`Copy ${label}`} />
      {file !== undefined && canShowInFolder && (
        <Button
          icon={FolderOpen}
          aria-label={`Show ${label} in folder`}
          onClick={() => void showInFolder(file)}
        >
          Show in folder
        </Button>
      )}
    </div>
  )
}

export function SecretStorage() {
  const vault = useApp((state) => state.core.status?.vault)
  if (vault === undefined) return null
  return (
    <p className="flex items-start gap-2">
      {vault.protected ? (
        <ShieldCheck size={16} className="mt-0.5 shrink-0 text-ok" />
      ) : (
        <ShieldAlert size={16} className="mt-0.5 shrink-0 text-warn" />
      )}
      <span className="min-w-0">
        <span className="font-medium">
          {vault.protected
            ? 'Encrypted by the system'
            : 'Other programs of this user can read them'}
        </span>
        <span className="block text-muted wrap-anywhere">{vault.message}</span>
      </span>
    </p>
  )
}

export function TransferButton({ what }: { readonly what: 'export' | 'import' }) {
  const { openExport, openImport } = useAppParts((state) => ({
    openExport: state.exporting.open,
    openImport: state.importing.open,
  }))
  return (
    <Button
      onClick={() => {
        if (what === 'import') openImport()
        else openExport({ query: '', seqs: null })
      }}
    >
      {what === 'import' ? 'Import…' : 'Export…'}
    </Button>
  )
}

export function UpdatesButton() {
  const openUpdates = useApp((state) => state.settings.openUpdates)
  return <Button onClick={() => void openUpdates()}>Check for updates…</Button>
}

export function DiagnosticsButton() {
  const saveDiagnostics = useApp((state) => state.settings.saveDiagnostics)
  return <Button onClick={() => void saveDiagnostics()}>Save diagnostics…</Button>
}

export function SignOutButton() {
  const signOutOthers = useApp((state) => state.settings.signOutOthers)
  return <Button onClick={() => void signOutOthers()}>Sign out other browsers</Button>
}

// Keyboard shortcuts by context. Keys with the same action share a line.

const keyHeadings: Readonly<Record<KeyScope, string>> = {
  everywhere: 'Everywhere',
  list: 'Delivery list',
  detail: 'Delivery details',
  compare: 'Comparison',
  flows: 'Flow',
  sandbox: 'Sandbox',
  composer: 'Replay composer',
}

export function ShortcutTable() {
  return (
    <div className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
      {(Object.keys(keyHeadings) as KeyScope[]).map((scope) => (
        <section key={scope} className={scope === 'everywhere' ? 'sm:row-span-2' : ''}>
          <h3 className="mb-1 text-small font-medium text-subtle">{keyHeadings[scope]}</h3>
          <dl>
            {keyLines
              .filter((line) => line.scope === scope)
              .map(({ action, meaning, keys }) => (
                <div
                  key={action}
                  className="flex min-h-7 items-center gap-3 border-t border-line/50 py-0.5"
                >
                  <dt className="min-w-0 flex-1">{meaning}</dt>
                  <dd className="flex shrink-0 items-center gap-2">
                    {keys.map((one) => (
                      <span key={one}>
                        <span className="sr-only">{one}</span>
                        <Keys keys={one} />
                      </span>
                    ))}
                  </dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
    </div>
  )
}

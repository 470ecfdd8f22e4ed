/** The Settings screen, with facts about this instance. */
import { FolderOpen, ShieldAlert, ShieldCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { shellWord } from '../../../shared/snippets/curl.ts'
import { useApp, useAppParts, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Segments } from '../../ui/segments.tsx'
import { TourOffer } from '../tour/index.ts'
import { EnvironmentList } from './environments-section.tsx'
import { ShortcutTable } from './shortcut-table.tsx'
import { KeepingLimits, StorageSizes } from './storage-section.tsx'

const MIB = 1_048_576
const OFFERED = [1, 10, 25, 50, 100].map((size) => size * MIB)

/** A size in the units of the limits. */
function binarySize(bytes: number): string {
  return bytes >= MIB ? `${Number((bytes / MIB).toFixed(1))} MiB` : `${Number((bytes / 1_024).toFixed(1))} KiB`
}

/** The body size limit: some common sizes, plus the current one. */
function BodyLimit() {
  const { bodyLimit, changeSettings } = useAppParts((state) => ({
    bodyLimit: state.core.settings.bodyLimit,
    changeSettings: state.settings.change,
  }))
  const sizes = [...new Set([...OFFERED, bodyLimit])].toSorted((a, b) => a - b)
  return (
    <Segments
      label="Body size limit"
      options={sizes.map((size) => ({ value: String(size), label: binarySize(size) }))}
      value={String(bodyLimit)}
      onChange={(value) => {
        void changeSettings({ bodyLimit: Number(value) })
      }}
    />
  )
}

const themes = [
  { value: 'system', label: 'System' },
  { value: 'dark', label: 'Dark' },
  { value: 'light', label: 'Light' },
] as const
const densities = [
  { value: 'compact', label: 'Compact' },
  { value: 'comfortable', label: 'Comfortable' },
] as const

export function SettingsScreen() {
  return (
    <section aria-label="Settings" className="flex h-full flex-col bg-ground" data-pane="settings">
      <header className="window-drag flex h-11 shrink-0 items-center border-b border-line bg-surface px-4">
        <h1 className="text-title font-medium">Settings</h1>
      </header>
      {/* Positioned, because otherwise text for screen readers would make the page longer than the window. */}
      <div className="relative min-h-0 flex-1 overflow-auto" tabIndex={0} role="region" aria-label="All settings">
        <div className="max-w-[880px] px-6 pb-12">
          <Section title="Environments">
            <EnvironmentList />
          </Section>
          <Section title="Capture">
            <Setting name="Body size limit" hint="Larger bodies get a 413. The start is kept and the signature is still checked.">
              <BodyLimit />
            </Setting>
          </Section>
          <Appearance />
          <Desktop />
          <Instance />
          <Keyboard />
          <About />
        </div>
      </div>
    </section>
  )
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="grid grid-cols-[160px_minmax(0,1fr)] gap-x-6 border-b border-line py-5">
      <h2 className="font-medium">{title}</h2>
      <div className="flex min-w-0 flex-col gap-3">{children}</div>
    </section>
  )
}

function Setting({ name, hint, children }: { readonly name: string; readonly hint?: string; readonly children: ReactNode }) {
  return (
    <div className="flex min-h-7 items-center gap-4">
      <div className="min-w-0 flex-1">
        <p>{name}</p>
        {hint !== undefined && <p className="text-small text-subtle">{hint}</p>}
      </div>
      {children}
    </div>
  )
}

function Appearance() {
  const { theme, density, set: setPreference } = useParts('preferences', 'theme', 'density', 'set')
  return (
    <Section title="Appearance">
      <Setting name="Theme">
        <Segments
          label="Theme"
          options={themes}
          value={theme}
          onChange={(value) => {
            setPreference('theme', value)
          }}
        />
      </Setting>
      <Setting name="Rows" hint="28 or 36 pixels high">
        <Segments
          label="Rows"
          options={densities}
          value={density}
          onChange={(value) => {
            setPreference('density', value)
          }}
        />
      </Setting>
    </Section>
  )
}

const closings = [
  { value: 'ask', label: 'Ask' },
  { value: 'background', label: 'Keep capturing' },
  { value: 'quit', label: 'Quit' },
] as const

const notifications = [
  { setting: 'notifyInvalid', name: 'Invalid signature', hint: "A delivery's signature doesn't match its hook's secret." },
  { setting: 'notifyHandler', name: 'Handler failing', hint: 'A forward target stops acknowledging deliveries.' },
  { setting: 'notifyFlow', name: 'Flow failed', hint: 'A flow run ends with a failed step.' },
] as const

/** Settings of the desktop app; hidden in a browser. */
function Desktop() {
  const { isDesktop, desktop, change } = useAppParts((state) => ({
    isDesktop: state.settings.isDesktop,
    desktop: state.core.settings.desktop,
    change: state.settings.change,
  }))
  if (!isDesktop) return null
  return (
    <Section title="Desktop">
      <Setting name="When the window closes" hint="If you keep capturing, open the window again from the tray.">
        <Segments
          label="When the window closes"
          options={closings}
          value={desktop.onClose}
          onChange={(onClose) => {
            void change({ desktop: { onClose } })
          }}
        />
      </Setting>
      <p className="mt-2 text-small text-subtle">Notifications while the window is in the background</p>
      {notifications.map(({ setting, name, hint }) => (
        <Setting key={setting} name={name} hint={hint}>
          <input
            type="checkbox"
            aria-label={`Notify: ${name}`}
            checked={desktop[setting]}
            onChange={(event) => {
              void change({ desktop: { [setting]: event.currentTarget.checked } })
            }}
            className="size-4 accent-(--accent-solid)"
          />
        </Setting>
      ))}
      <Setting
        name="Check for updates"
        hint="Once a day, only from the app's update server. It learns your system, never an ID or the version you use."
      >
        <input
          type="checkbox"
          aria-label="Check for updates once a day"
          checked={desktop.checkUpdates}
          onChange={(event) => {
            void change({ desktop: { checkUpdates: event.currentTarget.checked } })
          }}
          className="size-4 accent-(--accent-solid)"
        />
      </Setting>
    </Section>
  )
}

function Keyboard() {
  const { singleKeys, set: setPreference } = useParts('preferences', 'singleKeys', 'set')
  return (
    <Section title="Keyboard">
      <Setting name="Single-key shortcuts" hint="Keys such as j and o, without Ctrl or ⌘. Off while you type.">
        <input
          type="checkbox"
          aria-label="Single-key shortcuts"
          checked={singleKeys}
          onChange={(event) => {
            setPreference('singleKeys', event.currentTarget.checked)
          }}
          className="size-4 accent-(--accent-solid)"
        />
      </Setting>
      <ShortcutTable />
    </Section>
  )
}

function Row({
  name,
  value,
  note,
  children,
}: {
  readonly name: string
  readonly value: ReactNode
  readonly note?: ReactNode
  readonly children?: ReactNode
}) {
  return (
    <div className="flex items-start gap-4">
      <span className="w-32 shrink-0 text-muted">{name}</span>
      <div className="min-w-0 flex-1">
        <p className="wrap-anywhere">{value}</p>
        {note !== undefined && <p className="text-small text-subtle wrap-anywhere">{note}</p>}
      </div>
      {children}
    </div>
  )
}

function ShowInFolder({ what, label }: { readonly what: 'data' | 'ca'; readonly label: string }) {
  const { canShowInFolder: can, showInFolder: show } = useParts('settings', 'canShowInFolder', 'showInFolder')
  if (!can) return null
  return (
    <Button icon={<FolderOpen size={13} aria-hidden />} aria-label={label} onClick={() => void show(what)}>
      Show in folder
    </Button>
  )
}

function Instance() {
  const status = useApp((state) => state.core.status)
  if (status === null) return null
  const curl = `curl -sS --cacert ${shellWord(status.caFile)} ${status.receiver.url ?? ''}`
  return (
    <>
      <Section title="Storage">
        <Row name="Data folder" value={<span className="data">{status.dataFolder}</span>}>
          <CopyButton text={status.dataFolder} label="Copy data folder" />
          <ShowInFolder what="data" label="Show data in folder" />
        </Row>
        <Row name="Deliveries" value={status.store.deliveries.toLocaleString('en')} />
        {status.store.problem !== null && <Row name="Problem" value={status.store.problem} />}
        <StorageSizes />
      </Section>
      <Section title="Retention">
        <KeepingLimits />
      </Section>
      <Section title="Secrets">
        <p className="flex items-start gap-2">
          {status.vault.protected ? (
            <ShieldCheck size={16} aria-hidden className="mt-0.5 shrink-0 text-ok" />
          ) : (
            <ShieldAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-warn" />
          )}
          <span className="min-w-0">
            <span className="font-medium">
              {status.vault.protected ? 'Protected by the system' : 'Readable by other programs of this user'}
            </span>
            <span className="block text-muted wrap-anywhere">{status.vault.message}</span>
          </span>
        </p>
      </Section>
      <Section title="Certificate">
        <Row
          name="Local CA"
          value={<span className="data">{status.caFile}</span>}
          note="Valid for this computer only. Give it to clients, but don't add it to the system's trust store."
        >
          <CopyButton text={status.caFile} label="Copy certificate path" />
          <ShowInFolder what="ca" label="Show certificate in folder" />
        </Row>
        <Row name="curl" value={<span className="data">{curl}</span>}>
          <CopyButton text={curl} label="Copy curl command" />
        </Row>
      </Section>
    </>
  )
}

function About() {
  const status = useApp((state) => state.core.status)
  const { isDesktop, openUpdates, saveDiagnostics } = useParts('settings', 'isDesktop', 'openUpdates', 'saveDiagnostics')
  if (status === null) return null
  return (
    <Section title="About">
      <Row name="Version" value={`Countersign ${status.version}`} />
      <Row name="Running as" value={status.host === 'electron' ? 'Desktop app' : 'Browser app'} note={`Process ${status.pid}`} />
      {status.sandbox !== null && (
        <Row name="Sandbox" value={<span className="data">{status.sandbox}</span>} note="Emulates the service on this computer" />
      )}
      {isDesktop && (
        <Row name="Updates" value="Nothing is downloaded or installed without your choice">
          <Button onClick={() => void openUpdates()}>Check for updates…</Button>
        </Row>
      )}
      <Row name="Diagnostics" value="A file for bug reports, without secrets or deliveries">
        <Button onClick={() => void saveDiagnostics()}>Save diagnostics…</Button>
      </Row>
      <Row name="Quick tour" value="From zero to a verified purchase, in the sandbox">
        <TourOffer />
      </Row>
    </Section>
  )
}

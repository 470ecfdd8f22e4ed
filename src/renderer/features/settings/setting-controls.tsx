/** The controls of the Settings screen that are a field, a switch or a button. */
import { FolderOpen, ShieldAlert, ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { portIn, type PortName } from '../../../shared/model/settings.ts'
import type { AppState } from '../../state/store.ts'
import { useApp, useAppParts, useParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { CheckField, controlLook, Select } from '../../ui/field.tsx'
import { Segments } from '../../ui/segments.tsx'

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

/** The port that this process listens on; null if it doesn't. */
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
    setProblem(outcome?.ok === false ? outcome.problem.message : null)
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
        className={`${controlLook} data w-[88px]! text-right`}
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

const themes = [
  { value: 'system', label: 'System' },
  { value: 'dark', label: 'Dark' },
  { value: 'light', label: 'Light' },
] as const

export function ThemeChoice() {
  const { theme, set } = useParts('preferences', 'theme', 'set')
  return (
    <Segments
      label="Theme"
      options={themes}
      value={theme}
      onChange={(next) => set('theme', next)}
    />
  )
}

export function PreferenceSwitch({
  name,
  label,
}: {
  readonly name: 'singleKeys' | 'wrap'
  readonly label: string
}) {
  const { on, set } = useAppParts((state) => ({
    on: state.preferences[name],
    set: state.preferences.set,
  }))
  return <CheckField label={label} checked={on} onChange={(next) => set(name, next)} />
}

type DesktopSwitch = 'notifyInvalid' | 'notifyHandler' | 'notifyFlow' | 'checkUpdates'

export function DesktopSetting({
  name,
  label,
}: {
  readonly name: DesktopSwitch
  readonly label: string
}) {
  const { on, change } = useAppParts((state) => ({
    on: state.core.settings.desktop[name],
    change: state.settings.change,
  }))
  return (
    <CheckField
      label={label}
      checked={on}
      onChange={(next) => void change({ desktop: { [name]: next } })}
    />
  )
}

export function WhenClosed() {
  const { onClose, change } = useAppParts((state) => ({
    onClose: state.core.settings.desktop.onClose,
    change: state.settings.change,
  }))
  return (
    <Segments
      label="When the window closes"
      options={[
        { value: 'ask', label: 'Ask' },
        { value: 'background', label: 'Keep capturing' },
        { value: 'quit', label: 'Quit' },
      ]}
      value={onClose}
      onChange={(next) => void change({ desktop: { onClose: next } })}
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
          icon={<FolderOpen size={13} aria-hidden />}
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
        <ShieldCheck size={16} aria-hidden className="mt-0.5 shrink-0 text-ok" />
      ) : (
        <ShieldAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-warn" />
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
        else openExport({ query: '', ids: null })
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

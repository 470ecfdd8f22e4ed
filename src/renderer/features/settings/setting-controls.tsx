/** The controls of the Settings screen that are a field, a switch or a button. */
import { createOutcome } from '../../../shared/model/outcomes.ts'
import { type SettingField, type Theme, withSetting } from '../../../shared/model/settings.ts'
import { FolderOpen } from 'lucide-react'
import type { AppState } from '../../ui-state/store.ts'
import { useApp, useAppParts, useAppStore, useParts } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { CheckField } from '../../ui/field.tsx'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Select } from '../../ui/select.tsx'

const MIB = 1_048_576

const OFFERED = [1, 10, 25, 50, 100].map((size) => size * MIB)

/** Returns a size in the units of the limits, as the command line reads it. */
export function binarySize(bytes: number, space = ' '): string {
  return bytes >= MIB
    ? `${Number((bytes / MIB).toFixed(1))}${space}MiB`
    : `${Number((bytes / 1_024).toFixed(1))}${space}KiB`
}

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

export function PublicUrl() {
  const { url, openOverlay } = useAppParts((state) => ({
    url: state.core.status?.receiver.publicUrl ?? null,
    openOverlay: state.navigation.openOverlay,
  }))
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-1">
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

/** Edits a setting that is on or off or has a few choices. */
export function ValueControl({
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
    <CheckField label={label} checked={value} onChange={set}>
      {value ? 'On' : 'Off'}
    </CheckField>
  ) : (
    <Segments
      label={label}
      options={Object.entries(choices).map(([choice, name]) => ({ value: choice, label: name }))}
      value={String(value)}
      onChange={set}
    />
  )
}

/** Shows a text to copy; a file can also be shown in the file manager. */
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
    <div className="flex min-h-7 items-center gap-2">
      <span className="data min-w-0 wrap-anywhere">{text}</span>
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
    <div className="pt-1">
      <OutcomeMark
        outcome={
          vault.protected
            ? createOutcome('pass', 'good', 'encrypted by the system')
            : createOutcome('warn', 'warn', 'other programs of this user can read them')
        }
      />
      <p className="text-small text-muted wrap-anywhere">{vault.message}</p>
    </div>
  )
}

/** Renders a button that runs an action of the state. */
export function ActionButton({
  label,
  run,
}: {
  readonly label: string
  readonly run: (state: AppState) => unknown
}) {
  const store = useAppStore()
  return <Button onClick={() => void run(store.getState())}>{label}</Button>
}

/** Settings that the window stores too. */
export type WindowChoice = 'theme' | 'wrap' | 'singleKeys'

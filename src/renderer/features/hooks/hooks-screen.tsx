/** The hooks that signatures are checked with: what each is for, where it stands, and its secret on demand. */
import { Download } from 'lucide-react'
import { useState } from 'react'
import type { Hook } from '../../../shared/model/hook.ts'
import { useAppParts } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { calendarDay, exactTime } from '../../ui/moment.ts'
import { visibleText } from '../../ui/visible-text.ts'

export function HooksScreen() {
  const { hooks, known, openOverlay } = useAppParts((state) => ({
    hooks: state.hooks,
    known: state.status !== null,
    openOverlay: state.openOverlay,
  }))
  const open = () => {
    openOverlay('import-hook')
  }
  return (
    <section aria-label="Hooks" className="flex h-full flex-col bg-ground" data-pane="hooks">
      <header className="window-drag flex h-11 shrink-0 items-center gap-3 border-b border-line bg-surface pr-3 pl-4">
        <h1 className="text-title font-medium">Hooks</h1>
        <span className="flex-1 text-small text-subtle tabular-nums">
          {known && hooks.length > 0 && (hooks.length === 1 ? '1 hook' : `${hooks.length} hooks`)}
        </span>
        <Button kind="primary" icon={<Download size={13} aria-hidden />} onClick={open}>
          Import a hook
        </Button>
      </header>
      {known && (hooks.length === 0 ? <NoHooks onImport={open} /> : <HookTable hooks={hooks} />)}
    </section>
  )
}

function NoHooks({ onImport }: { readonly onImport: () => void }) {
  return (
    <div className="px-8 pt-12">
      <h2 className="text-title font-medium">No hooks yet</h2>
      <p className="mt-1 max-w-[520px] text-muted">
        A hook is a URL registered for one event, with the secret that its deliveries are signed with. Import one that was made
        elsewhere, so that its signatures can be proved or explained.
      </p>
      <div className="mt-3">
        <Button kind="primary" onClick={onImport}>
          Import a hook…
        </Button>
      </div>
    </div>
  )
}

const statusWords: Readonly<Record<Hook['status'], { readonly word: string; readonly look: string; readonly meaning: string }>> =
  {
    active: { word: 'Active', look: 'text-ok', meaning: 'Its deliveries are expected here' },
    deleted: { word: 'Deleted', look: 'text-muted', meaning: 'Kept, so that old deliveries can still be verified' },
    gone: { word: 'Gone', look: 'text-warn', meaning: 'Deleted elsewhere, as the service said' },
    unconfirmed: { word: 'Unconfirmed', look: 'text-warn', meaning: 'The call that made it got no answer' },
  }

function HookTable({ hooks }: { readonly hooks: readonly Hook[] }) {
  return (
    <div className="min-h-0 flex-1 overflow-auto" tabIndex={0} role="region" aria-label="The hooks">
      <table className="w-full min-w-[760px] table-fixed border-collapse text-left">
        <colgroup>
          <col className="w-[208px]" />
          <col />
          <col className="w-[160px]" />
          <col className="w-[148px]" />
          <col className="w-[96px]" />
          <col className="w-[104px] max-[1000px]:w-0" />
        </colgroup>
        <thead>
          <tr className="sticky top-0 z-10 h-7 bg-surface text-tiny font-medium text-subtle shadow-[inset_0_-1px_0_var(--line)]">
            <th className="pl-4 font-medium">Event</th>
            <th className="font-medium whitespace-nowrap">Registered URL</th>
            <th className="font-medium">Environment</th>
            <th className="font-medium">Secret</th>
            <th className="font-medium">Status</th>
            <th className="pr-4 font-medium max-[1000px]:hidden">Added</th>
          </tr>
        </thead>
        <tbody>
          {hooks.map((hook) => (
            <HookRow key={hook.id} hook={hook} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function HookRow({ hook }: { readonly hook: Hook }) {
  const status = statusWords[hook.status]
  return (
    <tr className="h-9 border-b border-line/50 hover:bg-raised">
      <td className="data truncate pr-3 pl-4" title={visibleText(hook.event)}>
        {visibleText(hook.event)}
      </td>
      <td className="pr-3">
        <span className="flex items-center gap-1">
          <span className="data truncate text-muted" title={visibleText(hook.url)}>
            {visibleText(hook.url)}
          </span>
          <CopyButton text={hook.url} label="Copy the URL" />
        </span>
      </td>
      <td className="truncate pr-3">
        {hook.environment} <span className="text-subtle">{hook.mode}</span>
      </td>
      <td className="pr-3">
        <Secret hook={hook} />
      </td>
      <td className={`font-medium ${status.look}`} title={status.meaning}>
        {status.word}
      </td>
      <td className="truncate pr-4 text-muted max-[1000px]:hidden" title={exactTime(hook.createdAt)}>
        {calendarDay(hook.createdAt)}
      </td>
    </tr>
  )
}

/** The secret's last characters; the whole only on demand, and hidden again after ten seconds. */
const SHOWN_FOR_MS = 10_000

function Secret({ hook }: { readonly hook: Hook }) {
  const revealSecret = useAppParts((state) => ({ reveal: state.revealSecret })).reveal
  const [secret, setSecret] = useState<string | null>(null)
  if (hook.secretHint === null) return <span className="text-muted">cannot be opened here</span>
  const show = async () => {
    setSecret(await revealSecret(hook.id))
    setTimeout(() => {
      setSecret(null)
    }, SHOWN_FOR_MS)
  }
  return (
    <span className="flex items-center gap-1">
      <span className="data min-w-0 truncate text-muted" title={secret === null ? 'Its last characters' : visibleText(secret)}>
        {secret === null ? visibleText(hook.secretHint) : visibleText(secret)}
      </span>
      {secret === null && (
        <Button
          kind="quiet"
          className="h-6 px-1.5 text-small"
          aria-label={`Show the secret of ${hook.event}`}
          onClick={() => void show()}
        >
          Show
        </Button>
      )}
      <CopyButton text={() => revealSecret(hook.id)} label={`Copy the secret of ${hook.event}`} />
    </span>
  )
}

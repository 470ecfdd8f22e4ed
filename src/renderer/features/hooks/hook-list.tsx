/** The list of hooks. Arrow keys move between rows; Enter or a click selects one. */
import type { Hook } from '../../../shared/model/hook.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { MiddleTruncated } from '../../ui/exact-text.tsx'
import { focusRow } from '../../ui/focus-row.ts'
import { exactTime, ago, useNow } from '../../ui/moment.ts'
import { EnvironmentName, ModeMark } from '../../ui/outcome-mark.tsx'
import { EventLabel } from '../../ui/tinted-event.tsx'
import { eventColor } from '../../ui/verdict.tsx'
import { visibleText } from '../../ui/visible-text.ts'
import { useHookActivity, noActivity, HookStatus, failureCount } from './hook-facts.tsx'
import { useHookUrl } from './use-hook-url.ts'

export function HookTable({
  hooks,
  shownId,
}: {
  readonly hooks: readonly Hook[]
  readonly shownId: string | null
}) {
  return (
    <div
      className="@container min-h-0 flex-1 overflow-auto"
      tabIndex={-1}
      role="region"
      aria-label="Hook list"
    >
      <table className="w-full table-fixed border-collapse text-left">
        <thead>
          <tr className="sticky top-0 z-10 h-7 bg-surface text-tiny text-subtle shadow-[inset_0_-1px_0_var(--line)]">
            <th className="w-[124px] pl-4 font-medium @max-[480px]:w-16 @max-[420px]:w-14">
              Status
            </th>
            <th className="font-medium">Event and URL</th>
            <th className="w-[152px] font-medium @max-[480px]:w-14">
              <span className="@max-[480px]:hidden">Environment</span>
              <span className="hidden @max-[480px]:inline">Mode</span>
            </th>
            <th className="w-[100px] font-medium whitespace-nowrap @max-[560px]:hidden">
              Last delivery
            </th>
            <th
              className="w-[120px] pr-4 text-right font-medium whitespace-nowrap @max-[480px]:w-[116px] @max-[420px]:w-24 @max-[420px]:leading-3 @max-[420px]:whitespace-normal"
              title="Recent deliveries"
            >
              Not acknowledged
            </th>
          </tr>
        </thead>
        <tbody>
          {hooks.map((hook) => (
            <HookRow
              key={hook.id}
              hook={hook}
              shown={hook.id === shownId}
              isEntry={hook.id === (shownId ?? hooks[0]?.id)}
            />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function HookRow({
  hook,
  shown,
  isEntry,
}: {
  readonly hook: Hook
  readonly shown: boolean
  /** Whether the Tab key goes to this row. */
  readonly isEntry: boolean
}) {
  const select = useApp((state) => state.navigation.select)
  const shortUrl = useShortUrl(hook)
  const read = useHookActivity(hook).activity
  const activity = read ?? noActivity
  const [last] = activity.deliveries
  const show = () => select('hooks', { id: hook.id })
  return (
    <tr
      onClick={show}
      className={`h-11 border-b border-line/50 ${shown ? 'bg-selected shadow-[inset_2px_0_0_var(--accent)]' : 'hover:bg-raised'} ${hook.status === 'deleted' ? 'text-muted' : ''}`}
    >
      <td className="pl-4 @max-[480px]:overflow-hidden">
        <HookStatus hook={hook} />
      </td>
      <td className="overflow-hidden pr-4 leading-4">
        <button
          type="button"
          data-hook-row
          tabIndex={isEntry ? 0 : -1}
          aria-pressed={shown}
          onClick={show}
          onKeyDown={(event) => focusRow(event, '[data-hook-row]')?.click()}
          className={`block max-w-full rounded-small ${hook.status === 'deleted' ? '' : eventColor(hook.event)}`}
        >
          <EventLabel event={hook.event} />
        </button>
        <MiddleTruncated text={shortUrl} title={hook.url} tail={14} className="data text-subtle" />
      </td>
      <td className="overflow-hidden pr-3">
        <span className="@max-[480px]:hidden">
          <EnvironmentName name={hook.environment} mode={hook.mode} />
        </span>
        <span className="hidden @max-[480px]:inline" title={visibleText(hook.environment)}>
          <ModeMark mode={hook.mode} />
        </span>
      </td>
      <td className="truncate pr-3 text-muted @max-[560px]:hidden">
        {last === undefined ? (
          read !== null && <span className="text-subtle">None yet</span>
        ) : (
          <Ago iso={last.receivedAt} />
        )}
      </td>
      <td
        className={`data truncate pr-4 text-right ${activity.failed > 0 ? 'text-bad' : 'text-muted'}`}
      >
        {failureCount(activity)}
      </td>
    </tr>
  )
}

/** Returns the path of a URL under ours; otherwise without the scheme, always HTTPS (spec 2.1). */
function useShortUrl({ url }: Hook): string {
  const { url: ours } = useHookUrl()
  return ours !== null && url.startsWith(`${ours}/`)
    ? url.slice(ours.length)
    : url.replace(/^https:\/\//, '')
}

function Ago({ iso }: { readonly iso: string }) {
  return <span title={exactTime(iso)}>{ago(iso, useNow(5000))}</span>
}

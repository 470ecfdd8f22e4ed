/** The parts of a handler's page below its figures: failures, latest responses, flows, checks and how requests are signed. */
import { CircleCheck, CircleX, Clock, RotateCw } from 'lucide-react'
import { type ReactNode } from 'react'
import { checkGroups } from '../../../shared/model/check.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { amountText } from '../../../shared/text/amount.ts'
import { deliveryCount } from '../../../shared/text/counted.ts'
import { useApp, useAppParts } from '../../state/use-app.ts'
import { IconButton } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { clockTime, duration } from '../../ui/moment.ts'
import { visibleText } from '../../ui/visible-text.ts'
import {
  failingQuery,
  failureName,
  flowResults,
  isProbedAlone,
  someNames,
  type HandlerFailures,
} from './handler-facts.ts'
import type { ShownPage } from './handler-facts.ts'

/** Green needs cases that passed: skipped ones prove nothing. */
export const checkTone = ({
  passed,
  failed,
}: {
  readonly passed: number
  readonly failed: number
}) => (failed > 0 ? 'text-bad' : passed > 0 ? 'text-ok' : 'text-muted')

/** Replays deliveries to a handler; the end is announced as after `r`. */
export function useReplayTo(handler: SavedHandler) {
  const replayTo = useApp((state) => state.replay.sendTo)
  return (what: Parameters<typeof replayTo>[1]) => void replayTo(handlerRef(handler), what)
}

/** An action in the heading of a part, as flat as a link. */
function LinkButton({
  onClick,
  children,
}: {
  readonly onClick: () => void
  readonly children: ReactNode
}) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="shrink-0 rounded-small text-small font-medium text-accent hover:underline"
    >
      {children}
    </button>
  )
}

interface PartProps {
  readonly name: string
  readonly note?: ReactNode
  readonly action?: ReactNode
  readonly children: ReactNode
}

function Part({ name, note, action, children }: PartProps) {
  return (
    <section
      aria-label={name}
      className="min-w-0 border-line pb-2 odd:border-r nth-[n+3]:border-t @max-[760px]:border-t @max-[760px]:odd:border-r-0"
    >
      <div className="flex h-10 items-center gap-3 px-5">
        <h3 className="font-medium">{name}</h3>
        <span className="min-w-0 flex-1 truncate text-small text-subtle">{note}</span>
        {action}
      </div>
      {children}
    </section>
  )
}

const rowLook = 'flex h-7 items-center gap-2 border-t border-line px-5'

function Empty({ children }: { readonly children: ReactNode }) {
  return <p className="border-t border-line px-5 py-2 text-small text-muted">{children}</p>
}

function excerptText({ excerpt, status }: HandlerFailures): string {
  if (status === null) return excerpt
  return excerpt === '' ? 'Empty response' : `Returned "${excerpt}"`
}

export function FailuresPart({ page }: { readonly page: ShownPage }) {
  const most = Math.max(1, ...page.failures.map(({ count }) => count))
  return (
    <Part name="Failures by status" note="Last hour">
      {page.failures.length === 0 && <Empty>No failures in the last hour.</Empty>}
      {page.failures.map((failures) => {
        const Icon = failures.errorKind === 'timeout' ? Clock : CircleX
        return (
          <div key={failureName(failures)} className={rowLook}>
            <span className="data flex w-[88px] shrink-0 items-center gap-1.5 truncate font-medium text-bad">
              <Icon size={14} aria-hidden className="shrink-0" />
              <span className="truncate">{failureName(failures)}</span>
            </span>
            <span className="data w-8 shrink-0 text-right">
              {failures.count.toLocaleString('en')}
            </span>
            <span aria-hidden className="w-24 shrink-0 pl-1 @max-[520px]:hidden">
              <span
                className="block h-2 bg-mark-red"
                style={{ width: `${Math.max(4, (failures.count / most) * 100)}%` }}
              />
            </span>
            <span
              className="min-w-0 flex-1 truncate pl-1 text-small text-muted"
              title={visibleText(excerptText(failures))}
            >
              {visibleText(excerptText(failures))}
            </span>
            <span className="data shrink-0 text-subtle">{clockTime(failures.at).slice(0, 8)}</span>
          </div>
        )
      })}
    </Part>
  )
}

/** The list has all of them. */
const LATEST_SHOWN = 6

export function LatestPart({
  handler,
  page,
}: {
  readonly handler: SavedHandler
  readonly page: ShownPage
}) {
  const { go, setQuery } = useAppParts((state) => ({
    go: state.navigation.go,
    setQuery: state.filter.setDraft,
  }))
  const replay = useReplayTo(handler)
  return (
    <Part
      name="Latest failures"
      action={
        page.failing > 0 && (
          <LinkButton
            onClick={() => {
              go('deliveries')
              setQuery(failingQuery(handler))
            }}
          >
            Show {deliveryCount(page.failing)}
          </LinkButton>
        )
      }
    >
      {page.latest.length === 0 && <Empty>No failures in the last hour.</Empty>}
      {page.latest.slice(0, LATEST_SHOWN).map((send) => (
        <div key={send.sendId} className={`${rowLook} hover:bg-raised`}>
          <button
            type="button"
            className="flex h-full min-w-0 flex-1 items-center gap-2 text-left"
            onClick={() => go('deliveries', { id: send.deliveryId, tab: 'replays' })}
          >
            <span className="data shrink-0 text-muted">{clockTime(send.at).slice(0, 8)}</span>
            <span className="data min-w-0 flex-1 truncate">
              {visibleText(send.event ?? 'Unknown event')}
            </span>
            {send.amount !== null && send.currency !== null && (
              <span className="data shrink-0 pr-3 @max-[520px]:hidden">
                {amountText(send.amount, send.currency)}
              </span>
            )}
            <span className="data flex w-[72px] shrink-0 items-center justify-end gap-1 text-bad">
              <CircleX size={12} aria-hidden />
              {failureName(send)}
            </span>
          </button>
          <IconButton
            label={`Replay to ${handlerRef(handler)}`}
            icon={<RotateCw size={14} aria-hidden />}
            className="-mr-1.5 size-6"
            onClick={() => replay({ ids: [send.deliveryId] })}
          />
        </div>
      ))}
    </Part>
  )
}

export function FlowsPart({ page }: { readonly page: ShownPage }) {
  const { failed, passed } = flowResults(page.flows)
  const go = useApp((state) => state.navigation.go)
  const latest = page.flows
    .map(({ startedAt }) => startedAt)
    .toSorted()
    .at(-1)
  return (
    <Part name="Flows" note={latest === undefined ? null : <RunAt at={latest} />}>
      {page.flows.length === 0 && <Empty>No flow has run against this handler yet.</Empty>}
      {failed.map((flow) => (
        <button
          key={flow.flow}
          type="button"
          className={`${rowLook} w-full text-left hover:bg-raised`}
          onClick={() => go('flows', { flow: flow.flow, run: flow.runId })}
        >
          <CircleX size={14} aria-hidden className="shrink-0 text-bad" />
          <span className="max-w-[45%] shrink-0 truncate font-medium">
            {visibleText(flow.title)}
          </span>
          <span className="min-w-0 flex-1 truncate text-small text-muted">
            {visibleText(flow.summary)}
          </span>
          <span className="data shrink-0 text-subtle">{duration(durationOf(flow))}</span>
        </button>
      ))}
      {passed.length > 0 && (
        <div className={rowLook}>
          <CircleCheck size={14} aria-hidden className="shrink-0 text-ok" />
          <span className="shrink-0 font-medium">{passed.length} passed</span>
          <span className="min-w-0 flex-1 truncate pl-2 text-small text-muted">
            {visibleText(
              someNames(
                passed.map(({ title }) => title),
                2,
              ),
            )}
          </span>
          <span className="data shrink-0 text-subtle">
            {duration(passed.reduce((sum, flow) => sum + durationOf(flow), 0))}
          </span>
        </div>
      )}
    </Part>
  )
}

function durationOf({ startedAt, endedAt }: ShownPage['flows'][number]): number {
  return Date.parse(endedAt) - Date.parse(startedAt)
}

function RunAt({ at }: { readonly at: string }) {
  return (
    <>
      Run at <span className="data">{clockTime(at).slice(0, 5)}</span>
    </>
  )
}

export function HandlerChecks({ page }: { readonly page: ShownPage }) {
  const go = useApp((state) => state.navigation.go)
  const last = page.checks.at(-1)
  return (
    <Part
      name="Checks"
      note={last === undefined ? null : <RunAt at={last.at} />}
      action={
        last !== undefined && (
          <LinkButton onClick={() => go('check', { run: last.runId })}>Show report</LinkButton>
        )
      }
    >
      {last === undefined && (
        <Empty>No check yet. A check shows whether this handler follows the spec.</Empty>
      )}
      {page.checkGroups.map(({ group, passed, failed }) => {
        const tone = checkTone({ passed, failed })
        const Icon = failed > 0 ? CircleX : CircleCheck
        return (
          <div key={group} className={rowLook}>
            <Icon size={14} aria-hidden className={`shrink-0 ${tone}`} />
            <span className="min-w-0 flex-1 truncate">{checkGroups[group]}</span>
            <span className="data shrink-0 text-muted">
              {passed}/{passed + failed}
            </span>
          </div>
        )
      })}
    </Part>
  )
}

function secretWords(handler: SavedHandler): ReactNode {
  return handler.hasSecret ? "The handler's own" : "None: each delivery's hook signs"
}

/** What requests to a handler are signed with, as names and values of a list. */
export function SigningFacts({ handler }: { readonly handler: SavedHandler }) {
  const hook = useApp((state) => state.core.hooks.find(({ id }) => id === handler.hookId))
  return (
    <>
      <dt className="text-subtle">Signed URL</dt>
      <dd className="data wrap-anywhere">
        <ExactText
          text={
            handler.registeredUrl ??
            hook?.url ??
            (handler.hasSecret ? handler.url : "Each hook's registered URL")
          }
        />
      </dd>
      <dt className="text-subtle">Secret</dt>
      <dd className="wrap-anywhere text-muted">
        {hook === undefined ? (
          secretWords(handler)
        ) : (
          <>
            {hook.secretHint !== null && (
              <span className="data text-text">{visibleText(hook.secretHint)} </span>
            )}
            from the {visibleText(hook.event)} hook
          </>
        )}
      </dd>
    </>
  )
}

/** What requests to it are signed and verified with, and its command. */
export function HandlerFacts({ handler }: { readonly handler: SavedHandler }) {
  const isPlain = handler.url.startsWith('http:')
  const name = 'text-subtle'
  const command = `countersign replay latest --to handler:${handler.name}`
  return (
    <dl className="grid grid-cols-[100px_minmax(0,1fr)_100px_minmax(0,1fr)] gap-x-4 gap-y-2 border-t border-line px-5 py-4 text-small @max-[760px]:grid-cols-[100px_minmax(0,1fr)]">
      <SigningFacts handler={handler} />
      <dt className={name}>Certificate</dt>
      <dd className="text-muted">
        {isPlain
          ? 'Not used over HTTP'
          : handler.targetCa === null
            ? isProbedAlone(handler)
              ? 'Any (same computer)'
              : 'Must be trusted by this computer'
            : "Must be signed by the handler's CA"}
      </dd>
      <dt className={name}>Command</dt>
      <dd className="flex min-w-0 items-center gap-1">
        <span className="data min-w-0 truncate">{visibleText(command)}</span>
        <CopyButton text={command} label="Copy command" className="-my-1" />
      </dd>
    </dl>
  )
}

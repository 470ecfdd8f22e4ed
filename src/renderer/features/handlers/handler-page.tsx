/** The page of a saved handler: whether it is reachable, its figures and response times, and the actions on it. */
import {
  CircleCheck,
  CircleQuestionMark,
  CircleX,
  Ellipsis,
  Pencil,
  Play,
  RotateCw,
  Workflow,
  type LucideIcon,
} from 'lucide-react'
import { useState, type ReactNode } from 'react'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { counted } from '../../../shared/text/counted.ts'
import { useData, useRead } from '../../data/use-read.ts'
import { useApp, useAppParts, useParts } from '../../state/use-app.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { ConsentBand } from '../../ui/consent.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { NotRead } from '../../ui/message.tsx'
import { clockTime } from '../../ui/moment.ts'
import { Segments } from '../../ui/segments.tsx'
import { DetailPane } from '../../ui/split-panes.tsx'
import { useConsents } from '../../ui/use-consents.ts'
import { useNow } from '../../ui/use-now.ts'
import { visibleText } from '../../ui/visible-text.ts'
import { ButtonMenu, MenuItem } from '../../ui/menu.tsx'
import {
  failingQuery,
  flowResults,
  groupResults,
  isProbedAlone,
  reachabilityOf,
  shareOf,
  someNames,
  type Reachability,
  type ShownPage,
} from './handler-facts.ts'
import { ResponseChart } from './response-chart.tsx'
import {
  checkTone,
  HandlerChecks,
  FailuresPart,
  FlowsPart,
  HandlerFacts,
  LatestPart,
  useReplayTo,
} from './handler-parts.tsx'

const READ_EVERY_MS = 5_000

/** The number only labels a button. */
const MOST_COUNTED = 10_000

const icons: Readonly<Record<Reachability['tone'], LucideIcon>> = {
  good: CircleCheck,
  bad: CircleX,
  neutral: CircleQuestionMark,
}
const tones: Readonly<Record<Reachability['tone'], string>> = {
  good: 'text-ok',
  bad: 'text-bad',
  neutral: 'text-muted',
}

/** Whether a handler is reachable, as a glyph and a word. */
export function ReachabilityMark({
  handler,
  large = false,
}: {
  readonly handler: SavedHandler
  readonly large?: boolean
}) {
  const probe = useApp((state) => state.handlers.probes[handler.id] ?? null)
  const { tone, word } = reachabilityOf(probe, Date.parse(probe?.at ?? '') || 0)
  const Icon = icons[tone]
  return (
    <span
      className={classNames(
        'inline-flex min-w-0 items-center font-medium',
        large ? 'gap-2 text-display' : 'gap-1 text-small',
        tones[tone],
      )}
    >
      <Icon size={large ? 20 : 14} aria-hidden className="shrink-0" />
      <span className="truncate">{visibleText(word)}</span>
    </span>
  )
}

/** What happens at a remote host. */
const consentWords = {
  probe: 'Countersign connects and sends nothing.',
  check:
    'Sends valid and forged deliveries there. The handler will process valid ones: make sure its owner knows.',
  flows: 'Sends the signed deliveries of every flow there. Make sure its owner knows.',
} as const

/** The page of the shown handler, read again and again while it is open. */
function useHandlerPage(handler: SavedHandler) {
  const everyMs = READ_EVERY_MS
  const page = useRead('handlers.page', { id: handler.id }, { everyMs })
  const counts = useRead(
    'deliveries.counts',
    { queries: [failingQuery(handler)], most: MOST_COUNTED },
    { everyMs, keep: true },
  )
  const runId = page.output?.checks.at(-1)?.runId
  const check = useRead('check.get', runId === undefined ? null : { runId }, { keep: true })
  const shown: ShownPage | null =
    page.output === undefined
      ? null
      : {
          ...page.output,
          failing: counts.output?.counts[0]?.count ?? 0,
          checkGroups: groupResults(check.output?.run.results ?? []),
        }
  return { ...page, page: shown }
}

export function HandlerPageView({ handler }: { readonly handler: SavedHandler }) {
  const { page, problem, readAgain } = useHandlerPage(handler)
  const probe = useApp((state) => state.handlers.probe)
  const { client } = useData()
  const { changeDraft, runAll, go } = useAppParts((state) => ({
    changeDraft: state.flows.changeDraft,
    runAll: state.flows.runAll,
    go: state.navigation.go,
  }))
  const consents = useConsents()
  /** Which action waits for consent. */
  const [asking, setAsking] = useState<'probe' | 'check' | 'flows'>('probe')
  const ref = handlerRef(handler)
  const test = () => {
    setAsking('probe')
    consents.begin(({ allowHosts }) => probe({ id: handler.id, allowHosts }))
  }
  const check = () => {
    setAsking('check')
    consents.begin(async (consent) => {
      const { run } = await client.call('check.start', { target: ref, ...consent })
      go('check', { run: run.id })
    })
  }
  const runFlows = () => {
    setAsking('flows')
    changeDraft({ handler: handler.name })
    consents.begin((consent) => runAll(null, consent).then(() => go('flows')))
  }
  return (
    <DetailPane label={`Handler ${visibleText(handler.name)}`} pane="handler">
      <Heading
        handler={handler}
        failing={page?.failing ?? 0}
        onCheck={check}
        onFlows={runFlows}
        onTest={test}
        busy={consents.busy}
      />
      <div
        className="min-h-0 flex-1 overflow-auto"
        tabIndex={0}
        role="region"
        aria-label="Handler details"
      >
        <ConsentBand
          className="border-b border-line px-5 py-3"
          consents={consents}
          words={(question) =>
            question.about === 'host'
              ? {
                  action:
                    asking === 'probe' ? `Connect to ${question.host}` : `Send to ${question.host}`,
                  what: consentWords[asking],
                }
              : {
                  action: 'Send live requests',
                  what: "Sends live-mode payloads, or requests signed with a live hook's secret. Your handler will process valid ones.",
                }
          }
        />
        {page === null ? (
          problem === null ? (
            <div role="status" aria-label="Loading handler" className="late m-5 skeleton h-20" />
          ) : (
            <div className="px-8 pt-12">
              <NotRead title="Couldn't load the handler" problem={problem} onAgain={readAgain} />
            </div>
          )
        ) : (
          <>
            <Cells
              handler={handler}
              page={page}
              onTest={test}
              onCheck={check}
              busy={consents.busy}
            />
            <Times page={page} />
            <div className="grid grid-cols-2 border-t border-line @max-[760px]:grid-cols-1">
              <FailuresPart page={page} />
              <LatestPart handler={handler} page={page} />
              <FlowsPart page={page} />
              <HandlerChecks page={page} />
            </div>
          </>
        )}
        <HandlerFacts handler={handler} />
      </div>
    </DetailPane>
  )
}

interface HeadingProps {
  readonly handler: SavedHandler
  /** How many deliveries failed at it. */
  readonly failing: number
  readonly onCheck: () => void
  readonly onFlows: () => void
  readonly onTest: () => void
  readonly busy: boolean
}

function Heading({ handler, failing, onCheck, onFlows, onTest, busy }: HeadingProps) {
  const { edit, use, remove } = useParts('handlers', 'edit', 'use', 'remove')
  const replay = useReplayTo(handler)
  return (
    <header className="window-drag flex min-h-12 shrink-0 flex-wrap items-center gap-2 border-b border-line py-2 pr-4 pl-5">
      <h2 className="flex min-w-0 flex-1 basis-56 items-center gap-2">
        <span className="shrink-0 font-mono text-title font-medium">
          <ExactText text={handlerRef(handler)} />
        </span>
        {handler.current && <span className="shrink-0 text-small text-muted">Current</span>}
        <span className="data min-w-0 truncate text-muted" title={visibleText(handler.url)}>
          {visibleText(handler.url)}
        </span>
        <CopyButton text={handler.url} label="Copy URL" />
      </h2>
      <span className="flex flex-wrap items-center gap-2">
        {failing > 0 && (
          <Button
            kind="primary"
            icon={<RotateCw size={14} aria-hidden />}
            onClick={() => replay({ query: failingQuery(handler) })}
          >
            Replay {counted(failing, 'failure')}
          </Button>
        )}
        <Button icon={<Play size={14} aria-hidden />} disabled={busy} onClick={onCheck}>
          Run check
        </Button>
        <Button icon={<Workflow size={14} aria-hidden />} disabled={busy} onClick={onFlows}>
          Run all flows
        </Button>
        <Button icon={<Pencil size={14} aria-hidden />} onClick={() => edit(handler)}>
          Edit
        </Button>
        <ButtonMenu
          look="min-w-48"
          trigger={<IconButton label="More actions" icon={<Ellipsis size={16} aria-hidden />} />}
        >
          <MenuItem onClick={() => void use(handler.current ? null : handler.id)}>
            {handler.current ? 'Clear current handler' : 'Set as current handler'}
          </MenuItem>
          <MenuItem disabled={busy} onClick={onTest}>
            Test connection
          </MenuItem>
          <MenuItem onClick={() => void remove(handler)}>Delete</MenuItem>
        </ButtonMenu>
      </span>
    </header>
  )
}

function Cell({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0 border-line px-5 py-4 not-last:border-r @max-[760px]:even:border-r-0 @max-[760px]:nth-[n+3]:border-t">
      <p className="mb-1 text-small text-subtle">{name}</p>
      {children}
    </div>
  )
}

/** A large number and what it counts. */
function Big({
  value,
  of,
  tone = '',
}: {
  readonly value: number
  readonly of: string
  readonly tone?: string
}) {
  return (
    <p className="flex items-baseline gap-1.5">
      <span className={`font-mono text-display font-medium ${tone}`}>
        {value.toLocaleString('en')}
      </span>
      <span className="truncate text-muted">{of}</span>
    </p>
  )
}

function BadNote({ children }: { readonly children: ReactNode }) {
  return (
    <p className="mt-1 flex min-w-0 items-center gap-1.5 text-small text-bad">
      <CircleX size={14} aria-hidden className="shrink-0" />
      <span className="truncate">{children}</span>
    </p>
  )
}

interface CellsProps extends Pick<HeadingProps, 'handler' | 'onCheck' | 'onTest' | 'busy'> {
  readonly page: ShownPage
}

function Cells({ handler, page, onTest, onCheck, busy }: CellsProps) {
  const probe = useApp((state) => state.handlers.probes[handler.id] ?? null)
  const now = useNow(1_000)
  const { note } = reachabilityOf(probe, now)
  const { failed, passed } = flowResults(page.flows)
  const last = page.checks.at(-1)
  return (
    <div className="grid grid-cols-[220px_repeat(3,minmax(0,1fr))] border-b border-line @max-[760px]:grid-cols-2">
      <Cell name="Status">
        <ReachabilityMark handler={handler} large />
        <p className="mt-1 text-small text-muted">{note}</p>
        {!isProbedAlone(handler) && (
          <Button
            className="mt-1 -ml-1.5 h-6 px-1.5 text-small"
            kind="quiet"
            disabled={busy}
            onClick={onTest}
          >
            Test connection
          </Button>
        )}
      </Cell>
      <Cell name="Last check">
        {last === undefined ? (
          <>
            <p className="text-display text-muted">None</p>
            <Button
              className="mt-1 -ml-1.5 h-6 px-1.5 text-small"
              kind="quiet"
              disabled={busy}
              onClick={onCheck}
            >
              Run check
            </Button>
          </>
        ) : (
          <>
            <div className="flex items-center gap-4">
              {last.score === null ? (
                <Big
                  value={last.passed}
                  of={`of ${last.passed + last.failed}`}
                  tone={checkTone(last)}
                />
              ) : (
                <Big value={last.score} of="of 100" tone={checkTone(last)} />
              )}
              <Trend page={page} />
            </div>
            <p className="mt-1 text-small text-muted">
              {last.passed} of {last.passed + last.failed} passed at{' '}
              <span className="data">{clockTime(last.at).slice(0, 5)}</span>
            </p>
          </>
        )}
      </Cell>
      <Cell name="Flows">
        {page.flows.length === 0 ? (
          <p className="text-display text-muted">None run</p>
        ) : (
          <>
            <Big value={passed.length} of={`of ${page.flows.length} passed`} />
            {failed.length > 0 && (
              <BadNote>
                {someNames(
                  failed.map(({ title }) => title),
                  2,
                )}
              </BadNote>
            )}
          </>
        )}
      </Cell>
      <Cell name="Last hour">
        <Big value={page.requests} of={page.requests === 1 ? 'request' : 'requests'} />
        {page.failed > 0 ? (
          <BadNote>
            {page.failed.toLocaleString('en')} failed ({shareOf(page.failed, page.requests)})
          </BadNote>
        ) : (
          <p className="mt-1 text-small text-muted">{page.requests === 0 ? '' : 'None failed'}</p>
        )}
      </Cell>
    </div>
  )
}

const BAR = { width: 8, gap: 3, height: 28 }

/** The share of cases passed in each of the last checks. */
function Trend({ page: { checks } }: { readonly page: ShownPage }) {
  const shares = checks.map(({ score, passed, failed }) =>
    score === null ? passed / Math.max(1, passed + failed) : score / 100,
  )
  const words = shares.map((share) => Math.round(share * 100)).join(', ')
  return (
    <svg
      width={shares.length * (BAR.width + BAR.gap) - BAR.gap}
      height={BAR.height}
      role="img"
      aria-label={`Last checks, oldest first: ${words}`}
      className="shrink-0"
    >
      {shares.map((share, index) => {
        const height = Math.max(2, share * BAR.height)
        const isLast = index === shares.length - 1
        const isFailed = (checks.at(-1)?.failed ?? 0) > 0
        return (
          <rect
            key={checks[index]?.runId}
            x={index * (BAR.width + BAR.gap)}
            y={BAR.height - height}
            width={BAR.width}
            height={height}
            className={isLast ? (isFailed ? 'fill-mark-red' : 'fill-mark-green') : 'fill-edge'}
          />
        )
      })}
    </svg>
  )
}

const views = [
  { value: 'chart', label: 'Chart' },
  { value: 'table', label: 'Table' },
] as const

function Times({ page }: { readonly page: ShownPage }) {
  const [view, setView] = useState<'chart' | 'table'>('chart')
  return (
    <section aria-label="Response time">
      <div className="flex h-12 items-center gap-3 px-5">
        <h3 className="font-medium">Response time</h3>
        <span className="min-w-0 flex-1 truncate text-small text-subtle">
          Last hour, ms, by minute
        </span>
        <Segments label="Response time as" options={views} value={view} onChange={setView} />
      </div>
      {page.requests === 0 ? (
        <p className="px-5 pb-6 text-muted">No requests in the last hour.</p>
      ) : (
        <div className="pb-3">
          <ResponseChart minutes={page.minutes} view={view} />
        </div>
      )}
    </section>
  )
}

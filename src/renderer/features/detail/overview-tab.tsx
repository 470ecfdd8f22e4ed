/** A delivery at a glance: verdict, cause and action; then the facts, the checks and the metadata. */
import {
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleQuestionMark,
  CircleX,
  Clock,
  CodeXml,
  Copy,
  Download,
  FileText,
  GitCompareArrows,
  Info,
  KeyRound,
  Layers,
  RotateCw,
  Send,
  Server,
  Shield,
  Table2,
  Terminal,
  TriangleAlert,
  Webhook,
  type LucideIcon,
} from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import type { SchemaReport } from '../../../shared/model/delivery.ts'
import { headerNames, signingPrefix } from '../../../shared/service/header-rules.ts'
import { closestEvent } from '../../../shared/service/payload.ts'
import { environmentOf } from '../../state/environments.ts'
import type { AppState } from '../../state/store.ts'
import { useRead } from '../../data/use-read.ts'
import { useApp, useAppParts, useAppStore } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { fromBase64 } from '../../ui/bytes.ts'
import { copyText } from '../../ui/copy.tsx'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { FindingText, QuotedText } from '../../ui/finding-text.tsx'
import { verdictToneText, type VerdictTone } from '../../ui/verdict.tsx'
import type { Shown } from './detail-slice.ts'
import {
  checksOf,
  factsOfRow,
  isCertain,
  payloadFacts,
  summaryOfRow,
  deliverySummary,
  responseMessage,
  type DeliverySummary,
  type SummaryAction,
} from './summary.ts'
import { Exchange, Payload, showHandlerResponse } from './overview-facts.tsx'
import { Metadata } from './overview-metadata.tsx'

export function OverviewTab({ shown }: { readonly shown: Shown }) {
  const { delivery, loaded, signature, schema, body } = shown
  const { hook, prefix, slow } = useAppParts((state) => ({
    hook: state.core.hooks.find((one) => one.id === (signature?.hookId ?? delivery.hookId)),
    prefix: signingPrefix(environmentOf(state.core.environments), {
      hook: delivery.environment === null ? null : { environment: delivery.environment },
    }),
    slow: state.detail.slow,
  }))
  const sendId = delivery.handler?.sendId
  const answer = useRead('replay.send', loaded && sendId !== undefined ? { id: sendId } : null)
  const offers = useRead('compare.offers', loaded ? { deliveryId: delivery.id } : null)
  const hasPrevious = offers.output?.offers.length !== 0
  const facts = useMemo(
    () => (loaded ? payloadFacts(body.bytes) : factsOfRow(delivery)),
    [loaded, delivery, body.bytes],
  )
  const isUnknown = delivery.event === null && delivery.eventCandidates.length === 0
  const closest = useMemo(
    () => (isUnknown && loaded ? closestEvent(body.bytes) : null),
    [isUnknown, loaded, body.bytes],
  )
  const handlerWords = useMemo(
    () => (answer.output === undefined ? null : responseMessage(fromBase64(answer.output.base64))),
    [answer.output],
  )
  const schemaErrors = schema?.failures.map(({ message }) => message) ?? null
  const signatureHeader = headerNames(prefix).signature
  const summary = deliverySummary({
    delivery,
    signature,
    schemaErrors,
    hook,
    closest,
    handlerWords,
    hasPrevious,
    signatureHeader,
  })
  const checks = checksOf(summary, delivery, signature, schemaErrors?.length ?? null)
  if (!loaded)
    return (
      <div
        className="h-full overflow-auto"
        tabIndex={0}
        role="group"
        aria-label="Overview"
        aria-busy
      >
        <Headline shown={shown} summary={summaryOfRow(summary, delivery)} closest={null} />
        {isCertain(summary) && (facts !== null || delivery.malformed !== null) && (
          <>
            {facts !== null && <Payload facts={facts} delivery={delivery} />}
            <Exchange shown={shown} handlerWords={null} />
          </>
        )}
        {slow && (
          <span role="status" aria-label="Loading delivery" className="skeleton m-5 block h-24" />
        )}
      </div>
    )
  return (
    <div className="h-full overflow-auto" tabIndex={0} role="group" aria-label="Overview">
      <Headline shown={shown} summary={summary} closest={closest?.event ?? null} />
      {facts !== null && <Payload facts={facts} delivery={delivery} />}
      <Exchange shown={shown} handlerWords={handlerWords} />
      {checks.length > 0 && (
        <ul
          aria-label="Checks"
          className="grid grid-cols-2 gap-x-5 gap-y-2 border-b border-line px-5 py-3 text-small @max-[560px]:grid-cols-1 @max-[560px]:px-4"
        >
          {checks.map(({ tone, text }) => (
            <li key={text} className="flex min-w-0 items-center gap-2">
              <ToneIcon tone={tone} />
              <span className="min-w-0 wrap-anywhere">
                <ExactText text={text} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {schema !== null && <SchemaNotes key={delivery.id} report={schema} />}
      <Metadata shown={shown} />
    </div>
  )
}

const toneIcons: Readonly<Record<VerdictTone, LucideIcon>> = {
  ok: CircleCheck,
  bad: CircleX,
  warn: Clock,
  quiet: Info,
}

function ToneIcon({ tone }: { readonly tone: VerdictTone }) {
  const Icon = toneIcons[tone]
  return <Icon size={14} aria-hidden className={`shrink-0 ${verdictToneText[tone]}`} />
}

const headlineIcons: Readonly<Record<DeliverySummary['kind'], LucideIcon>> = {
  malformed: TriangleAlert,
  unsigned: CircleDashed,
  invalid: CircleX,
  'unknown-hook': CircleQuestionMark,
  claimed: FileText,
  stale: Clock,
  future: Clock,
  'unknown-event': Info,
  'schema-errors': CircleAlert,
  'handler-failed': CircleX,
  valid: CircleCheck,
}

const washes = { bad: 'bg-bad-wash', warn: 'bg-warn-wash' } as const

interface HeadlineProps {
  readonly shown: Shown
  readonly summary: DeliverySummary
  readonly closest: string | null
}

function Headline({
  shown,
  summary: { kind, headline, cause, tone, wash, urls, actions },
  closest,
}: HeadlineProps) {
  const Icon = headlineIcons[kind]
  return (
    <section
      aria-label="Summary"
      className={`grid grid-cols-[20px_minmax(0,1fr)] gap-x-3 border-b border-line p-5 pt-4 pb-4 @max-[560px]:px-4 ${wash === null ? '' : washes[wash]}`}
    >
      <Icon
        size={20}
        strokeWidth={1.75}
        aria-hidden
        className={`mt-1 @max-[560px]:mt-0 ${verdictToneText[tone]}`}
      />
      <div className="min-w-0">
        <p className="text-display font-medium tracking-[-0.01em] wrap-anywhere @max-[560px]:text-title @max-[560px]:tracking-normal">
          <ExactText text={headline} />
        </p>
        <p className="mt-1 text-muted wrap-anywhere">
          <QuotedText text={cause} />
        </p>
        {urls !== null && <ComparedUrls {...urls} />}
        <div className="mt-4 flex flex-wrap gap-2">
          {(shown.loaded || isCertain({ kind }) ? actions : []).map((action, index) => (
            <ActionButton
              key={action}
              action={action}
              main={index === 0}
              shown={shown}
              closest={closest}
            />
          ))}
        </div>
      </div>
    </section>
  )
}

/** The signed and the registered URL, one below the other, with the part that only the signed one has marked. */
function ComparedUrls({
  signed,
  registered,
}: {
  readonly signed: string
  readonly registered: string
}) {
  const [start, end] = differingPart(signed, registered)
  return (
    <dl className="mt-3 grid grid-cols-[76px_minmax(0,1fr)] items-baseline gap-y-1">
      <dt className="text-small text-muted">Signed</dt>
      <dd className="data wrap-anywhere">
        <ExactText text={signed.slice(0, start)} />
        {end > start && (
          <mark className="rounded-small bg-bad px-px font-medium text-ground">
            <ExactText text={signed.slice(start, end)} />
          </mark>
        )}
        <ExactText text={signed.slice(end)} />
      </dd>
      <dt className="text-small text-muted">Registered</dt>
      <dd className="data wrap-anywhere">
        <ExactText text={registered} />
      </dd>
    </dl>
  )
}

/** Start and end of what the first text has between the beginning and the end that both share. */
function differingPart(one: string, other: string): readonly [start: number, end: number] {
  const most = Math.min(one.length, other.length)
  let start = 0
  while (start < most && one[start] === other[start]) start++
  let same = 0
  while (same < most - start && one[one.length - 1 - same] === other[other.length - 1 - same])
    same++
  return [start, one.length - same]
}

interface ActionLook {
  readonly icon: LucideIcon
  readonly label: string
  /** Returns a text to copy, or does something else. */
  readonly run: (state: AppState) => string | null | void
}

/** Until the signature's report is loaded. */
const NO_PREFIX = { prefix: '', environment: '', mode: 'test' } as const

/** The button of each action: its words, and what it does. */
export function lookOfAction(
  action: SummaryAction,
  { delivery, signature, schema }: Shown,
  to: string | null,
  closest: string | null,
): ActionLook {
  const replay = (state: AppState) => void state.replay.again([delivery])
  const tab = (name: 'signature' | 'body' | 'headers' | 'replays') => (state: AppState) =>
    state.detail.setTab(name)
  switch (action) {
    case 'replay':
      return { icon: RotateCw, label: to === null ? 'Replay' : `Replay to ${to}`, run: replay }
    case 'replay-re-signed':
      return { icon: RotateCw, label: 'Replay re-signed', run: replay }
    case 'show-signature':
      return { icon: Shield, label: 'Show signature', run: tab('signature') }
    case 'show-code':
      return {
        icon: CodeXml,
        label: 'Show correct code',
        run: (state) => state.detail.showSignature('code'),
      }
    case 'try-secret':
      return {
        icon: KeyRound,
        label: 'Try another secret…',
        run: (state) => state.detail.showSignature('try'),
      }
    case 'edit-hook-url':
      return {
        icon: Webhook,
        label: 'Update hook URL…',
        run: (state) => {
          const hookId = signature?.hookId ?? delivery.hookId
          if (hookId !== null)
            state.hooks.editWithUrl(hookId, signature?.diagnosis?.signedUrl ?? '')
        },
      }
    case 'import-hook':
      return {
        icon: Download,
        label: delivery.verifiedHere ? 'Import the hook…' : 'Import its hook…',
        run: (state) => {
          const receiver = state.core.status?.receiver
          const url =
            signature?.diagnosis?.signedUrl ??
            signature?.url ??
            `${receiver?.url ?? ''}${delivery.path ?? ''}`
          state.hooks.startImport({ url, event: delivery.event })
        },
      }
    case 'use-prefix': {
      const { prefix, environment, mode } = signature?.unknownPrefix ?? NO_PREFIX
      const isLive = mode === 'live'
      return {
        icon: KeyRound,
        label: `Use ${prefix} in ${environment}${isLive ? '…' : ''}`,
        run: (state) => {
          // A live environment is changed in its form, which asks for a confirmation.
          if (isLive) return state.navigation.openOverlay('environment', environment)
          const { act, client } = state.data
          void act(`Couldn't change ${environment}`, () =>
            client.call('environments.update', { name: environment, prefix }),
          )
        },
      }
    }
    case 'show-in-body':
      return {
        icon: Layers,
        label: 'Show in body',
        run: (state) => {
          const path = schema?.failures[0]?.path
          if (path !== undefined) state.body.showPath(delivery.id, path)
          state.detail.setTab('body')
        },
      }
    case 'show-body':
      return { icon: Layers, label: 'Show body', run: tab('body') }
    case 'show-headers':
      return { icon: Table2, label: 'Show headers', run: tab('headers') }
    case 'show-bytes':
      return {
        icon: Terminal,
        label: 'Show bytes',
        run: (state) => state.detail.showRaw('request', 'hex'),
      }
    case 'show-response':
      return { icon: Server, label: 'Show response', run: showHandlerResponse(delivery) }
    case 'compare-previous':
      return {
        icon: GitCompareArrows,
        label: 'Compare with previous',
        run: (state) => void state.compare.start(null, { kind: 'delivery', id: delivery.id }),
      }
    case 'compare-closest':
      return {
        icon: GitCompareArrows,
        label: `Compare with ${closest ?? ''}`,
        run: (state) => {
          if (closest !== null) void state.detail.compareWithEvent(closest)
        },
      }
    case 'send-sample':
      return {
        icon: Send,
        label: 'Send a signed sample',
        run: (state) => void state.list.sendSample(),
      }
    case 'copy-https-url':
      return {
        icon: Copy,
        label: 'Copy HTTPS URL',
        run: (state) => state.core.status?.receiver.url ?? null,
      }
    case 'copy-ca-path':
      return {
        icon: Copy,
        label: 'Copy path of ca.pem',
        run: (state) => state.core.status?.caFile ?? null,
      }
  }
}

interface ActionButtonProps {
  readonly action: SummaryAction
  readonly main: boolean
  readonly shown: Shown
  readonly closest: string | null
}

/** How long a button says that it copied. */
const COPIED_MS = 1_500

function ActionButton({ action, main, shown, closest }: ActionButtonProps) {
  const store = useAppStore()
  const to = useApp((state) => state.core.handlers.find(({ current }) => current)) ?? null
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return undefined
    const timer = setTimeout(() => setCopied(false), COPIED_MS)
    return () => clearTimeout(timer)
  }, [copied])
  const {
    icon: Icon,
    label,
    run,
  } = lookOfAction(action, shown, to === null ? null : handlerRef(to), closest)
  return (
    <Button
      kind={main ? 'primary' : 'plain'}
      icon={<Icon size={14} aria-hidden />}
      onClick={() => {
        const text = run(store.getState())
        if (typeof text === 'string') void copyText(text).then(setCopied)
      }}
    >
      {copied ? 'Copied' : label}
    </Button>
  )
}

/** More findings are shown on request: a body of another event lacks every field. */
const SHOWN_AT_FIRST = 6

/** The result of the schema check: errors first, then notes, each with its section of the spec. */
function SchemaNotes({ report: { failures, findings } }: { readonly report: SchemaReport }) {
  const [all, setAll] = useState(false)
  const notes = [
    ...failures.map((note) => ({ ...note, isFailure: true })),
    ...findings.map((note) => ({ ...note, isFailure: false })),
  ]
  if (notes.length === 0) return null
  const shown = all ? notes : notes.slice(0, SHOWN_AT_FIRST)
  return (
    <div className="border-b border-line px-5 py-3 @max-[560px]:px-4">
      <ul aria-label="Schema findings" className="flex flex-col gap-1.5 text-small">
        {shown.map(({ isFailure, ...note }) => (
          <li key={`${note.path} ${note.message}`} className="flex gap-2">
            {isFailure ? (
              <CircleX
                size={13}
                role="img"
                aria-label="Error"
                className="mt-[1.5px] shrink-0 text-bad"
              />
            ) : (
              <Info
                size={13}
                role="img"
                aria-label="Note"
                className="mt-[1.5px] shrink-0 text-muted"
              />
            )}
            <span className="min-w-0 wrap-anywhere">
              <FindingText finding={note} />
            </span>
          </li>
        ))}
      </ul>
      {notes.length > shown.length && (
        <Button kind="quiet" className="mt-1 -ml-2.5 text-small" onClick={() => setAll(true)}>
          Show all {notes.length}
        </Button>
      )}
    </div>
  )
}

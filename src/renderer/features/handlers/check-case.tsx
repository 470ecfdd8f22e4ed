/**
 * Details of a case: request, expectation, response, reason and fix, with a button to run it again.
 */
import { RotateCw } from 'lucide-react'
import { useState, type ReactNode } from 'react'
import {
  fixOf,
  isExplained,
  severityOf,
  type CheckExchange,
  type CheckRun,
} from '../../../shared/model/check.ts'
import { checkOutcomes, shownCase } from '../../../shared/model/check-outcomes.ts'
import { curlCertificateOptions, type CurlTrust } from '../../../shared/snippets/curl-trust.ts'
import { shellWord } from '../../../shared/snippets/shell-word.ts'
import { useData } from '../../core-data/use-read.ts'
import { useApp } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { settleCall } from '../../ui/call-problem.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { ExactLines, ExactText } from '../../ui/exact-text.tsx'
import { Fact, Facts } from '../../ui/name-value-table.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { milliseconds } from '../../ui/moment.ts'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import { ProblemView } from '../../ui/problem-view.tsx'
import { SectionLink } from '../../ui/reference-page.tsx'
import { DetailPane, DetailScroll } from '../../ui/split-panes.tsx'
import { useOutcome } from '../../ui/use-outcome.ts'
import type { CaseEntry } from './check-cases.ts'
import { SelectField } from '../../ui/select.tsx'

/** Returns a request as a curl command; null if its body was truncated. */
export function exchangeCurl({ sent }: CheckExchange, trust: CurlTrust): string | null {
  const { method, url, headers, body, bodySize } = sent
  if (new TextEncoder().encode(body).length !== bodySize) return null
  const lines = headers
    .filter(([name]) => name.toLowerCase() !== 'content-length')
    // curl drops an empty header written with a colon, but sends one written with a semicolon.
    .map(([name, value]) => `-H ${shellWord(value === '' ? `${name};` : `${name}: ${value}`)}`)
  const sends = bodySize === 0 ? [] : [`--data-binary ${shellWord(body)}`]
  return [
    `curl -sS -i -X ${method} ${shellWord(url)}`,
    ...curlCertificateOptions(url, trust),
    ...lines,
    ...sends,
  ].join(' \\\n  ')
}

/** The case that is running again. */
interface Trying {
  readonly trying: string | null
  readonly onTrying: (name: string | null) => void
}

const severityWords = {
  critical: 'Critical: loses deliveries or accepts forged ones',
  major: 'Major: will fail in production sooner or later',
  minor: 'Minor',
} as const

export function CaseDetail({
  run,
  entry: { one, result },
  trying,
  onTrying,
}: Trying & {
  readonly run: CheckRun
  readonly entry: CaseEntry
}) {
  const [chosen, setChosen] = useState<number | null>(null)
  const exchanges = result?.exchanges ?? []
  const index = chosen !== null && chosen < exchanges.length ? chosen : (result?.decisive ?? 0)
  const exchange = exchanges[index]
  const severity = result === null ? null : severityOf(result)
  // The diagnosis, above the cases, says why nothing responded and what to do.
  const explained = result !== null && isExplained(result, run.conclusions)
  const fix = result === null || explained ? null : fixOf(result, run.conclusions)
  return (
    <DetailPane label="Case" pane="case">
      <header className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line pt-3 pr-3 pb-2.5 pl-5">
        <h2 className="flex min-w-0 flex-1 basis-60 flex-wrap items-center gap-x-3">
          <OutcomeMark outcome={checkOutcomes[shownCase(result)]} large />
          <span className="min-w-0 text-title font-medium">{one.title}</span>
        </h2>
        <TryAgain
          run={run}
          name={one.name}
          trying={trying}
          onTrying={onTrying}
          aside={exchange === undefined ? null : <CopyCurl exchange={exchange} />}
        />
      </header>
      <DetailScroll label="Case details">
        <Facts>
          <Fact name="Sent">
            <QuotedText text={one.sends} />
          </Fact>
          <Fact name="Expected">{one.expected}</Fact>
          <Fact name="Got">
            {result === null ? (
              'Nothing yet'
            ) : explained ? (
              'No valid response'
            ) : (
              <ExactText text={result.message} />
            )}
          </Fact>
          {result !== null && result.warning !== null && (
            <Fact name="Warning">{result.warning}</Fact>
          )}
          <Fact name="Why">
            <QuotedText text={one.why} /> <SectionLink section={one.section} />
          </Fact>
          {fix !== null && (
            <Fact name="Fix">
              <QuotedText text={fix} />
            </Fact>
          )}
          {severity !== null && <Fact name="Severity">{severityWords[severity]}</Fact>}
          <Fact name="Name">
            <span className="data">{one.name}</span>
          </Fact>
        </Facts>
        {exchanges.length > 1 && (
          <div className="mt-5">
            <SelectField
              label="Request"
              choices={exchanges.map(({ sent, got }, place) => ({
                value: String(place),
                label: `${place + 1}. ${sent.label}: ${got.status ?? 'no response'}`,
              }))}
              value={String(index)}
              onChange={(place) => setChosen(Number(place))}
            />
          </div>
        )}
        {exchange !== undefined && (
          <ExchangeView exchange={exchange} explained={explained && index === result.decisive} />
        )}
      </DetailScroll>
    </DetailPane>
  )
}

function CopyCurl({ exchange }: { readonly exchange: CheckExchange }) {
  const status = useApp((state) => state.core.status)
  const line = exchangeCurl(exchange, {
    receiver: status?.receiver.url ?? null,
    caFile: status?.caFile ?? null,
  })
  if (line === null) return null
  return (
    <CopyButton text={line} label="Copy the exact request as cURL" caption="cURL" className="h-7" />
  )
}

function TryAgain({
  run,
  name,
  aside,
  trying,
  onTrying,
}: Trying & {
  readonly run: CheckRun
  readonly name: string
  readonly aside: ReactNode
}) {
  const { client, patch } = useData()
  const tryAgain = async () => {
    onTrying(name)
    try {
      const tried = await client.call('check.again', { runId: run.id, name })
      patch('check.get', { runId: run.id }, () => tried)
    } finally {
      onTrying(null)
    }
  }
  const { problem, run: act } = useOutcome()
  return (
    <>
      <span className="flex shrink-0 items-center gap-1">
        {aside}
        <Button
          icon={RotateCw}
          disabled={trying !== null || run.state === 'running'}
          title="Sends this case again with a fresh signature"
          onClick={() => void act(() => settleCall(tryAgain()))}
        >
          {trying !== null ? 'Trying…' : 'Try again'}
        </Button>
      </span>
      {problem !== null && (
        <div className="w-full">
          <ProblemView problem={problem} />
        </div>
      )}
    </>
  )
}

function Block({
  title,
  note,
  label,
  children,
}: {
  readonly title: string
  readonly note: ReactNode
  readonly label: string
  readonly children: ReactNode
}) {
  return (
    <section className="mt-5">
      <h3 className="mb-1.5 flex flex-wrap items-baseline gap-x-2 font-medium">
        {title}
        <span className="min-w-0 text-small font-normal wrap-anywhere text-subtle">{note}</span>
      </h3>
      <pre
        tabIndex={0}
        aria-label={label}
        className="data max-h-96 overflow-auto rounded-control border border-line bg-ground px-3 py-2 leading-5 wrap-anywhere whitespace-pre-wrap"
      >
        {children}
      </pre>
    </section>
  )
}

function HeaderLines({ headers }: { readonly headers: CheckExchange['sent']['headers'] }) {
  return headers.map(([name, value], place) => (
    <span key={place} className="block">
      <span className="text-code-key">{name}</span>: <ExactText text={value} />
    </span>
  ))
}

function ExchangeView({
  exchange: { sent, got },
  explained,
}: {
  readonly exchange: CheckExchange
  /** Whether the reason for a missing response is shown elsewhere. */
  readonly explained: boolean
}) {
  const cut = new TextEncoder().encode(sent.body).length < sent.bodySize
  return (
    <>
      <Block
        title="Request"
        label="Request as sent"
        note={
          <>
            signed over <span className="data">{sent.signedUrl}</span>
          </>
        }
      >
        {sent.method} <ExactText text={sent.url} />
        <HeaderLines headers={sent.headers} />
        {sent.body !== '' && (
          <span className="mt-2 block">
            <ExactLines text={sent.body} />
          </span>
        )}
        {cut && (
          <span className="mt-2 block text-subtle">{`First ${sent.body.length.toLocaleString('en')} of ${sent.bodySize.toLocaleString('en')} bytes.`}</span>
        )}
      </Block>
      <Block
        title="Response"
        label="Response as received"
        note={`after ${milliseconds(got.ms)} ms${got.early ? ', before the full request was sent' : ''}`}
      >
        {got.status === null ? (
          <ExactText text={explained ? 'None' : (got.error ?? 'None')} />
        ) : (
          got.status
        )}
        <HeaderLines headers={got.headers} />
        {got.body !== '' && (
          <span className="mt-2 block">
            <ExactLines text={got.body} />
          </span>
        )}
      </Block>
    </>
  )
}

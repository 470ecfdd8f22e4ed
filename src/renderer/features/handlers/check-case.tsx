/**
 * Details of a case: request, expectation, response, reason and fix, with a button to run it again.
 */
import { useState } from 'react'
import { fixOf, isExplained, severityOf, type CheckRun } from '../../../shared/model/check.ts'
import { checkOutcomes, shownCase } from '../../../shared/model/check-outcomes.ts'
import { ExactText } from '../../ui/exact-text.tsx'
import { Fact, Facts } from '../../ui/name-value-table.tsx'
import { QuotedText } from '../../ui/finding-text.tsx'
import { OutcomeMark } from '../../ui/outcome-mark.tsx'
import { SectionLink } from '../../ui/reference-page.tsx'
import { SelectField } from '../../ui/select.tsx'
import { DetailPane, DetailScroll } from '../../ui/split-panes.tsx'
import type { CaseEntry } from './check-cases.ts'
import { CopyExchangeCurl } from './exchange-curl.tsx'
import { ExchangeView } from './exchange-view.tsx'
import { TryAgain, type RetryState } from './try-again.tsx'

export function CaseDetail({
  run,
  entry,
  rerunCaseName,
  onTrying,
}: RetryState & {
  readonly run: CheckRun
  readonly entry: CaseEntry
}) {
  const { checkCase, result } = entry
  const [chosen, setChosen] = useState<number | null>(null)
  const exchanges = result?.exchanges ?? []
  const index = chosen !== null && chosen < exchanges.length ? chosen : (result?.decisive ?? 0)
  const exchange = exchanges[index]
  // The diagnosis, above the cases, says why nothing responded and what to do.
  const explained = result !== null && isExplained(result, run.conclusions)
  return (
    <DetailPane label="Case" pane="case">
      <header className="flex min-h-12 shrink-0 flex-wrap items-center gap-x-3 gap-y-2 border-b border-line py-2 pr-3 pl-5">
        <h2 className="flex min-w-0 flex-1 basis-64 items-center gap-x-3" title={checkCase.title}>
          <span className="flex shrink-0">
            <OutcomeMark outcome={checkOutcomes[shownCase(result)]} large />
          </span>
          <span className="min-w-0 truncate font-medium">{checkCase.title}</span>
        </h2>
        <TryAgain
          run={run}
          name={checkCase.name}
          rerunCaseName={rerunCaseName}
          onTrying={onTrying}
          aside={exchange === undefined ? null : <CopyExchangeCurl exchange={exchange} />}
        />
      </header>
      <DetailScroll label="Case details">
        <CaseFacts run={run} entry={entry} explained={explained} />
        {exchanges.length > 1 && (
          <div className="mt-5">
            <SelectField
              label="Step"
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

const severityWords = {
  critical: 'Critical: loses deliveries or accepts forged ones',
  major: 'Major: will fail in production sooner or later',
  minor: 'Minor',
} as const

function CaseFacts({
  run,
  entry: { checkCase, result },
  explained,
}: {
  readonly run: CheckRun
  readonly entry: CaseEntry
  /** Whether a diagnosis of the run explains the result. */
  readonly explained: boolean
}) {
  const severity = result === null ? null : severityOf(result)
  const fix = result === null || explained ? null : fixOf(result, run.conclusions)
  return (
    <Facts>
      <Fact name="Sent">
        <QuotedText text={checkCase.sends} />
      </Fact>
      <Fact name="Expected">{checkCase.expected}</Fact>
      <Fact name="Got">
        {result === null ? (
          'Nothing yet'
        ) : explained ? (
          'No valid response'
        ) : (
          <ExactText text={result.message} />
        )}
      </Fact>
      {result !== null && result.warning !== null && <Fact name="Warning">{result.warning}</Fact>}
      <Fact name="Why">
        <QuotedText text={checkCase.why} /> <SectionLink section={checkCase.section} />
      </Fact>
      {fix !== null && (
        <Fact name="Fix">
          <QuotedText text={fix} />
        </Fact>
      )}
      {severity !== null && <Fact name="Severity">{severityWords[severity]}</Fact>}
      <Fact name="Name">
        <span className="data">{checkCase.name}</span>
      </Fact>
    </Facts>
  )
}

/** The checks of a delivery in the Overview. */
import { CircleCheck, CircleX, Clock, Info, type LucideIcon } from 'lucide-react'
import { useId, useState, type ReactNode } from 'react'
import type { SchemaReport } from '../../../shared/model/delivery.ts'
import { counted } from '../../../shared/text/english.ts'
import type { AppState } from '../../ui-state/store.ts'
import { useAppStore } from '../../ui-state/use-app.ts'
import { Button } from '../../ui/button.tsx'
import { DisclosureButton } from '../../ui/disclosure.tsx'
import { ExactText } from '../../ui/exact-text.tsx'
import { FindingText } from '../../ui/finding-text.tsx'
import { verdictToneText, type VerdictTone } from '../../ui/verdict.tsx'
import type { ShownCheck } from './summary-checks.ts'
import { LinkButton } from './link-button.tsx'

/** Schema errors shown initially: a body of another event can have one for every field. */
const INITIAL_ERRORS = 6

const checkIcons: Readonly<Record<VerdictTone, LucideIcon>> = {
  ok: CircleCheck,
  bad: CircleX,
  warn: Clock,
  quiet: Info,
}

/** Lists failed checks and schema errors; passed checks and notes are folded. */
export function DeliveryChecks({
  checks,
  schema,
  onShow,
}: {
  readonly checks: readonly ShownCheck[]
  readonly schema: SchemaReport | null
  readonly onShow: (path: string) => (state: AppState) => void
}) {
  const store = useAppStore()
  const [isComplete, setIsComplete] = useState(false)
  const { failures, findings } = schema ?? { failures: [], findings: [] }
  const failed = checks.filter(({ tone }) => tone !== 'ok')
  const shown = isComplete ? failures : failures.slice(0, INITIAL_ERRORS)
  return (
    <div className="text-small">
      {(failed.length > 0 || failures.length > 0) && (
        <ul
          aria-label="Failed checks"
          className="flex flex-col gap-1.5 px-5 pt-3 pb-2 @max-[560px]:px-4"
        >
          {failed.map((check) => (
            <CheckRow key={check.text} tone={check.tone}>
              <ExactText text={check.text} />
            </CheckRow>
          ))}
          {shown.map((note) => (
            <CheckRow key={`${note.path} ${note.message}`} tone="bad" word="Error">
              <FindingText finding={note} />{' '}
              <LinkButton
                label={`Show in body: ${note.path}`}
                onClick={() => onShow(note.path)(store.getState())}
              >
                Show in body
              </LinkButton>
            </CheckRow>
          ))}
          {failures.length > shown.length && (
            <li>
              <Button
                kind="quiet"
                className="-ml-2.5 text-small"
                onClick={() => setIsComplete(true)}
              >
                Show all {failures.length}
              </Button>
            </li>
          )}
        </ul>
      )}
      <FoldedChecks checks={checks} findings={findings} />
    </div>
  )
}

/** Folds passed checks and notes about the schema. */
function FoldedChecks({
  checks,
  findings,
}: {
  readonly checks: readonly ShownCheck[]
  readonly findings: SchemaReport['findings']
}) {
  const [open, setOpen] = useState(false)
  const id = useId()
  const passed = checks.filter(({ tone }) => tone === 'ok')
  const folded = [
    ...(passed.length > 0 ? [`${counted(passed.length, 'check')} passed`] : []),
    ...(findings.length > 0 ? [counted(findings.length, 'note')] : []),
  ]
  if (folded.length === 0) return null
  return (
    <>
      <DisclosureButton
        open={open}
        content={id}
        onToggle={setOpen}
        className="gap-2 px-5 text-muted @max-[560px]:px-4"
      >
        {folded.join(', ')}
      </DisclosureButton>
      {open && (
        <ul id={id} aria-label="Passed checks" className="flex flex-col gap-1.5 px-5 pb-3">
          {passed.map(({ tone, text }) => (
            <CheckRow key={text} tone={tone}>
              <ExactText text={text} />
            </CheckRow>
          ))}
          {findings.map((note) => (
            <CheckRow key={`${note.path} ${note.message}`} tone="quiet" word="Note">
              <FindingText finding={note} />
            </CheckRow>
          ))}
        </ul>
      )}
    </>
  )
}

function CheckRow({
  tone,
  word,
  children,
}: {
  readonly tone: VerdictTone
  readonly word?: string
  readonly children: ReactNode
}) {
  const Icon = checkIcons[tone]
  return (
    <li className="flex min-w-0 gap-2">
      <Icon
        size={14}
        {...(word === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': word })}
        className={`mt-px shrink-0 ${verdictToneText[tone]}`}
      />
      <span className="min-w-0 wrap-anywhere">{children}</span>
    </li>
  )
}

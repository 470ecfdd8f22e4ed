/** The draft of the hook form and what it sends, and the editor of its headers. */
import { Plus, X } from 'lucide-react'
import { useId, useRef, type ReactNode } from 'react'
import { Button, IconButton } from '../../ui/button.tsx'
import { controlStyle } from '../../ui/field.tsx'
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { Hook } from '../../../shared/model/hook.ts'
import {
  hookKindOf,
  isEventType,
  isQualifiedEvent,
  eventTypes,
} from '../../../shared/service/event-type.ts'
import type { CallProblem, Finding } from '../../ui/call-problem.ts'
import type { FieldFinding } from '../../ui/finding-text.tsx'

export interface HookDraft {
  readonly environment: string
  readonly event: string
  /** Null while the proposed program is used. */
  readonly programId: string | null
  readonly offerId: string
  /** Null while the proposed receiver URL is used. */
  readonly url: string | null
  readonly headers: readonly HookHeaderRow[]
}

/** What is known before the form opens. `url` null means the proposed URL. */
export type HookBeginning = Partial<
  Pick<Hook, 'environment' | 'event' | 'programId' | 'offerId' | 'headers'> & {
    readonly url: string | null
  }
>

/** The first draft of a form, in the given environment unless another is known. */
export function newHookDraft(environment: string, from: HookBeginning = {}): HookDraft {
  return {
    environment: from.environment ?? environment,
    event: from.event ?? 'transaction.auth',
    programId: from.programId ?? null,
    offerId: from.offerId ?? '',
    url: from.url ?? null,
    headers: rowsOfHeaders(from.headers ?? {}),
  }
}

/** The only program of an environment is proposed; of several, the user chooses. */
export function proposedProgram(programs: readonly string[]): string {
  return programs.length === 1 ? (programs[0] ?? '') : ''
}

/** The registration input. Leaves out fields that the selected event doesn't support. */
export function inputOfDraft(
  draft: HookDraft,
  proposed: { programId: string; url: string },
): InputOf<'hooks.add'> {
  const programId = (draft.programId ?? proposed.programId).trim()
  const url = (draft.url ?? proposed.url).trim()
  const offerId = draft.offerId.trim()
  return {
    environment: draft.environment,
    event: draft.event.trim(),
    headers: headersOfRows(draft.headers),
    ...(url === '' ? {} : { url }),
    ...(programId === '' || hookKindOf(draft.event) === 'brand' ? {} : { programId }),
    ...(offerId === '' || !isQualifiedEvent(draft.event) ? {} : { offerId }),
  }
}

/** The update input. An update always sends the whole hook (spec 4.1). */
export function updateOfDraft(id: string, draft: HookDraft): InputOf<'hooks.update'> {
  const { event, headers, programId, url } = inputOfDraft(draft, { programId: '', url: '' })
  return {
    id,
    event,
    headers: headers ?? {},
    ...(url === undefined ? {} : { url }),
    ...(programId === undefined ? {} : { programId }),
  }
}

export function kindSentence(event: string): string {
  if (!isEventType(event))
    return 'Not in the spec: registered as a program hook with a program ID, otherwise as a brand hook.'
  const kind = hookKindOf(event)
  if (kind === null) return "The spec names this event but doesn't show how to register it."
  return kind === 'brand'
    ? 'Brand hook: one for the whole account, no program.'
    : 'Program hook: receives events for one program.'
}

/** Events grouped by hook kind, in the order of spec 6.1. */
export const hookEventGroups = [
  { label: 'Program hooks', events: eventTypes.filter((event) => hookKindOf(event) === 'program') },
  { label: 'Brand hook', events: eventTypes.filter((event) => hookKindOf(event) === 'brand') },
  {
    label: 'Registration not shown in the spec',
    events: eventTypes.filter((event) => hookKindOf(event) === null),
  },
] as const

/** Current findings: those of the check if it is up to date, otherwise those of the rejected request. */
export function findingsNow(
  advice: { readonly findings: readonly Finding[]; readonly current: boolean },
  problem: CallProblem | null,
): readonly Finding[] {
  return !advice.current && problem?.code === 'INVALID_HOOK' ? problem.findings : advice.findings
}

/** Findings for header names used twice. The row editor shows them. */
export function repeatedHeaders(rows: readonly HookHeaderRow[]): readonly FieldFinding[] {
  return [...repeatedNames(rows)].map((name) => ({ field: 'headers', message: name }))
}

// Headers as name and value rows, each with its problem.

export interface HookHeaderRow {
  readonly key: number
  readonly name: string
  readonly value: string
}

export function rowsOfHeaders(headers: Readonly<Record<string, string>>): readonly HookHeaderRow[] {
  return Object.entries(headers).map(([name, value], key) => ({ key, name, value }))
}

export function withEmptyRow(rows: readonly HookHeaderRow[]): readonly HookHeaderRow[] {
  return [
    ...rows,
    { key: rows.reduce((highest, row) => Math.max(highest, row.key + 1), 0), name: '', value: '' },
  ]
}

/** Skips rows with neither name nor value. */
export function headersOfRows(rows: readonly HookHeaderRow[]): Record<string, string> {
  return Object.fromEntries(
    rows.filter((row) => row.name !== '' || row.value !== '').map((row) => [row.name, row.value]),
  )
}

/** Names used in more than one row, case-insensitive. An object holds each name only once. */
export function repeatedNames(rows: readonly HookHeaderRow[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const { name } of rows) {
    const folded = name.toLowerCase()
    if (folded !== '' && seen.has(folded)) repeated.add(folded)
    seen.add(folded)
  }
  return repeated
}

export function HeaderEditor({
  label,
  hint,
  rows,
  onChange,
  problemOf,
  most = Number.POSITIVE_INFINITY,
}: {
  readonly label: string
  readonly hint: string
  readonly rows: readonly HookHeaderRow[]
  readonly onChange: (rows: readonly HookHeaderRow[]) => void
  readonly problemOf?: (name: string) => ReactNode
  readonly most?: number
}) {
  const id = useId()
  const isAdding = useRef(false)
  /** After adding a header, focus its name. */
  const takeFocus = (input: HTMLInputElement | null) => {
    if (input === null || !isAdding.current) return
    isAdding.current = false
    input.focus()
  }
  const repeated = repeatedNames(rows)
  const change = (key: number, part: Partial<HookHeaderRow>) =>
    onChange(rows.map((row) => (row.key === key ? { ...row, ...part } : row)))
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 text-small font-medium text-muted">
        {label}
        <span className="font-normal text-subtle"> (optional)</span>
      </legend>
      {rows.map(({ key, name, value }, index) => {
        const filled = name !== '' || value !== ''
        const problem = repeated.has(name.toLowerCase())
          ? 'This header name is used twice.'
          : filled
            ? (problemOf?.(name) ?? null)
            : null
        const about = `${id}-${key}`
        return (
          <div key={key}>
            <div className="flex items-center gap-1.5">
              <input
                ref={index === rows.length - 1 ? takeFocus : undefined}
                aria-label={`${label}: name ${index + 1}`}
                aria-invalid={problem !== null}
                aria-describedby={about}
                placeholder="Name"
                spellCheck={false}
                autoComplete="off"
                value={name}
                onChange={(event) => change(key, { name: event.currentTarget.value })}
                className={`${controlStyle} flex-1 data`}
              />
              <input
                aria-label={`${label}: value ${index + 1}`}
                aria-invalid={problem !== null}
                aria-describedby={about}
                placeholder="Value"
                spellCheck={false}
                autoComplete="off"
                value={value}
                onChange={(event) => change(key, { value: event.currentTarget.value })}
                className={`${controlStyle} flex-[1.4] data`}
              />
              <IconButton
                label={`Remove header ${index + 1}`}
                icon={X}
                onClick={() => onChange(rows.filter((row) => row.key !== key))}
              />
            </div>
            <p id={about} className="mt-1 text-small text-bad empty:hidden">
              {problem}
            </p>
          </div>
        )
      })}
      <div className="flex items-center gap-3">
        <Button
          icon={Plus}
          disabled={rows.length >= most}
          onClick={() => {
            isAdding.current = true
            onChange(withEmptyRow(rows))
          }}
        >
          Add header
        </Button>
        <p className="text-small text-subtle">{hint}</p>
      </div>
    </fieldset>
  )
}

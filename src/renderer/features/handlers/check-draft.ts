/** Draft of the form of a check, and what it sends. */
import {
  FIRST_CASE,
  PROGRAM_CASE,
  type CheckCase,
  type CheckRun,
} from '../../../shared/model/check.ts'
import type { SavedHandler } from '../../../shared/model/handler.ts'
import { handlerAt } from '../../ui/endpoint-offers.ts'
import type { FieldFinding } from '../../ui/finding-text.tsx'
import { caseGroups, entriesOf } from './check-cases.ts'

export interface CheckDraft {
  readonly handlerId: string
  readonly rate: string
  /** Names of the selected cases. */
  readonly chosen: ReadonlySet<string>
}

/**
 * Returns the start of the form: the choices of the last check, otherwise the current handler and
 * all cases but the one that a test handler skips.
 */
export function initialCheckDraft(
  last: CheckRun | null,
  handlers: readonly SavedHandler[],
  cases: readonly CheckCase[],
): CheckDraft {
  const checked = last === null ? null : handlerAt(last.target, handlers)
  const handler = checked ?? handlers.find(({ current }) => current) ?? handlers[0]
  const chosen = new Set(last === null ? cases.map(({ name }) => name) : namesOf(last))
  const program = last?.results.find(({ name }) => name === PROGRAM_CASE)
  if (program === undefined || program.outcome === 'skip') chosen.delete(PROGRAM_CASE)
  return {
    handlerId: handler?.id ?? '',
    rate: String(last?.rate ?? 10),
    chosen,
  }
}

const namesOf = (run: CheckRun) => entriesOf(run).map(({ checkCase }) => checkCase.name)

export function checkFindings(
  { rate }: Pick<CheckDraft, 'rate'>,
  handler: SavedHandler | undefined,
): readonly FieldFinding[] {
  return [
    ...(handler?.hasSecret === false
      ? [{ field: 'handler', message: 'A check needs a secret. Edit the handler to add one.' }]
      : []),
    ...(rate.trim() === '' || Number(rate) > 0
      ? []
      : [{ field: 'rate', message: 'Enter a number above 0.' }]),
  ]
}

/** Names of complete groups, then of the remaining cases; empty if all are selected. */
export function caseSelection(chosen: ReadonlySet<string>, cases: readonly CheckCase[]): string[] {
  if (cases.every(({ name }) => chosen.has(name))) return []
  const picked = caseGroups(cases.map((checkCase) => ({ checkCase, result: null }))).flatMap(
    ([group, entries]) => {
      const names = entries
        .map(({ checkCase }) => checkCase.name)
        .filter((name) => chosen.has(name))
      return names.length === entries.length ? [group] : names
    },
  )
  return picked.length === 0 ? [FIRST_CASE] : picked
}

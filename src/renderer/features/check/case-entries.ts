/** The cases of a run with what came of them, those still waiting included, in their order. */
import {
  checkGroupSchema,
  type CheckCase,
  type CheckGroup,
  type CheckResult,
  type CheckRun,
} from '../../../shared/model/check.ts'

export interface CaseEntry {
  readonly one: CheckCase
  /** Null while it waits. */
  readonly result: CheckResult | null
}

export function entriesOf(run: Pick<CheckRun, 'results' | 'waiting'>): readonly CaseEntry[] {
  return [...run.results.map((result) => ({ one: result, result })), ...run.waiting.map((one) => ({ one, result: null }))]
}

export function caseGroups(entries: readonly CaseEntry[]): readonly (readonly [CheckGroup, readonly CaseEntry[]])[] {
  return checkGroupSchema.options
    .map((group) => [group, entries.filter(({ one }) => one.group === group)] as const)
    .filter(([, all]) => all.length > 0)
}

/** The one chosen; without a choice the first that failed, else the first. */
export function shownEntry(entries: readonly CaseEntry[], chosen: string | null): CaseEntry | undefined {
  return entries.find(({ one }) => one.name === chosen) ?? entries.find(({ result }) => result?.outcome === 'fail') ?? entries[0]
}

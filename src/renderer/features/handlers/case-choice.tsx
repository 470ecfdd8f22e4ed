/** The choice of the cases to run, by group. */
import {
  checkGroups,
  FIRST_CASE,
  PROGRAM_CASE,
  type CheckCase,
  type CheckGroup,
} from '../../../shared/model/check.ts'
import { counted } from '../../../shared/text/english.ts'
import { CheckField } from '../../ui/field.tsx'
import { caseGroups } from './check-cases.ts'
import { HeadingLink } from './handler-parts.tsx'

export function CaseChoice({
  cases,
  chosen,
  failed,
  onChange,
}: {
  readonly cases: readonly CheckCase[]
  /** Names of the selected cases. */
  readonly chosen: ReadonlySet<string>
  /** Names of the cases that failed in the shown run. */
  readonly failed: readonly string[]
  readonly onChange: (chosen: ReadonlySet<string>) => void
}) {
  const names = cases.map(({ name }) => name)
  const choose = (changed: readonly string[], isChosen: boolean) =>
    onChange(
      new Set(
        names.filter((name) =>
          changed.includes(name) ? isChosen || name === FIRST_CASE : chosen.has(name),
        ),
      ),
    )
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">Cases to run</legend>
      <div className="mb-1 flex min-h-7 flex-wrap items-center gap-x-3 gap-y-1">
        <span className="flex-1 font-medium" role="status">
          {chosen.size === names.length
            ? counted(names.length, 'case')
            : `${chosen.size} of ${counted(names.length, 'case')}`}
        </span>
        <HeadingLink onClick={() => onChange(new Set(names))}>Select all</HeadingLink>
        {failed.length > 0 && (
          <HeadingLink onClick={() => onChange(new Set([FIRST_CASE, ...failed]))}>
            Select only failed ({failed.length})
          </HeadingLink>
        )}
      </div>
      <ul className="columns-[320px] gap-x-6">
        {caseGroups(cases.map((checkCase) => ({ checkCase, result: null }))).map(
          ([group, entries]) => (
            <CaseGroup
              key={group}
              group={group}
              cases={entries.map(({ checkCase }) => checkCase)}
              chosen={chosen}
              onChoose={choose}
            />
          ),
        )}
      </ul>
    </fieldset>
  )
}

function CaseGroup({
  group,
  cases,
  chosen,
  onChoose,
}: {
  readonly group: CheckGroup
  readonly cases: readonly CheckCase[]
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (names: readonly string[], isChosen: boolean) => void
}) {
  const names = cases.map(({ name }) => name)
  const count = names.filter((name) => chosen.has(name)).length
  return (
    <li className="mb-4 break-inside-avoid">
      <div className="mb-1 flex min-h-8 items-center justify-between gap-2 border-b border-line/50 font-medium">
        <CheckField
          checked={count === cases.length}
          mixed={count > 0 && count < cases.length}
          onChange={(isChosen) => onChoose(names, isChosen)}
        >
          {checkGroups[group]}
        </CheckField>
        <span className="font-normal text-subtle tabular-nums">
          {count === cases.length ? count : `${count} of ${cases.length}`}
        </span>
      </div>
      <ul className="pl-6">
        {cases.map(({ name, title }) => (
          <li key={name} className="flex min-h-6 items-center">
            <CheckField
              checked={chosen.has(name)}
              disabled={name === FIRST_CASE}
              onChange={(isChosen) => onChoose([name], isChosen)}
            >
              <span className="min-w-0 py-1 text-small text-muted">
                {title}
                {name === FIRST_CASE && ' (always sent)'}
                {name === PROGRAM_CASE && ' (live-mode payload)'}
              </span>
            </CheckField>
          </li>
        ))}
      </ul>
    </li>
  )
}

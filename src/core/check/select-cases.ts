/** Selects cases with `--only` and `--skip`. */
import { AppError } from '../../shared/contract/errors.ts'
import { checkGroups, FIRST_CASE } from '../../shared/model/check.ts'
import { fitsPattern, patternOf } from '../../shared/query/pattern.ts'
import { checkCases } from './cases.ts'
import type { CaseDefinition } from './case-definition.ts'

function matchesCase({ name, group }: CaseDefinition, text: string): boolean {
  const pattern = patternOf(text)
  return fitsPattern(pattern, name) || fitsPattern(pattern, group)
}

/**
 * Selects cases by names, groups or patterns with `*`; always the first, which decides what others
 * prove. Throws `INVALID_INPUT` if a text matches none.
 */
export function selectCases(
  only: readonly string[],
  skip: readonly string[],
): readonly CaseDefinition[] {
  for (const text of [...only, ...skip]) {
    if (checkCases.some((definition) => matchesCase(definition, text))) continue
    throw new AppError(
      'INVALID_INPUT',
      `"${text}" matches no case or group. The groups are ${Object.keys(checkGroups).join(', ')}. "countersign check --list" lists the cases.`,
    )
  }
  return checkCases.filter(
    (definition) =>
      definition.name === FIRST_CASE ||
      ((only.length === 0 || only.some((text) => matchesCase(definition, text))) &&
        !skip.some((text) => matchesCase(definition, text))),
  )
}

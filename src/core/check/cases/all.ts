/** All cases of the handler check, in the order they are sent and shown. */
import { duplicateCases, speedCases } from './load.ts'
import { forgedCases } from './forged.ts'
import { genuineCases } from './genuine.ts'
import { payloadCases } from './payload.ts'
import { robustnessCases } from './robustness.ts'
import { timeCases } from './time.ts'
import type { CaseDefinition } from '../bench.ts'
import { AppError } from '../../../shared/contract/errors.ts'
import { checkGroups, FIRST_CASE } from '../../../shared/model/check.ts'
import { fitsPattern, patternOf } from '../../../shared/query/query.ts'

export const checkCases: readonly CaseDefinition[] = [
  ...genuineCases,
  ...payloadCases,
  ...forgedCases,
  ...timeCases,
  ...duplicateCases,
  ...robustnessCases,
  ...speedCases,
]

// Which cases to run: `--only` and `--skip`, each with names, groups or patterns with `*`.

function fits({ name, group }: CaseDefinition, text: string): boolean {
  const pattern = patternOf(text)
  return fitsPattern(pattern, name) || fitsPattern(pattern, group)
}

/**
 * Selects cases. The first case is always included, because it decides what the others prove. Throws `INVALID_INPUT` for a text
 * that matches no case.
 */
export function selectCases(
  only: readonly string[],
  skip: readonly string[],
): readonly CaseDefinition[] {
  for (const text of [...only, ...skip]) {
    if (checkCases.some((one) => fits(one, text))) continue
    throw new AppError(
      'INVALID_INPUT',
      `"${text}" matches no case or group. The groups are ${Object.keys(checkGroups).join(', ')}. "countersign check --list" lists the cases.`,
    )
  }
  return checkCases.filter(
    (one) =>
      one.name === FIRST_CASE ||
      ((only.length === 0 || only.some((text) => fits(one, text))) &&
        !skip.some((text) => fits(one, text))),
  )
}

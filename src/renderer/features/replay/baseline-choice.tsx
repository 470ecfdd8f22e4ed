/** The file of a baseline that a comparison is against. */
import { useState } from 'react'
import { AppError } from '../../../shared/contract/errors.ts'
import { parseBaseline } from '../../../shared/import-export/baseline-file.ts'
import type { Baseline } from '../../../shared/model/run-comparison.ts'
import { FileButton } from '../../connected/file-input.tsx'
import { fileText, type UserFile } from '../../ui-state/user-file.ts'
import { settleCall } from '../../ui/call-problem.ts'
import { visibleText } from '../../ui/visible-text.ts'

/** Size limit in MiB; a message to the core has 16. */
const MOST_MIB = 15

export interface ChosenBaseline {
  readonly name: string
  readonly baseline: Baseline
}

export async function readBaseline(
  file: Pick<UserFile, 'name' | 'pieces'>,
): Promise<ChosenBaseline> {
  const { name } = file
  const tooLarge = new AppError(
    'INVALID_INPUT',
    `${name} is larger than ${MOST_MIB} MiB. Compare with it on the command line.`,
  )
  const text = await fileText(file, MOST_MIB * 1_048_576, tooLarge)
  return { name, baseline: parseBaseline(text, name) }
}

export function BaselineChoice({
  chosen,
  onChosen,
}: {
  readonly chosen: ChosenBaseline | null
  readonly onChosen: (chosen: ChosenBaseline) => void
}) {
  const [problem, setProblem] = useState<string | null>(null)
  const choose = async (file: UserFile) => {
    const result = await settleCall(readBaseline(file))
    setProblem(result.ok ? null : (result.problem?.message ?? null))
    if (result.ok) onChosen(result.value)
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <FileButton file="baseline" label="Baseline file" onFile={(file) => void choose(file)}>
        Choose file…
      </FileButton>
      <span className={problem === null ? 'min-w-0 truncate text-muted' : 'text-bad'} role="status">
        {problem ??
          (chosen === null
            ? 'Saved on the command line with replay --save FILE'
            : visibleText(chosen.name))}
      </span>
    </div>
  )
}

/** Errors of a flow file. */
import { z } from 'zod'
import { AppError } from '../../../shared/contract/errors.ts'
import { fileProblemSchema, type FileProblem } from '../../../shared/model/file-problem.ts'
import { fileSentenceOf } from '../../ui-state/user-file.ts'

/** An invalid flow file: all errors with positions, or a single message. */
export interface FlowFileProblem {
  readonly file: string
  /** Whether the last valid version is still open. */
  readonly isOpen: boolean
  readonly message: string
  readonly problems: readonly FileProblem[]
}

const problemsSchema = z.array(fileProblemSchema)

export function fileProblemOf(error: unknown, file: string, isOpen: boolean): FlowFileProblem {
  const problems = problemsSchema.safeParse(error instanceof AppError ? error.details : null)
  return { file, isOpen, message: fileSentenceOf(error), problems: problems.data ?? [] }
}

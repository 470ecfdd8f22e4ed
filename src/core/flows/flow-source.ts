/** Which flow is meant: a built-in one by its name, or the text of a file. */
import { AppError } from '../../shared/contract/errors.ts'
import type { InputOf } from '../../shared/contract/contract.ts'
import type { Flow } from '../../shared/model/flow.ts'
import { builtInFlows } from './built-in/index.ts'
import { readFlow } from './read-flow.ts'

export type Which = Pick<InputOf<'flows.get'>, 'name' | 'source'>

export interface FoundFlow {
  readonly flow: Flow
  /** The text of its file. */
  readonly source: string
  /** The file, by its path where that is known; null of a built-in one. */
  readonly origin: string | null
}

/** Throws `NOT_FOUND`, and `INVALID_FLOW` for a file that breaks the rules. */
export function findFlow({ name, source }: Which): FoundFlow {
  if ((name === undefined) === (source === undefined))
    throw new AppError('INVALID_INPUT', 'Give either the name of a flow or the text of one.')
  if (source !== undefined)
    return { flow: readFlow(source.text, source.file), source: source.text, origin: source.path ?? source.file }
  const known = builtInFlows().find(({ flow }) => flow.name === name)
  if (known !== undefined) return { ...known, origin: null }
  throw new AppError(
    'NOT_FOUND',
    `There is no flow ${name ?? ''}. List them with "countersign flow list", or give the file of your own.`,
  )
}

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { createContext, use } from 'react'
import { AppError } from '../../shared/contract/errors.ts'
import type { CommandName, InputOf, OutputOf } from '../../shared/contract/contract.ts'
import { isQuiet, sentenceOf } from './act.ts'
import type { Data } from './data.ts'

export const DataContext = createContext<Data | null>(null)

export function useData(): Data {
  const data = use(DataContext)
  if (data === null) throw new Error('Wrap the component in DataContext.')
  return data
}

/**
 * A command's output: the known one at once, then the one that is read, and events keep it up to date. Null as input reads nothing.
 * With `keep`, the output for an earlier input stays until the one for this input is read (`isEarlier`). `everyMs`: reads again and
 * again. `problem` says why there is no output.
 */
export function useRead<K extends CommandName>(
  command: K,
  input: InputOf<K> | null,
  {
    keep = false,
    everyMs = false,
  }: { readonly keep?: boolean; readonly everyMs?: number | false } = {},
) {
  const { data, dataUpdatedAt, error, isPlaceholderData, refetch } = useQuery<OutputOf<K>>(
    {
      queryKey: [command, input],
      enabled: input !== null,
      refetchInterval: everyMs,
      ...(keep ? { placeholderData: keepPreviousData } : {}),
    },
    useData().queries,
  )
  const failure = error === null || isQuiet(error) ? null : sentenceOf(error)
  return {
    output: data,
    isEarlier: isPlaceholderData,
    /** In milliseconds of this computer's clock. */
    readAt: dataUpdatedAt,
    isGone: error instanceof AppError && error.code === 'NOT_FOUND',
    problem: data === undefined ? failure : null,
    /** Why the last read failed, whether there is older output or not. */
    failure,
    readAgain: () => void refetch(),
  }
}

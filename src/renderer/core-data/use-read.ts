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
 * Returns a command's output: cached, then read, then kept current by events. A null input reads
 * nothing; `keep` shows an earlier input's output meanwhile (`isEarlier`); `everyMs` polls.
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
    /** Milliseconds of this computer's clock. */
    readAt: dataUpdatedAt,
    isGone: error instanceof AppError && error.code === 'NOT_FOUND',
    problem: data === undefined ? failure : null,
    /** Reason why the last read failed, even if older output remains. */
    failure,
    readAgain: () => void refetch(),
  }
}

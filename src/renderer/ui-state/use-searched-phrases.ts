import { useMemo } from 'react'
import { searchedPhrases } from '../../shared/query/searched-phrases.ts'
import { useApp } from './use-app.ts'

/** Returns the phrases of the applied filter, which marks show. */
export function useSearchedPhrases() {
  const applied = useApp((state) => state.filter.applied)
  return useMemo(() => searchedPhrases(applied), [applied])
}

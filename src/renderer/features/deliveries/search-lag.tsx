/** Under the filter: that the search index is still catching up, while it is. What it lacks is found too, only more slowly. */
import { useAppParts } from '../../state/use-app.ts'

export function SearchLag() {
  const { search, filtered } = useAppParts((state) => ({
    search: state.status?.store.search ?? null,
    filtered: state.filter !== '',
  }))
  if (search === null || !filtered || (search.state !== 'filling' && search.state !== 'checking')) return null
  const left = search.left === 1 ? '1 delivery is' : `${search.left.toLocaleString('en')} deliveries are`
  return (
    <p role="status" className="px-4 pb-1.5 text-small text-subtle tabular-nums">
      {search.state === 'filling'
        ? `Search is still catching up: ${left} not indexed yet. They are found too, only more slowly.`
        : 'Search is being checked after a stop that was not in order. What it finds is right meanwhile.'}
    </p>
  )
}

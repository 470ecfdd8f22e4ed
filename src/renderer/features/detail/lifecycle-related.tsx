/** Deliveries that name the same objects: each a filter of the list. */
import type { Lifecycle } from '../../../shared/model/lifecycle.ts'
import { useApp } from '../../state/use-app.ts'
import { Button } from '../../ui/button.tsx'

const relatedNames = {
  card: 'This card',
  brand: 'This brand',
  location: 'This location',
  program: 'This program',
  offer: 'This offer',
  purchase: 'This purchase',
} as const

export function Related({ lifecycle: { related } }: { readonly lifecycle: Lifecycle }) {
  const setDraft = useApp((state) => state.filter.setDraft)
  if (related.length === 0) return null
  return (
    <div className="border-t border-line/60 px-5 py-3">
      <h3 className="text-small font-medium text-muted">Also of</h3>
      <ul className="mt-1 flex flex-wrap gap-1.5">
        {related.map(({ kind, id, deliveries, isMore }) => (
          <li key={kind + id}>
            <Button
              title={`Filter the list by ${id}`}
              className="font-normal"
              onClick={() => {
                setDraft(`"${id}"`)
              }}
            >
              {relatedNames[kind]}
              <span className="text-small text-subtle tabular-nums">
                {deliveries.toLocaleString('en')}
                {isMore ? '+' : ''}
              </span>
            </Button>
          </li>
        ))}
      </ul>
    </div>
  )
}

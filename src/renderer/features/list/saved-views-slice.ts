/** The saved views, which the core stores. */
import type { View } from '../../../shared/model/view.ts'
import { joinQueries, withTimeSpanOf } from '../../../shared/query/edit-query.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import { settleCall } from '../../ui/call-problem.ts'
import type { FilterSlice } from './filter-slice.ts'

interface ViewsContext {
  readonly filter: FilterSlice
  readonly navigation: { go(screen: 'deliveries'): void }
}

/** Returns the view whose query is applied, regardless of the time span. */
export function viewOf(query: string, views: readonly View[]): View | undefined {
  return (
    views.find((view) => view.query === query) ??
    views.find((view) => withTimeSpanOf(view.query, query) === query)
  )
}

/** Creates the slice of saved views, which the core stores. */
export function createSavedViewsSlice({ client, app }: FeatureTools<object, ViewsContext>) {
  return {
    save: (view: Omit<View, 'id'> & { readonly id?: string }) =>
      settleCall(client.call('views.save', view)),
    remove: (id: string) => settleCall(client.call('views.remove', { id })),
    /** Applies a view within the current time span. */
    open(view: View) {
      const { filter, navigation } = app()
      navigation.go('deliveries')
      filter.setDraft(
        withTimeSpanOf(view.query, filter.draftProblem === null ? filter.draft : filter.applied),
      )
      filter.apply()
    },
    /** Includes deliveries of flow runs in the list. */
    showHidden() {
      const { filter } = app()
      filter.setDraft(joinQueries(filter.applied, 'is:any'))
      filter.apply()
    },
  }
}

/** Searches that were given a name. The core keeps them; every window shows the same. */
import type { View } from '../../../shared/model/view.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import { outcomeOf, type Outcome } from '../../ui/call-problem.ts'

export interface SavedViewsSlice {
  readonly all: readonly View[]
  changed(views: readonly View[]): void
  /** Makes a view, or changes the one whose id is given. */
  save(view: Omit<View, 'id'> & { readonly id?: string }): Promise<Outcome<View>>
  remove(id: string): Promise<Outcome<object>>
}

export function createSavedViewsSlice({ client, set }: FeatureTools<SavedViewsSlice>): SavedViewsSlice {
  return {
    all: [],
    changed: (views) => {
      set({ all: views })
    },
    save: (view) => outcomeOf(client.call('views.save', view)),
    remove: (id) => outcomeOf(client.call('views.remove', { id })),
  }
}

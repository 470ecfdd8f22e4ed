/** Searches that were given a name. The core keeps them; every window shows the same. */
import type { StateCreator } from 'zustand/vanilla'
import type { View } from '../../../shared/model/view.ts'
import type { SliceContext } from '../../state/slice-context.ts'
import { outcomeOf, type Outcome } from '../../ui/call-problem.ts'

export interface SavedViewsSlice {
  readonly views: readonly View[]
  setViews(views: readonly View[]): void
  /** Makes a view, or changes the one whose id is given. */
  saveView(view: Omit<View, 'id'> & { readonly id?: string }): Promise<Outcome<View>>
  removeView(id: string): Promise<Outcome<object>>
}

export function createSavedViewsSlice({ client }: SliceContext): StateCreator<SavedViewsSlice> {
  return (set) => ({
    views: [],
    setViews: (views) => {
      set({ views })
    },
    saveView: (view) => outcomeOf(client.call('views.save', view)),
    removeView: (id) => outcomeOf(client.call('views.remove', { id })),
  })
}

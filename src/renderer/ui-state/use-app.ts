import { createContext, use } from 'react'
import { useStore } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import type { AppState, AppStore } from './store.ts'

export const StoreContext = createContext<AppStore | null>(null)

export function useAppStore(): AppStore {
  const store = use(StoreContext)
  if (store === null)
    throw new Error('The app store is missing. Wrap the component in StoreContext.')
  return store
}

/** Returns a part of the state; the component re-renders when it changes. */
export function useApp<T>(select: (state: AppState) => T): T {
  return useStore(useAppStore(), select)
}

/** Returns several values as one object, compared shallowly. */
export function useAppParts<T extends object>(select: (state: AppState) => T): T {
  return useStore(useAppStore(), useShallow(select))
}

export function useParts<Feature extends keyof AppState, Member extends keyof AppState[Feature]>(
  feature: Feature,
  ...members: readonly Member[]
): Pick<AppState[Feature], Member> {
  return useAppParts(
    (state) =>
      Object.fromEntries(members.map((member) => [member, state[feature][member]])) as Pick<
        AppState[Feature],
        Member
      >,
  )
}

/**
 * Types of keyboard actions and palette items, which the features define and the shell combines.
 */
import type { ComponentType } from 'react'
import type { KeyScope } from '../key-map.ts'
import type { Screen } from '../screens.ts'
import type { AppState, AppStore } from './store.ts'

/** Action of a key; returns false if it doesn't apply, so that the key keeps its usual meaning. */
export type RunKey = (store: AppStore) => boolean

/** Returns a key's action that always applies. */
export function always(act: (state: ReturnType<AppStore['getState']>) => unknown): RunKey {
  return (store) => {
    act(store.getState())
    return true
  }
}

/** Returns an action that clicks a button, so that a disabled button disables its key. */
export function press(id: string): RunKey {
  return () => {
    document.getElementById(id)?.click()
    return true
  }
}

export interface PaletteItem {
  readonly value: string
  readonly label: string
  readonly note?: string
  readonly keys?: string
  run(): void
}

export interface PaletteGroup {
  readonly value: string
  readonly items: readonly PaletteItem[]
}

/** Returns the items if they are available, else none. */
export function when(holds: boolean, ...items: readonly PaletteItem[]): readonly PaletteItem[] {
  return holds ? items : []
}

/** Parts of a screen, which a feature exports as `ownScreens`. */
export interface ScreenParts {
  readonly Screen: ComponentType
  /** Returns the scopes of the screen's keys, besides those that work everywhere. */
  readonly scopes?: (state: AppState) => readonly KeyScope[]
  readonly commands?: (state: AppState) => readonly PaletteItem[]
  /** Returns the ID of the search field; null for the filter of the deliveries. */
  readonly searchId?: (state: AppState) => string | null
  /** Handles Esc; returns false if there is nothing to leave. */
  readonly leave?: RunKey
}

export type Screens<Name extends Screen> = Readonly<Record<Name, ScreenParts>>

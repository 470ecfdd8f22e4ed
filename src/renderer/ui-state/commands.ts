/**
 * Types for keyboard actions and palette items. Each feature defines its own in `commands.ts` or `index.ts`; the shell combines
 * them.
 */
import type { ComponentType } from 'react'
import type { KeyScope } from './key-map.ts'
import type { Screen } from './routes.ts'
import type { AppState, AppStore } from './store.ts'

/** False if the action doesn't apply here, so that the key keeps its usual meaning. */
export type RunKey = (store: AppStore) => boolean

export function always(act: (state: ReturnType<AppStore['getState']>) => unknown): RunKey {
  return (store) => {
    act(store.getState())
    return true
  }
}

/** Clicks the action's button on screen, so that whatever disables the button disables the key too. */
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

/** An item that is available only in some states of the app. */
export function when(holds: boolean, ...items: readonly PaletteItem[]): readonly PaletteItem[] {
  return holds ? items : []
}

/** What a screen draws and offers. A feature exports those of its screens as `ownScreens`, by their names in `screens.ts`. */
export interface ScreenParts {
  readonly Screen: ComponentType
  /** The scopes of the keys that work on it, besides those that work everywhere. */
  readonly scopes?: (state: AppState) => readonly KeyScope[]
  readonly commands?: (state: AppState) => readonly PaletteItem[]
  /** The ID of its search field; null for the filter of the deliveries. */
  readonly searchId?: (state: AppState) => string | null
  /** What Esc does on it; false if there is nothing to leave. */
  readonly leave?: RunKey
}

export type Screens<Name extends Screen> = Readonly<Record<Name, ScreenParts>>

interface PaletteParts {
  readonly byId: readonly PaletteItem[]
  /** Actions of the selected deliveries. */
  readonly selected: readonly PaletteItem[]
  readonly places: readonly PaletteItem[]
  /** Those of the shown screen first. */
  readonly commands: readonly PaletteItem[]
  readonly views: readonly PaletteItem[]
  readonly flows: readonly PaletteItem[]
  readonly hooks: readonly PaletteItem[]
  /** The items run last, by value, newest first. */
  readonly recent: readonly string[]
}

const RECENT_SHOWN = 5

/**
 * The groups of the palette. Before anything is typed: the selected delivery's actions, recent commands, and the rest without the
 * many triggers and flows.
 */
export function arrangePalette(parts: PaletteParts, typed: string): readonly PaletteGroup[] {
  const { byId, selected, places, commands, views, flows, hooks } = parts
  if (typed.trim() !== '')
    return withoutRepeats([
      { value: 'Delivery', items: byId },
      { value: 'Selected delivery', items: selected },
      { value: 'Navigation', items: places },
      { value: 'Commands', items: commands },
      { value: 'Views', items: views },
      { value: 'Flows', items: flows },
      { value: 'Hooks', items: hooks },
    ])
  const all = [...selected, ...places, ...commands, ...views, ...flows, ...hooks]
  const recent = parts.recent.flatMap((value) => all.find((item) => item.value === value) ?? [])
  return withoutRepeats([
    { value: 'Selected delivery', items: selected },
    { value: 'Recent', items: recent.slice(0, RECENT_SHOWN) },
    { value: 'Commands', items: commands.filter(({ value }) => !value.startsWith('trigger-')) },
    { value: 'Views', items: views },
    { value: 'Navigation', items: places },
    { value: 'Hooks', items: hooks },
  ])
}

/** Each item in its first group only, and no empty groups. */
function withoutRepeats(groups: readonly PaletteGroup[]): readonly PaletteGroup[] {
  const seen = new Set<string>()
  const isNew = ({ value }: PaletteItem) => !seen.has(value) && seen.add(value).size > 0
  return groups
    .map(({ value, items }) => ({ value, items: items.filter(isNew) }))
    .filter(({ items }) => items.length > 0)
}

import type { PaletteItem, PaletteGroup } from './commands.ts'

interface PaletteParts {
  readonly byId: readonly PaletteItem[]
  readonly selected: readonly PaletteItem[]
  readonly places: readonly PaletteItem[]
  /** Commands of all screens, those of the shown one first. */
  readonly commands: readonly PaletteItem[]
  readonly views: readonly PaletteItem[]
  readonly flows: readonly PaletteItem[]
  readonly hooks: readonly PaletteItem[]
  /** Values of the items run last, newest first. */
  readonly recent: readonly string[]
}

const RECENT_SHOWN = 5

/**
 * Returns the palette's groups. Before anything is typed: actions of the selection, recent items,
 * and the rest without triggers and flows.
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

/** Keeps each item in its first group only, and drops empty groups. */
function withoutRepeats(groups: readonly PaletteGroup[]): readonly PaletteGroup[] {
  const seen = new Set<string>()
  const isNew = ({ value }: PaletteItem) => !seen.has(value) && seen.add(value).size > 0
  return groups
    .map(({ value, items }) => ({ value, items: items.filter(isNew) }))
    .filter(({ items }) => items.length > 0)
}

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
const SUGGESTED = 8

/** Commands that few need, which are offered once something is typed. */
const UNLIKELY: ReadonlySet<string> = new Set(
  'capture clear follow pinned statistics select-all save-view saved-views tour'.split(' '),
)

/** Commands that act on all deliveries, which nobody should run by a slip. */
const isSweeping = ({ value }: PaletteItem) => ['replay-filter', 'clear-shown'].includes(value)

/**
 * Returns the palette's groups. Before anything is typed: recent items, actions of the selection,
 * likely commands and screens.
 */
export function arrangePalette(parts: PaletteParts, typed: string): readonly PaletteGroup[] {
  const { byId, selected, places, views, flows, hooks } = parts
  const commands = parts.commands.filter((item) => !isSweeping(item))
  if (typed.trim() !== '')
    return withoutRepeats([
      { value: 'Delivery', items: byId },
      { value: 'Selected delivery', items: selected },
      { value: 'Navigation', items: places },
      { value: 'Commands', items: commands },
      { value: 'Views', items: views },
      { value: 'Flows', items: flows },
      { value: 'Hooks', items: hooks },
      { value: 'All deliveries', items: parts.commands.filter(isSweeping) },
    ])
  const all = [...selected, ...places, ...commands, ...views, ...flows, ...hooks]
  const recent = parts.recent.flatMap((value) => all.find((item) => item.value === value) ?? [])
  return withoutRepeats([
    { value: 'Recent', items: recent.slice(0, RECENT_SHOWN) },
    { value: 'Selected delivery', items: selected },
    {
      value: 'Suggested',
      items: commands
        .filter(({ value }) => !value.startsWith('trigger-') && !UNLIKELY.has(value))
        .slice(0, SUGGESTED),
    },
    { value: 'Navigation', items: places },
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

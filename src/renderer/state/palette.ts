/** What can be chosen in the palette. Each feature gives its own, in its `commands.ts`; the shell puts them together. */

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

/** An item that is there only in some states of the app. */
export function when(holds: boolean, ...items: readonly PaletteItem[]): readonly PaletteItem[] {
  return holds ? items : []
}

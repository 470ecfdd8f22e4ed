import type { PaletteItem } from './commands.ts'
import type { AppState } from './store.ts'
import { rowValues } from './row-values.ts'
import { actionGroups, valueEntries } from './delivery-actions.ts'

/** Returns the palette's commands for the selection; values are offered once something is typed. */
export function deliveryPalette(state: AppState, typed: string): readonly PaletteItem[] {
  const rows = state.marks.chosen()
  const [row] = rows
  const actions = actionGroups(state, rows)
    .flat()
    .map(({ id, label, keys, run }) => ({
      value: `delivery-${id}`,
      label,
      run,
      ...(keys === null ? {} : { keys }),
    }))
  const values = row === undefined || rows.length > 1 || typed.trim() === '' ? [] : rowValues(row)
  return [
    ...actions,
    ...values.flatMap((value) =>
      valueEntries(state, value).map(({ name, icon, run }) => ({
        value: `${icon}-${value.name}`,
        label: `${icon === 'copy' ? 'Copy this' : name} ${NOUNS[value.name] ?? value.name.toLowerCase()}`,
        note: value.text,
        run,
      })),
    ),
  ]
}

/** Nouns for values whose names aren't nouns. */
const NOUNS: Readonly<Record<string, string>> = {
  Responded: 'response',
  'Your handler': 'handler response',
}

import { when, type PaletteItem } from '../../ui-state/commands.ts'
import type { AppState } from '../../ui-state/store.ts'

export { ImportDialog } from './import-dialog.tsx'
export { ExportDialog } from './export-dialog.tsx'
export { ShareDialog } from './share-dialog.tsx'

export function transferPalette(state: AppState): readonly PaletteItem[] {
  const selection = state.marks.chosen()
  return [
    {
      value: 'export',
      label: state.filter.applied === '' ? 'Export all deliveries…' : 'Export matching deliveries…',
      run: () => state.exporting.open({ query: state.filter.applied, seqs: null }),
    },
    ...when(selection.length > 0, {
      value: 'export-chosen',
      label: 'Export selected deliveries…',
      run: () => state.exporting.open({ query: '', seqs: selection.map(({ seq }) => seq) }),
    }),
    {
      value: 'share',
      label: state.filter.applied === '' ? 'Share all deliveries…' : 'Share matching deliveries…',
      run: () => state.sharing.open({ query: state.filter.applied, seqs: null }),
    },
    {
      value: 'import-deliveries',
      label: 'Import deliveries…',
      run: () => state.importing.open(),
    },
    {
      value: 'verify-request',
      label: 'Verify a request…',
      run: () => state.navigation.openOverlay('verify-request'),
    },
  ]
}

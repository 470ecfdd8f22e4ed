/** What the shell may use of the exchange of deliveries. */
export { exchangePalette } from './commands.ts'
export { ExportDialog } from './export-dialog.tsx'
export { ImportDialog } from './import-dialog.tsx'

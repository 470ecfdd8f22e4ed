/** What the shell may use of the exchange of deliveries. */
export { exchangeCommands } from './commands.ts'
export { ExportDialog } from './export-dialog.tsx'
export { ImportDialog } from './import-dialog.tsx'

/** What the shell may use of the exchange of deliveries. */
export { exportCommands } from './commands.ts'
export { ExportDialog } from './export-dialog.tsx'

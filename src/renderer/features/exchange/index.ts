/** What the shell may use of the exchange of deliveries. */
export { ExportDialog } from './export-dialog.tsx'

import type { ExportFormat } from '../../../shared/contract/nouns/exchange.ts'
import { deliveryCount } from '../../../shared/text/english.ts'
import { exportPages } from '../../../shared/import-export/export-pages.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import type { CoreSlice } from '../../ui-state/core-slice.ts'
import {
  createTransfer,
  noTransfer,
  type ExportSubject,
  type TransferContext,
  type TransferState,
} from './transfer.ts'

const endings = {
  jsonl: 'jsonl',
  har: 'har',
  csv: 'csv',
  curl: 'sh',
} as const satisfies Partial<Record<ExportFormat, string>>
/** Formats that the window offers; the command line also writes tests. */
export type WindowFormat = keyof typeof endings

interface ExportContext extends TransferContext {
  readonly core: Pick<CoreSlice, 'settings'>
}

export function createExportSlice(tools: FeatureTools<TransferState, ExportContext>) {
  const { client, set, get, app } = tools
  const { isRunning, cancel, collect, save } = createTransfer(tools, 'export')
  return {
    ...noTransfer,
    cancel,

    /** Opens the dialog, with the running export if there is one. */
    open(subject: ExportSubject) {
      if (!isRunning()) set({ subject, problem: null })
      app().navigation.openOverlay('export')
    },
    async start(format: WindowFormat, includeSecrets: boolean) {
      const { subject } = get()
      if (subject === null) return
      const columns = app().core.settings.window.bodyColumns ?? []
      const request = { ...subject, format, includeSecrets, columns }
      const made = await collect(subject, (signal) => exportPages(client, request, signal))
      if (made === null) return
      save(made.file, `deliveries.${endings[format]}`, `Exported ${deliveryCount(made.done)}`)
    },
  }
}

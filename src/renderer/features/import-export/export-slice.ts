import type { ExportFormat } from '../../../shared/contract/nouns/exchange.ts'
import { deliveryCount } from '../../../shared/text/english.ts'
import { exportPages, type ExportProgress } from '../../../shared/import-export/export-pages.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import type { CoreSlice } from '../../ui-state/core-slice.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'
import { sentenceOf } from '../../core-data/act.ts'
import { saveBlob } from '../../ui/save-file.ts'

/** Deliveries to export: selected ones, or the matches of a query. */
export interface ExportSubject {
  readonly query: string
  readonly seqs: readonly number[] | null
}

interface ExportState {
  readonly subject: ExportSubject | null
  /** Progress of the running export; null without one. */
  readonly progress: ExportProgress | null
  readonly problem: string | null
}

const endings = {
  jsonl: 'jsonl',
  har: 'har',
  csv: 'csv',
  curl: 'sh',
} as const satisfies Partial<Record<ExportFormat, string>>
/** Formats that the window offers; the command line also writes tests. */
export type WindowFormat = keyof typeof endings

interface ExportContext {
  readonly core: Pick<CoreSlice, 'settings'>
  readonly navigation: NavigationSlice
}

const idle: ExportState = { subject: null, progress: null, problem: null }

export function createExportSlice({
  client,
  notify,
  set,
  get,
  app,
}: FeatureTools<ExportState, ExportContext>) {
  let running: AbortController | null = null
  const end = (problem: string | null) => {
    running = null
    set({ progress: null, problem })
  }
  return {
    ...idle,

    /** Opens the dialog, with the running export if there is one. */
    open(subject: ExportSubject) {
      if (running === null) set({ subject, problem: null })
      app().navigation.openOverlay('export')
    },
    async start(format: WindowFormat, includeSecrets: boolean) {
      const subject = get().subject
      if (subject === null || running !== null) return
      const stopping = new AbortController()
      running = stopping
      set({ progress: { done: 0, total: subject.seqs?.length ?? 0 }, problem: null })
      try {
        // The browser keeps the parts, because a large file doesn't fit into a string.
        const parts: Blob[] = []
        let count = 0
        for await (const { text, done, total } of exportPages(
          client,
          {
            ...subject,
            format,
            includeSecrets,
            columns: app().core.settings.window.bodyColumns ?? [],
          },
          stopping.signal,
        )) {
          parts.push(new Blob([text]))
          count = done
          set({ progress: { done, total } })
        }
        saveBlob(new Blob(parts), `deliveries.${endings[format]}`)
        end(null)
        notify({ tone: 'ok', title: `Exported ${deliveryCount(count)}` })
        if (app().navigation.overlay === 'export') app().navigation.closeOverlay()
      } catch (error) {
        if (stopping.signal.aborted) {
          end(null)
          return
        }
        end(`${sentenceOf(error)} No file was written. Export again.`)
        if (app().navigation.overlay !== 'export')
          notify({ tone: 'bad', title: "Couldn't export", message: sentenceOf(error) })
      }
    },
    cancel() {
      running?.abort()
    },
  }
}

/** Exports and imports of deliveries: selection, progress and file. Both continue while their dialogs are hidden. */
import type { ExportFormat } from '../../../shared/contract/nouns/exchange.ts'
import { deliveryCount } from '../../../shared/text/counted.ts'
import { exportPages, type ExportProgress } from '../../../shared/import-export/export-pages.ts'
import type { ImportOutcome } from '../../../shared/model/import-outcome.ts'
import { importFile } from '../../../shared/import-export/import-file.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'
import { isQuiet, sentenceOf } from '../../core-data/act.ts'
import { fileSentenceOf, type UserFile } from '../../ui-state/user-file.ts'
import { saveBlob } from '../../ui/bytes.ts'

/** The deliveries to export: selected ones, or those that match a query. */
export interface ExportSubject {
  readonly query: string
  readonly seqs: readonly number[] | null
}

interface Export {
  readonly subject: ExportSubject | null
  /** Null if none is running. */
  readonly progress: ExportProgress | null
  readonly problem: string | null
}

const endings = {
  jsonl: 'jsonl',
  har: 'har',
  curl: 'sh',
} as const satisfies Partial<Record<ExportFormat, string>>
/** The formats that the window offers: tests are written on the command line. */
export type WindowFormat = keyof typeof endings

const first: Export = { subject: null, progress: null, problem: null }

export function createExportSlice({
  client,
  notify,
  set,
  get,
  app,
}: FeatureTools<Export, { readonly navigation: NavigationSlice }>) {
  let running: AbortController | null = null
  const end = (problem: string | null) => {
    running = null
    set({ progress: null, problem })
  }
  return {
    ...first,

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
        // Parts of a file kept by the browser: a large file doesn't fit into a string.
        const parts: Blob[] = []
        let count = 0
        for await (const { text, done, total } of exportPages(
          client,
          { ...subject, format, includeSecrets },
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

interface ImportProgress {
  readonly name: string
  readonly size: number
  /** Bytes read so far. */
  readonly read: number
  /** Null until the first part is imported. */
  readonly outcome: ImportOutcome | null
}

interface Import {
  /** Null if none is running. */
  readonly progress: ImportProgress | null
  /** A file to import once the user confirms. */
  readonly chosen: UserFile | null
  /** The result of the last import, if there is something to report. */
  readonly end: {
    readonly name: string
    readonly outcome: ImportOutcome | null
    readonly problem: string | null
  } | null
}

const IMPORTED_QUERY = 'remote:imported*'

interface WithFilter {
  readonly filter: { setDraft(draft: string): void; apply(): void }
}

const idle: Import = { progress: null, chosen: null, end: null }

/** An import: file, progress and result. Continues while its dialog is hidden. */
export function createImportSlice({
  client,
  notify,
  set,
  app,
}: FeatureTools<Import, { readonly navigation: NavigationSlice } & WithFilter>) {
  let running: AbortController | null = null

  const finish = (name: string, outcome: ImportOutcome | null, problem: string | null) => {
    running = null
    const isSaid =
      problem !== null || outcome === null || outcome.refused > 0 || outcome.lines === 0
    set({ progress: null, end: isSaid ? { name, outcome, problem } : null })
    if (isSaid) {
      if (app().navigation.overlay !== 'import')
        notify({
          tone: 'bad',
          title: `Couldn't import all of ${name}`,
          action: { label: 'Show details', run: () => app().navigation.openOverlay('import') },
        })
      return
    }
    const { imported, known } = outcome
    notify({
      tone: 'ok',
      title: imported === 0 ? 'Nothing new to import' : `Imported ${deliveryCount(imported)}`,
      ...(known === 0
        ? {}
        : {
            message: `${deliveryCount(known)} in the file ${known === 1 ? 'was' : 'were'} already here.`,
          }),
      ...(imported === 0
        ? {}
        : { action: { label: 'Show imported deliveries', run: actions.showImported } }),
    })
    if (app().navigation.overlay === 'import') app().navigation.closeOverlay()
  }

  const actions = {
    /** Opens the dialog, with the running import if there is one. */
    open() {
      if (running === null) set({ end: null, chosen: null })
      app().navigation.openOverlay('import')
    },
    /** Opens the dialog with this file; nothing is imported before the user confirms. */
    choose(source: UserFile) {
      if (running !== null) {
        const message = `Finish or cancel it, then open ${source.name} again.`
        notify({ tone: 'warn', title: 'An import is in progress', message })
      } else set({ end: null, chosen: source })
      app().navigation.openOverlay('import')
    },
    async start(source: UserFile) {
      app().navigation.openOverlay('import')
      if (running !== null) return
      const stopping = new AbortController()
      running = stopping
      const { name, size } = source
      let read = 0
      let outcome: ImportOutcome | null = null
      const tell = () => set({ progress: { name, size, read, outcome } })
      set({ end: null, chosen: null })
      tell()
      try {
        const pieces = counted(source.pieces(), (bytes) => {
          read += bytes
        })
        // Cancelled between parts. Parts already sent are imported and counted.
        for await (const so of importFile(client, pieces)) {
          outcome = so
          tell()
          if (stopping.signal.aborted) break
        }
        finish(
          name,
          outcome,
          stopping.signal.aborted ? 'Import cancelled. Deliveries imported so far are kept.' : null,
        )
      } catch (error) {
        finish(name, outcome, whyOf(error))
      }
    },
    cancel() {
      running?.abort()
    },
    showImported() {
      app().navigation.closeOverlay()
      app().navigation.go('deliveries')
      app().filter.setDraft(IMPORTED_QUERY)
      app().filter.apply()
    },
  }
  return { ...idle, ...actions }
}

async function* counted(
  pieces: AsyncIterable<Uint8Array>,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    onRead(piece.length)
    yield piece
  }
}

/** A lost connection doesn't report itself. */
function whyOf(error: unknown): string {
  if (isQuiet(error))
    return 'The connection was lost during the import. Import the file again: deliveries already imported are skipped.'
  return fileSentenceOf(error)
}

/** The import of deliveries, which continues while its dialog is hidden. */
import { deliveryCount } from '../../../shared/text/english.ts'
import type { ImportOutcome } from '../../../shared/model/import-outcome.ts'
import { importFile } from '../../../shared/import-export/import-file.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'
import { isQuiet, type Notice } from '../../core-data/act.ts'
import { fileSentenceOf, type UserFile } from '../../ui-state/user-file.ts'

interface ImportProgress {
  readonly name: string
  readonly size: number
  /** Bytes read so far. */
  readonly read: number
  /** Result so far; null until the first part is imported. */
  readonly outcome: ImportOutcome | null
}

interface ImportState {
  /** Progress of the running import; null without one. */
  readonly progress: ImportProgress | null
  /** File to import once the user confirms. */
  readonly chosen: UserFile | null
  /** Result of the last import, if it is worth reporting. */
  readonly end: {
    readonly name: string
    readonly outcome: ImportOutcome | null
    readonly problem: string | null
  } | null
}

const IMPORTED_QUERY = 'remote:imported*'
const CANCELLED = 'Import cancelled. Deliveries imported so far are kept.'

interface WithFilter {
  readonly filter: { setDraft(draft: string): void; apply(): void }
}

const idle: ImportState = { progress: null, chosen: null, end: null }

/** Returns the notice of an import without problems. */
function importNotice({ imported, known }: ImportOutcome, showImported: () => void): Notice {
  return {
    tone: 'ok',
    title: imported === 0 ? 'Nothing new to import' : `Imported ${deliveryCount(imported)}`,
    ...(known === 0
      ? {}
      : {
          message: `${deliveryCount(known)} in the file ${known === 1 ? 'was' : 'were'} already here.`,
        }),
    ...(imported === 0 ? {} : { action: { label: 'Show imported deliveries', run: showImported } }),
  }
}

export function createImportSlice({
  client,
  notify,
  set,
  app,
}: FeatureTools<ImportState, { readonly navigation: NavigationSlice } & WithFilter>) {
  let running: AbortController | null = null

  const finish = (name: string, outcome: ImportOutcome | null, problem: string | null) => {
    running = null
    const hasProblems =
      problem !== null || outcome === null || outcome.refused > 0 || outcome.lines === 0
    set({ progress: null, end: hasProblems ? { name, outcome, problem } : null })
    if (hasProblems) {
      if (app().navigation.overlay !== 'import')
        notify({
          tone: 'bad',
          title: `Couldn't import all of ${name}`,
          action: { label: 'Show details', run: () => app().navigation.openOverlay('import') },
        })
      return
    }
    notify(importNotice(outcome, actions.showImported))
    if (app().navigation.overlay === 'import') app().navigation.closeOverlay()
  }

  const actions = {
    /** Opens the dialog, with the running import if there is one. */
    open() {
      if (running === null) set({ end: null, chosen: null })
      app().navigation.openOverlay('import')
    },
    /** Opens the dialog with a file, which is imported once the user confirms. */
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
      const showProgress = () => set({ progress: { name, size, read, outcome } })
      set({ end: null, chosen: null })
      showProgress()
      try {
        const pieces = reportingRead(source.pieces(), (bytes) => {
          read += bytes
        })
        // Stops between parts only, because a part that was sent is imported and must be counted.
        for await (const outcomeSoFar of importFile(client, pieces)) {
          outcome = outcomeSoFar
          showProgress()
          if (stopping.signal.aborted) break
        }
        finish(name, outcome, stopping.signal.aborted ? CANCELLED : null)
      } catch (error) {
        finish(name, outcome, failureSentence(error))
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

/** Yields the pieces of a file, and reports the bytes of each. */
async function* reportingRead(
  pieces: AsyncIterable<Uint8Array>,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    onRead(piece.length)
    yield piece
  }
}

/** Returns the sentence for a failed import; lost connections need their own. */
function failureSentence(error: unknown): string {
  if (isQuiet(error))
    return 'The connection was lost during the import. Import the file again: deliveries already imported are skipped.'
  return fileSentenceOf(error)
}

/** The import of deliveries, which continues while its dialog is hidden. */
import { deliveryCount } from '../../../shared/text/english.ts'
import type { ImportOutcome } from '../../../shared/model/import-outcome.ts'
import { importFile, isEncrypted } from '../../../shared/import-export/import-file.ts'
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

/** File to import once the user confirms. */
export interface ChosenFile {
  readonly source: UserFile
  /** Why the last passphrase didn't open the file; null if it isn't known to be encrypted. */
  readonly lock: { readonly problem?: string } | null
}

interface ImportEnd {
  readonly name: string
  readonly outcome: ImportOutcome | null
  readonly problem: string | null
}

interface ImportState {
  /** Progress of the running import; null without one. */
  readonly progress: ImportProgress | null
  readonly chosen: ChosenFile | null
  /** Result of the last import, if it is worth reporting. */
  readonly end: ImportEnd | null
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

function problemNotice(name: string, showDetails: () => void): Notice {
  return {
    tone: 'bad',
    title: `Couldn't import all of ${name}`,
    action: { label: 'Show details', run: showDetails },
  }
}

export function createImportSlice({
  client,
  notify,
  set,
  app,
}: FeatureTools<ImportState, { readonly navigation: NavigationSlice } & WithFilter>) {
  let running: AbortController | null = null

  const finish = (end: ImportEnd, chosen: ChosenFile | null = null) => {
    running = null
    const { name, outcome, problem } = end
    const { navigation } = app()
    if (problem === null && outcome !== null && outcome.refused === 0 && outcome.lines > 0) {
      set(idle)
      notify(importNotice(outcome, actions.showImported))
      if (navigation.overlay === 'import') navigation.closeOverlay()
      return
    }
    set({ ...idle, ...(chosen === null ? { end } : { chosen }) })
    if (navigation.overlay !== 'import')
      notify(problemNotice(name, () => app().navigation.openOverlay('import')))
  }

  const actions = {
    /** Opens the dialog, with the running import if there is one. */
    open() {
      if (running === null) set(idle)
      app().navigation.openOverlay('import')
    },
    /** Opens the dialog with a file, which is imported once the user confirms. */
    choose(source: UserFile) {
      if (running !== null) {
        const message = `Finish or cancel it, then open ${source.name} again.`
        notify({ tone: 'warn', title: 'An import is in progress', message })
      } else set({ ...idle, chosen: { source, lock: null } })
      app().navigation.openOverlay('import')
    },
    async start(source: UserFile, passphrase?: string) {
      app().navigation.openOverlay('import')
      if (running !== null) return
      const stopping = new AbortController()
      running = stopping
      const { name, size } = source
      let read = 0
      let isLocked = false
      let outcome: ImportOutcome | null = null
      const showProgress = () => set({ progress: { name, size, read, outcome } })
      set(idle)
      showProgress()
      try {
        const pieces = reportingRead(source.pieces(), (piece) => {
          if (read === 0) isLocked = isEncrypted(piece)
          read += piece.length
        })
        // Stops between parts only, because a part that was sent is imported and must be counted.
        for await (const outcomeSoFar of importFile(client, pieces, { passphrase })) {
          outcome = outcomeSoFar
          showProgress()
          if (stopping.signal.aborted) break
        }
        finish({ name, outcome, problem: stopping.signal.aborted ? CANCELLED : null })
      } catch (error) {
        const problem = failureSentence(error)
        const lock = passphrase === undefined ? {} : { problem }
        finish({ name, outcome, problem }, isLocked && outcome === null ? { source, lock } : null)
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

/** Yields the pieces of a file, and reports each. */
async function* reportingRead(
  pieces: AsyncIterable<Uint8Array>,
  onRead: (piece: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    onRead(piece)
    yield piece
  }
}

/** Returns the sentence for a failed import; lost connections need their own. */
function failureSentence(error: unknown): string {
  if (isQuiet(error))
    return 'The connection was lost during the import. Import the file again: deliveries already imported are skipped.'
  return fileSentenceOf(error)
}

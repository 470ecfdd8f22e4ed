/** Drafts of the hook forms, and the actions on hooks that several features have. */
import type { Hook } from '../../../shared/model/hook.ts'
import type { FeatureTools } from '../../state/feature-tools.ts'
import type { NavigationSlice } from '../../state/navigation-slice.ts'
import type { HookBeginning } from './hook-form.ts'

export interface HookActionsSlice {
  /** Initial values of the registration form: a gone hook to register again, or an event without a hook. */
  readonly draft: HookBeginning | null
  /** The URL that the edit form starts with, if it isn't the hook's own. */
  readonly editUrl: string | null
  /** Values that the import form starts with. */
  readonly importDraft: { readonly event: string | null; readonly url: string } | null
  /** Whether the sandbox is sending an event for a hook. */
  readonly sendingEvent: boolean
  setDraft(hook: HookBeginning | null): void
  /** Opens the form of a hook with another URL. */
  editWithUrl(id: string, url: string): void
  /** Opens the import form for a URL. */
  startImport(draft: NonNullable<HookActionsSlice['importDraft']>): void
  /** Removes the values that the forms would start with. */
  clearDrafts(): void
  /** The secret of a hook. Null if it can't be read; the user then sees why. */
  revealSecret(id: string): Promise<string | null>
  /** Makes the sandbox send the hook's event and reports the handler's response. */
  sendEventOf(hook: Hook, live: boolean): Promise<void>
}

export function createHookActionsSlice({
  client,
  act,
  set,
  app,
}: FeatureTools<HookActionsSlice, { readonly navigation: NavigationSlice }>): HookActionsSlice {
  return {
    draft: null,
    editUrl: null,
    importDraft: null,
    sendingEvent: false,
    setDraft(hook) {
      set({ draft: hook })
    },
    editWithUrl(id, editUrl) {
      set({ editUrl })
      app().navigation.select('hooks', { id })
      app().navigation.openOverlay('edit-hook')
    },
    startImport(importDraft) {
      set({ importDraft })
      app().navigation.openOverlay('import-hook')
    },
    clearDrafts() {
      set({ editUrl: null, importDraft: null })
    },
    async revealSecret(id) {
      const revealed = await act("Couldn't show the secret", () =>
        client.call('hooks.reveal', { id }),
      )
      return revealed?.secret ?? null
    },
    async sendEventOf({ event, environment, programId, remoteId }, live) {
      const input = { event, environment, live, ...(programId === null ? {} : { programId }) }
      await act(`Couldn't send ${event}`, () => client.call('sandbox.trigger', input), {
        busy: (sendingEvent) => set({ sendingEvent }),
        done({ deliveries }) {
          const [last] =
            deliveries.find(({ hookId }) => hookId === remoteId)?.attempts.slice(-1) ?? []
          const answer =
            last === undefined
              ? ''
              : last.status === null
                ? (last.error ?? 'No response.')
                : `Returned ${last.status}.`
          return last?.acknowledged === false
            ? { tone: 'bad', title: `${event} sent, but not acknowledged`, message: answer }
            : { tone: 'ok', title: `${event} sent`, message: answer }
        },
      })
    },
  }
}

/** Initial values of the hook forms, and actions on hooks that several features share. */
import type { Hook } from '../../../shared/model/hook.ts'
import type { FeatureTools } from '../../ui-state/feature-tools.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'

/** Values that the form opens with. */
type HookInitialValues = Partial<
  Pick<Hook, 'environment' | 'event' | 'programId' | 'offerId' | 'headers'> & {
    /** URL of the hook; null for the proposed one. */
    readonly url: string | null
  }
>

interface HookForms {
  readonly initialValues: HookInitialValues
  readonly sendingEvent: boolean
}

export function createHooksSlice({
  client,
  act,
  set,
  app,
  subscribe,
}: FeatureTools<HookForms, { readonly navigation: NavigationSlice }>) {
  subscribe(({ navigation }, { navigation: before }) => {
    if (navigation.overlay === null && before.overlay !== null) set({ initialValues: {} })
  })
  const first: HookForms = { initialValues: {}, sendingEvent: false }
  return {
    ...first,

    /** Opens a form with some values. `id`: the hook to edit. */
    open(
      form: 'register-hook' | 'edit-hook' | 'import-hook',
      initialValues: HookInitialValues = {},
      id?: string,
    ) {
      set({ initialValues })
      if (id !== undefined) app().navigation.select('hooks', { id })
      app().navigation.openOverlay(form)
    },
    /** Returns a hook's secret; null after telling the user why it can't be read. */
    async revealSecret(id: string) {
      const revealed = await act("Couldn't show the secret", () =>
        client.call('hooks.reveal', { id }),
      )
      return revealed?.secret ?? null
    },
    /** Makes the sandbox send the hook's event and reports the handler's response. */
    async sendEventOf({ event, environment, programId, remoteId }: Hook) {
      const input = { event, environment, ...(programId === null ? {} : { programId }) }
      await act(`Couldn't send ${event}`, () => client.call('sandbox.trigger', input), {
        busy: (sendingEvent) => set({ sendingEvent }),
        done({ deliveries }) {
          const sent = deliveries.find(({ hookId }) => hookId === remoteId)
          const last = sent?.attempts.at(-1)
          const [tone, title] =
            sent?.state === 'not-sent'
              ? (['warn', 'sent to other hooks only'] as const)
              : last?.acknowledged === false
                ? (['bad', 'sent, but not acknowledged'] as const)
                : (['ok', 'sent'] as const)
          const returned = last?.status == null ? last?.error : `Returned ${last.status}.`
          return {
            tone,
            title: `${event} ${title}`,
            message: sent?.reason?.split('. ')[0] ?? returned ?? '',
          }
        },
      })
    },
  }
}

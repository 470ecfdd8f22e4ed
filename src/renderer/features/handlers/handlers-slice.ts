/**
 * Saved handlers in the window: the one being edited, connection tests, and the actions that
 * several features have.
 */
import type { InputOf } from '../../../shared/contract/contract.ts'
import type { HandlerProbe, SavedHandler } from '../../../shared/model/handler.ts'
import type { CoreSlice } from '../../ui-state/core-slice.ts'
import type { NavigationSlice } from '../../ui-state/navigation-slice.ts'
import type { FeatureTools, OffersUndo } from '../../ui-state/feature-tools.ts'
import { handlerRef } from '../../ui/endpoint-offers.ts'
import { isAutoProbed } from './handler-facts.ts'

/** A handler with only some fields filled in, for the form. */
export type HandlerTemplate = Partial<
  Pick<InputOf<'handlers.add'>, 'name' | 'url' | 'secret' | 'registeredUrl'>
>

interface HandlerState {
  /** The handler being edited, or what a new one begins with. */
  readonly edited: SavedHandler | HandlerTemplate
  /** The last connection test of each handler, by ID. */
  readonly probes: Readonly<Record<string, HandlerProbe>>
}

/** Parts of other features that the slice uses. */
interface HandlersContext {
  readonly core: CoreSlice
  readonly navigation: NavigationSlice
  readonly marks: OffersUndo
}

/** Time in which a removal can be undone. */
const UNDO_MS = 10_000

const first: HandlerState = { edited: {}, probes: {} }

export function createHandlersSlice({
  client,
  act,
  set,
  app,
}: FeatureTools<HandlerState, HandlersContext>) {
  const restore = (removal: string) =>
    act(
      "Couldn't restore the handler",
      async () => {
        const { handler } = await client.call('handlers.restore', { removal })
        app().navigation.select('handlers', { name: handler.name })
        return handler
      },
      { done: (handler) => ({ tone: 'ok', title: `${handlerRef(handler)} restored` }) },
    )
  /**
   * Tests whether a handler's host accepts a connection. Rejects on errors and while consent is
   * missing.
   */
  const probe = async (input: InputOf<'handlers.probe'>) => {
    const result = await client.call('handlers.probe', input)
    set(({ probes }) => ({ probes: { ...probes, [input.id]: result } }))
  }
  return {
    ...first,

    /** Opens the form for a handler; without an ID, for a new one. */
    edit(edited: SavedHandler | HandlerTemplate) {
      set({ edited })
      app().navigation.openOverlay('handler')
    },
    probe,
    /** Tests the handlers on this computer, which needs no consent. */
    async probeHere() {
      const here = app().core.handlers.filter(isAutoProbed)
      // A handler that was just deleted can't be tested; the next round leaves it out.
      await Promise.all(here.map(({ id }) => probe({ id }).catch(() => undefined)))
    },
    /** Deletes a handler; the notice offers to undo it. */
    async remove(handler: SavedHandler) {
      await act(
        `Couldn't delete ${handlerRef(handler)}`,
        () => client.call('handlers.remove', { id: handler.id }),
        {
          done({ removal }) {
            app().navigation.select('handlers', {})
            return {
              tone: 'neutral',
              title: `${handlerRef(handler)} deleted`,
              ...app().marks.offerUndo(() => void restore(removal), UNDO_MS),
            }
          },
        },
      )
    },
    /** Makes a handler the current one; null for none. */
    async use(id: string | null) {
      await act("Couldn't change the current handler", () => client.call('handlers.use', { id }))
    },
  }
}

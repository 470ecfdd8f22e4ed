/** A window without a browser: its state over a core that the test plays, and its components as text. */
import { createElement, type ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { vi } from 'vitest'
import { NO_CAPABILITIES } from '../../src/shared/contract/native.ts'
import type { Client } from '../../src/shared/rpc/client.ts'
import type { SliceContext } from '../../src/renderer/state/slice-context.ts'
import { createStore } from '../../src/renderer/state/store.ts'
import { StoreContext } from '../../src/renderer/state/use-app.ts'
import { createAskedClient } from '../support/asked-client.ts'

/** The state of a window over a client; `notify` records its notices. */
export function openWindow(client: Client, capabilities = NO_CAPABILITIES) {
  const notify = vi.fn<SliceContext['notify']>()
  const store = createStore({ client, capabilities, notify })
  return { notify, store, state: store.getState }
}

/** A window whose calls wait until the test answers them. */
export function openAskedWindow() {
  const core = createAskedClient()
  return { core, ...openWindow(core.client) }
}

/** The markup of a component in a window. */
export function markupOf(
  { store }: Pick<ReturnType<typeof openWindow>, 'store'>,
  element: ReactElement,
): string {
  const value = { ...store, getInitialState: store.getState }
  return renderToStaticMarkup(createElement(StoreContext, { value }, element))
}

/** The text of markup, as a person reads it. */
export function textOf(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#x27;', "'")
    .replaceAll(/\s+/g, ' ')
}

/**
 * A window without a browser: its state over a core that the test plays, and its components as
 * text.
 */
import { createElement, type ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { vi } from 'vitest'
import type { CommandName, InputOf, OutputOf } from '../../src/shared/contract/contract.ts'
import { NO_CAPABILITIES } from '../../src/shared/contract/native.ts'
import type { Client } from '../../src/shared/rpc/client.ts'
import { createData } from '../../src/renderer/core-data/data.ts'
import { DataContext } from '../../src/renderer/core-data/use-read.ts'
import type { Notify } from '../../src/renderer/core-data/act.ts'
import { createStore } from '../../src/renderer/ui-state/store.ts'
import { StoreContext } from '../../src/renderer/ui-state/use-app.ts'
import { createAskedClient } from '../support/asked-client.ts'

/** Opens the state of a window over a client; `notify` records its notices. */
export function openWindow(client: Client, capabilities = NO_CAPABILITIES) {
  const notify = vi.fn<Notify>()
  const data = createData(client, notify)
  const store = createStore({ data, capabilities, notify })
  /** Plays an output that was read. */
  const know = <K extends CommandName>(command: K, input: InputOf<K>, output: OutputOf<K>) => {
    data.queries.setQueryData([command, input], output)
  }
  return { data, know, notify, store, state: store.getState }
}

/** Opens a window whose calls wait until the test answers them. */
export function openAskedWindow() {
  const core = createAskedClient()
  return { core, ...openWindow(core.client) }
}

export function markupOf(
  { data, store }: Pick<ReturnType<typeof openWindow>, 'data' | 'store'>,
  element: ReactElement,
): string {
  const value = { ...store, getInitialState: store.getState }
  return renderToStaticMarkup(
    createElement(DataContext, { value: data }, createElement(StoreContext, { value }, element)),
  )
}

export function textOf(markup: string): string {
  return markup
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#x27;', "'")
    .replaceAll(/\s+/g, ' ')
}

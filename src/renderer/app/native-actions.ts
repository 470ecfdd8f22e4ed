/** Actions that the user chose in the desktop app's menus, tray and notifications. */
import { AppError } from '../../shared/contract/errors.ts'
import type { PageAction } from '../../shared/contract/native.ts'
import type { Client } from '../../shared/rpc/client.ts'
import { always, type RunKey } from '../ui-state/commands.ts'
import type { KeyAction } from '../key-map.ts'
import { isQuiet, sentenceOf } from '../core-data/act.ts'
import type { SliceContext } from '../ui-state/feature-tools.ts'
import type { AppStore } from '../ui-state/store.ts'
import { desktopFile } from '../ui-state/user-file.ts'
import { runAction } from './commands.ts'

const pageActions: Readonly<Record<Exclude<PageAction, KeyAction>, RunKey>> = {
  import: always((state) => state.importing.open()),
  export: always((state) => state.exporting.open({ query: state.filter.applied, seqs: null })),
  diagnostics: always((state) => state.settings.saveDiagnostics()),
  updates: always((state) => state.settings.openUpdates()),
}

const isPageAction = (action: PageAction): action is keyof typeof pageActions =>
  Object.hasOwn(pageActions, action)

/** Follows the events of the desktop host, which a browser doesn't send. */
export function followNative(
  client: Pick<Client, 'call' | 'callNative' | 'onNative'>,
  store: AppStore,
  notify: SliceContext['notify'],
): void {
  client.onNative('native.action', ({ action }) => {
    if (isPageAction(action)) pageActions[action](store)
    else runAction(action, store)
  })
  client.onNative('native.showDelivery', ({ deliveryId }) => {
    client.call('deliveries.get', { id: deliveryId }).then(
      (delivery) => {
        const state = store.getState()
        state.list.show(delivery)
        state.navigation.go('deliveries', { id: delivery.id })
      },
      (error: unknown) => {
        if (isQuiet(error)) return
        // A link may name a delivery of another data folder.
        const isMissing = error instanceof AppError && error.code === 'NOT_FOUND'
        const folder = store.getState().core.status?.dataFolder ?? 'this data folder'
        notify({
          tone: isMissing ? 'warn' : 'bad',
          title: isMissing ? 'Delivery not found' : "Couldn't open the delivery",
          message: isMissing ? `${deliveryId} isn't in ${folder}.` : sentenceOf(error),
        })
      },
    )
  })
  client.onNative('native.openFile', (opened) => {
    const state = store.getState()
    const file = desktopFile(client, opened)
    if (opened.kind === 'flow') {
      state.navigation.go('flows')
      void state.flows.openFile(file)
    } else state.importing.choose(file)
  })
  client.onNative('native.updateChanged', (update) =>
    store.getState().settings.updateChanged(update),
  )
  // A check of an earlier page, or in the background, may have found an update.
  if (store.getState().settings.isDesktop) void store.getState().settings.actOnUpdate('look')
  client.onNative('native.problem', (problem) => notify({ tone: 'bad', ...problem }))
}

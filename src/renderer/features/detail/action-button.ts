/** The button of a summary's action. */
import { prefixEffect } from '../../../shared/model/signature.ts'
import type { Notice } from '../../core-data/act.ts'
import type { AppState } from '../../ui-state/store.ts'
import type { SummaryAction } from './delivery-summary.ts'
import type { DeliveryView } from './use-delivery.ts'

interface ActionButton {
  readonly label: string
  readonly run: (state: AppState) => unknown
}

/** Time in which a changed prefix can be undone, in milliseconds. */
const PREFIX_UNDO_MS = 15_000

/** Placeholder until the signature's report is loaded. */
const NO_PREFIX = { prefix: '', environment: '', mode: 'test' } as const

/** Sets the prefix of an environment, with an undo. */
function applyPrefix(state: AppState, prefix: string, environment: string) {
  const { act, client } = state.data
  const before = state.core.environments.find(({ name }) => name === environment)?.prefix
  const setPrefix = (value: string, done?: () => Notice) =>
    act(
      `Couldn't change ${environment}`,
      () => client.call('environments.update', { name: environment, prefix: value }),
      done && { done },
    )
  return setPrefix(prefix, () => ({
    tone: 'ok',
    title: `${environment} uses ${prefix}`,
    message: prefixEffect(prefix, 'now').replaceAll('`', ''),
    ...(before === undefined
      ? {}
      : state.marks.offerUndo(() => void setPrefix(before), PREFIX_UNDO_MS)),
  }))
}

/**
 * Returns the button of an action.
 * @param closest Event whose schema is closest to the body of an unknown event.
 */
export function buttonOfAction(
  action: SummaryAction,
  { delivery, signature, schema }: Pick<DeliveryView, 'delivery' | 'signature' | 'schema'>,
  closest: string | null,
): ActionButton {
  const tab = (name: 'signature' | 'body' | 'headers' | 'history') => (state: AppState) =>
    state.detail.setTab(name)
  const { prefix, environment } = signature?.unknownPrefix ?? NO_PREFIX
  const buttons: Readonly<Record<SummaryAction, ActionButton>> = {
    'replay-re-signed': {
      label: 'Replay re-signed',
      run: (state) => state.replay.replayToDefault([delivery]),
    },
    'show-signature': { label: 'Show signature', run: tab('signature') },
    'show-code': {
      label: 'Show correct code',
      run: (state) => state.detail.showSignature('code'),
    },
    'try-secret': {
      label: 'Try another secret…',
      run: (state) => state.detail.showSignature('try'),
    },
    'edit-hook-url': {
      label: 'Update hook URL…',
      run(state) {
        const hookId = signature?.hookId ?? delivery.hookId
        if (hookId !== null)
          state.hooks.open('edit-hook', { url: signature?.diagnosis?.signedUrl ?? '' }, hookId)
      },
    },
    'import-hook': {
      label: delivery.verifiedHere ? 'Import the hook…' : 'Import its hook…',
      run(state) {
        const url =
          signature?.diagnosis?.signedUrl ??
          signature?.url ??
          `${state.core.status?.receiver.url ?? ''}${delivery.path ?? ''}`
        state.hooks.open('import-hook', { url, event: delivery.event ?? undefined })
      },
    },
    'use-prefix': {
      label: `Use ${prefix} in ${environment}`,
      run: (state) => applyPrefix(state, prefix, environment),
    },
    'show-in-body': {
      label: 'Show in body',
      run: (state) => state.detail.showPath(delivery.id, schema?.failures[0]?.path ?? ''),
    },
    'show-body': { label: 'Show body', run: tab('body') },
    'show-headers': { label: 'Show headers', run: tab('headers') },
    'show-history': { label: 'Show attempts', run: tab('history') },
    'show-bytes': {
      label: 'Show bytes',
      run: (state) => state.detail.showRaw('request', 'hex'),
    },
    'show-response': {
      label: 'Show response',
      run: (state) => state.detail.showSend(delivery.handler?.sendId ?? null),
    },
    'compare-closest': {
      label: `Compare with ${closest ?? ''}`,
      run: (state) => closest !== null && state.detail.compareWithEvent(closest),
    },
    'send-sample': { label: 'Send a signed sample', run: (state) => state.list.sendSample() },
    'copy-https-url': {
      label: 'Copy HTTPS URL',
      run: (state) => state.menu.copy(state.core.status?.receiver.url ?? '', 'Copied the URL'),
    },
    'copy-ca-path': {
      label: 'Copy path of ca.pem',
      run: (state) => state.menu.copy(state.core.status?.caFile ?? '', 'Copied the path'),
    },
  }
  return buttons[action]
}
